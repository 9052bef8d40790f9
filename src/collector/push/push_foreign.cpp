// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "base/codes.hpp"
#include "collector/foreign/unpack.hpp"
#include "collector/push/push.hpp"

namespace polytrace::collector {
namespace {

constexpr Time kAheadOfNow = 600 * kSecond;

// Files of other tools, as answers tell formats.
const format::Format& format_of(ForeignKind kind) {
  static const std::vector<format::Format> kFormats = [] {
    std::vector<format::Format> formats;
    for (const ForeignName& name : foreign_names()) {
      format::Format& format = formats.emplace_back();
      format.name = name.name;
      format.title = name.title;
    }
    return formats;
  }();
  return kFormats[static_cast<std::size_t>(kind)];
}

// As it is stored: what is too large packed is too large unpacked.
base::result<std::vector<std::byte>> stored_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in.is_open()) return base::system_fault(base::Code::open_failed);
  std::vector<std::byte> bytes(kMostUnpacked + 1);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (in.bad()) return base::system_fault(base::Code::read_failed);
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  if (bytes.size() > kMostUnpacked)
    return base::fail(base::Code::limit_exceeded, fmt::format("more than {} bytes", kMostUnpacked));
  return bytes;
}

}  // namespace

service::Asked<std::vector<Pushed>> push_foreign(const service::Input& input, PushTarget& target,
                                                 const PushOptions& options) {
  const auto bytes = stored_bytes(input.name());
  if (!bytes) return service::refuse(bytes.error(), input.name());
  ForeignOptions how;
  how.labels = options.labels;
  how.beneath = {{"file", std::filesystem::path(input.name()).filename().string()}};
  how.accepted = {options.oldest, options.now + kAheadOfNow};
  how.otherwise = options.starts;
  auto read = read_foreign(*bytes, options.foreign, how);
  if (!read) return service::refuse(read.error(), input.name());
  if (read->timeless != 0)
    return service::refuse(
        base::Error{
            base::Code::usage, {}, "a profile tells no time: say with --at when it was made"},
        input.name());
  std::vector<Pushed> all;
  for (ForeignSeries& series : read->series) {
    target.begin(series.ids, series.labels);
    target.take(std::move(series.rows));
    target.finish();
    Pushed& pushed = all.emplace_back();
    pushed.take(target.take_delivered());
    pushed.labels = std::move(series.labels);
    pushed.ids = series.ids;
    pushed.first = series.seen.first;
    pushed.last = series.seen.last;
    pushed.events = series.samples;
  }
  if (all.empty()) all.emplace_back();
  for (Pushed& pushed : all) pushed.reading.origin = {input.name(), &format_of(read->kind), {}};
  // What is told of the file is told once.
  all.front().refused = read->refused;
  for (base::Notice& notice : read->notices.sorted())
    all.front().reading.passed.notices.push_back(std::move(notice));
  if (target.error())
    return tl::unexpected(service::Refusal{*target.error(), {}, all.front().reading.passed});
  return all;
}

}  // namespace polytrace::collector
