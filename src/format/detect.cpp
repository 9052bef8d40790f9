// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"
#include "format/format.hpp"

namespace polytrace::format {
namespace {

std::string_view without_suffix(std::string_view path, std::string_view suffix) {
  if (path.ends_with(suffix)) path.remove_suffix(suffix.size());
  return path;
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
  for (const Format* format : formats()) {
    if (format->recognise(head))
      return Recognised{format, base::prepend(std::move(head), std::move(source))};
  }
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
