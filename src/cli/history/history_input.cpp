// SPDX-License-Identifier: Apache-2.0
#include "cli/history/history_input.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/frame/notices_view.hpp"
#include "service/selection/times.hpp"

namespace polytrace::cli {

using base::result;
using history::Facts;
using history::History;
using history::Key;
using history::Tick;

void add_history_folder(OptionList& list, std::string& folder) {
  list.add("DIR", folder, "The folder of the history").takes("FILE").required().in("Input");
}

void add_history(OptionList& list, HistoryOptions& options) {
  list.add("DIR", options.path,
           "The folder of a history, or a .tar or .zip of one, or its history.bin")
      .takes("FILE")
      .required()
      .in("Input");
  list.add("--mixed", options.mixed,
           "Go on where types.json or tree.json belong to another history")
      .in("Input");
}

std::string path_text(const History& history, Key key) {
  const auto path = history.path(key);
  return path ? "/" + *path : fmt::format("key {}", key);
}

result<History> open_history(const Session& session, const HistoryOptions& options) {
  const auto files = history::BundleFiles::find(options.path);
  if (!files) return base::Unexpected(files.error());
  return open_history(session, options, *files);
}

result<History> open_history(const Session& session, const HistoryOptions& options,
                             const history::BundleFiles& files) {
  history::OpenBundleOptions open;
  open.force = options.mixed;
  auto opened = history::open_bundle(files, open);
  if (opened) tell_notices(session, options.path, opened->notices().sorted());
  return opened;
}

// Times are counted in nanoseconds there, in ticks here.
result<Tick> tick_of(const std::string& text, const Facts& facts, Tick from) {
  constexpr std::uint64_t kNanoseconds = 1'000'000'000;
  const auto point = parse_time_point(text);
  if (!point) return base::Unexpected(point.error());
  const bool plain =
      point->against == TimePoint::Against::clock || point->against == TimePoint::Against::share;
  if (!plain && facts.ticks_per_second != kNanoseconds)
    return base::fail(base::Code::usage,
                      fmt::format("\"{}\": a tick of this history is no nanosecond; give ticks or "
                                  "a share",
                                  text));
  Overview overview;
  overview.first = facts.start;
  overview.last = facts.end;
  if (facts.clock_offset) {
    overview.wall_at = facts.start;
    if (__builtin_add_overflow(facts.start, *facts.clock_offset, &overview.wall))
      overview.wall = base::kNoTime;
  }
  return resolve(*point, overview, from);
}

void add_keys(OptionList& list, KeyOptions& options) {
  list.add("--path", options.paths,
           "Only timelines at this path; * stands for any part of a name, ** for any "
           "levels (may be given again)")
      .takes("PATH")
      .in("Selection");
  list.add("--key", options.keys, "Only the timeline of this number (may be given again)")
      .takes("KEY")
      .in("Selection");
}

result<std::vector<Key>> choose_keys(const History& history, const KeyOptions& options) {
  if (options.paths.empty() && options.keys.empty()) {
    const auto all = history.keys();
    return std::vector<Key>(all.begin(), all.end());
  }
  std::vector<Key> chosen = options.keys;
  for (const std::string& path : options.paths) {
    if (const auto key = history.key(path)) {
      chosen.push_back(*key);
      continue;
    }
    std::size_t found = 0;
    for (const history::Tree::Node node : history.tree().match(path)) {
      const Key key = history.tree().key(node);
      if (!history.knows(key)) continue;
      chosen.push_back(key);
      ++found;
    }
    if (found == 0) return base::fail(base::Code::key_unknown, path);
  }
  for (const Key key : options.keys)
    if (!history.knows(key)) return base::fail(base::Code::key_unknown, fmt::format("key {}", key));
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace polytrace::cli
