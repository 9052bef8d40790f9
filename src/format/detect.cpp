// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/codes.hpp"
#include "base/io/zip_source.hpp"
#include "format/format.hpp"

namespace polytrace::format {
namespace {

std::string_view without_suffix(std::string_view path, std::string_view suffix) {
  if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
  return path;
}

const Format* recognised(base::Bytes head) {
  const auto all = formats();
  const auto found =
      std::ranges::find_if(all, [head](const Format* one) { return one->recognise(head); });
  return found == all.end() ? nullptr : *found;
}

// Of the first entry of a zip file that is in any format, where entries are no parts of one trace
// to that format: then it takes zip files itself.
const Format* find_in_zip(const std::vector<std::byte>& head) {
  const Format* found = nullptr;
  const auto is_trace = [&found](base::Bytes first, std::size_t before) {
    if (before == 0) found = recognised(first);
    return found != nullptr;
  };
  const auto entries =
      base::zip_source(base::memory_source(head), {is_trace, base::Code::archive_others});
  std::vector<std::byte> first(kHeadBytes);
  if (!entries->read(first) || found == nullptr || found->recognise(head)) return nullptr;
  return found;
}

std::unique_ptr<base::Source> first_in_zip(const Format& format,
                                           std::unique_ptr<base::Source> zip) {
  const auto is_first = [&format](base::Bytes first, std::size_t before) {
    return before == 0 && format.recognise(first);
  };
  return base::zip_source(std::move(zip), {is_first, base::Code::archive_others});
}

}  // namespace

const Format* find_format(std::string_view name) {
  for (const Format* format : formats()) {
    if (format->name == name) return format;
  }
  return nullptr;
}

const Format* format_for_path(std::string_view path) {
  path = without_suffix(without_suffix(path, ".gz"), ".zst");
  for (const Format* format : formats()) {
    if (path.ends_with(format->suffix)) return format;
  }
  return nullptr;
}

bool is_kin(const Format& source, const Format& target) {
  return target.rewrite != nullptr && source.family == target.family;
}

base::result<Recognised> recognise(std::unique_ptr<base::Source> source) {
  std::vector<std::byte> head(kHeadBytes);
  const auto got = base::read_fully(*source, head);
  if (!got) return base::Unexpected(got.error());
  head.resize(*got);
  if (base::is_zip(head)) {
    constexpr std::size_t kZipHead = std::size_t{256} * 1024;
    std::vector<std::byte> more(kZipHead);
    const auto read = base::read_fully(*source, more);
    if (!read) return base::Unexpected(read.error());
    head.insert(head.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(*read));
    if (const Format* const format = find_in_zip(head))
      return Recognised{format,
                        first_in_zip(*format, base::prepend(std::move(head), std::move(source)))};
  }
  if (const Format* const format = recognised(head))
    return Recognised{format, base::prepend(std::move(head), std::move(source))};
  return base::fail(base::Code::not_recognised, head.empty() ? "it is empty" : "");
}

base::result<Opened> open(std::unique_ptr<base::Source> source, const event::ReadOptions& options) {
  auto found = recognise(std::move(source));
  if (!found) return base::Unexpected(found.error());
  auto reader = found->format->open(std::move(found->source), options);
  if (!reader) return base::Unexpected(reader.error());
  return Opened{found->format, std::move(*reader)};
}

}  // namespace polytrace::format
