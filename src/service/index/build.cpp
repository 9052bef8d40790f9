// SPDX-License-Identifier: Apache-2.0
#include "service/index/build.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/frames.hpp"
#include "service/index/cache.hpp"
#include "service/index/make.hpp"
#include "store/source/page_file.hpp"
#include "store/store.hpp"

namespace polytrace::service {
namespace {

using base::Code;
using store::FolderLock;

base::Error no_file(std::string_view what) {
  return {
      Code::usage, {}, fmt::format("{}: an index is of a file; save the trace to one first", what)};
}

// Whether the trace is what the index at its place was made of: else that is of something in
// between.
bool is_still(const FoundIndex& found) {
  const auto now = store::identify(found.file);
  if (!now) return false;
  if (now->facts == found.source.facts) return true;
  const auto head = store::read_head(found.place.file());
  const auto compared =
      head ? store::compare(*head, *now, found.file) : base::Unexpected(head.error());
  return compared && store::is_current(*compared);
}

Asked<Reading> read_trace(const Input& input, const FoundIndex& found) {
  base::ContentHash content;
  const auto opened = input.open_trace(&content);
  if (!opened) return refuse(opened.error(), input.name());
  Reading reading;
  reading.origin = origin_of(input, *opened);
  const auto outcome = write_index(input, *opened, {found.source, found.place, content});
  if (!outcome) {
    unlink((found.place.file() + ".new").c_str());
    return tl::unexpected(refuse_place(found.place, outcome.error()));
  }
  reading.passed.outcome = *outcome;
  reading.passed.notices = outcome->notices.sorted();
  reading.passed.interrupted = input.asking().is_stopped();
  return reading;
}

Refusal changed_meanwhile(const Input& input) {
  return {
      {Code::read_failed, {}, "it changed while it was read: index it again"}, input.name(), {}};
}

// REQUIRES: the place is locked.
Asked<BuiltIndex> build_at(const Input& input, const FoundIndex& found) {
  auto reading = read_trace(input, found);
  if (!reading) return tl::unexpected(reading.error());
  BuiltIndex built;
  built.written = !reading->passed.interrupted;
  built.reading = std::move(*reading);
  if (built.written && !is_still(found)) {
    unlink(found.place.file().c_str());
    return tl::unexpected(changed_meanwhile(input));
  }
  remember_source(found.place.folder, input.name());
  built.replaced = found.notice();
  return built;
}

// Nothing else is to go but what others do not use; the new one is held meanwhile.
std::uint64_t make_room(const store::IndexPlace& place) {
  const auto held = FolderLock::use(place);
  const auto pruned = prune_indexes({});
  return pruned ? pruned->gone.size() : 0;
}

FrameSum& sum_of(std::vector<FrameSum>& sums, const store::Entry& entry) {
  const std::string letters = base::frame_name(entry.kind);
  const auto found = std::ranges::find(sums, letters, &FrameSum::kind);
  if (found != sums.end()) return *found;
  std::string_view holds;
#define FRAME(name, LETTERS, says) \
  if (letters == #LETTERS) holds = says;
#include "store/file/frame_kinds.def"
#undef FRAME
  return sums.emplace_back(FrameSum{letters, holds});
}

void take_frames(IndexAccount& account, const store::IndexView& view) {
  for (const store::Entry& entry : view.entries()) {
    FrameSum& sum = sum_of(account.frames, entry);
    ++sum.frames;
    sum.bytes += base::kFrameHeadSize + entry.length;
  }
  std::ranges::stable_sort(account.frames, std::ranges::greater{}, &FrameSum::bytes);
}

// What it says of how the trace was read; that of a damaged one may be lost.
void take_notes(IndexAccount& account, const store::IndexView& view) {
  base::RawArray<std::byte> room;
  for (std::size_t i = 0; i < view.entries().size(); ++i) {
    if (view.entries()[i].kind != store::frame::notices) continue;
    const auto payload = view.payload(i, room);
    if (!payload) return;
    const auto notes = store::decode_notes(*payload);
    if (!notes) return;
    account.notices = notes->notices.sorted();
    account.error = notes->error;
  }
}

IndexAccount account_of(const std::string& file, const FoundIndex& found) {
  IndexAccount account{.file = file,
                       .folder = found.place.folder,
                       .standing = found.standing,
                       .detail = found.detail,
                       .source_size = found.source.facts.size};
  if (found.view == nullptr) return account;
  const store::IndexView& view = *found.view;
  account.bytes = view.slot().length;
  account.format = view.head().format;
  account.source_bytes = view.slot().source_bytes;
  account.totals = view.totals();
  take_frames(account, view);
  take_notes(account, view);
  return account;
}

BuiltIndex of_current(const Input& input, const FoundIndex& found) {
  static_cast<void>(FolderLock::use(found.place));
  remember_source(found.place.folder, input.name());
  BuiltIndex built{.account = account_of(input.name(), found), .was_current = true};
  built.reading.origin.file = input.name();
  built.reading.passed.outcome.error = built.account.error;
  built.reading.passed.notices = built.account.notices;
  return built;
}

}  // namespace

Asked<IndexAccount> index_account(const std::string& file, const std::string& folder) {
  const auto found = find_index(file, folder);
  if (!found) return refuse(found.error(), file);
  return account_of(file, *found);
}

namespace {

base::result<FoundIndex> find_index_of(const Input& input) {
  return find_index(input.name(), input.options().index.folder, input.asking().stop);
}

// Nothing if the trace has changed and its index belongs somewhere else now.
std::optional<Asked<BuiltIndex>> build_alone(const Input& input, const FoundIndex& found) {
  const auto lock = wait_for_place(found.place, input.asking());
  if (!lock) return tl::unexpected(refuse_place(found.place, lock.error()));
  if (!*lock) return refuse({Code::index_busy, {}, {}}, found.place.folder);
  // Whoever was waited for may have made it.
  const auto now = find_index_of(input);
  if (!now) return refuse(now.error(), input.name());
  if (now->standing == IndexStanding::current) return of_current(input, *now);
  if (now->place.folder != found.place.folder) return std::nullopt;
  auto built = build_at(input, *now);
  if (!built) return built;
  return conclude(input, std::move(*built));
}

}  // namespace

Asked<BuiltIndex> build_index(const Input& input) {
  const std::string& file = input.name();
  if (file == "-") return refuse(no_file("standard input"));
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    const auto found = find_index_of(input);
    if (!found && found.error().detail == "not a file") return refuse(no_file(file));
    if (!found) return refuse(found.error(), file);
    if (found->place.folder.empty())
      return refuse({Code::usage, {}, "no folder for indexes: set HOME, or name one by --index"});
    if (input.options().follow) return follow_trace(input, *found);
    if (found->standing == IndexStanding::current) return of_current(input, *found);
    // What is no trace gets no folder.
    if (const auto opened = input.open_trace(); !opened) return refuse(opened.error(), file);
    if (auto built = build_alone(input, *found)) return std::move(*built);
  }
  return tl::unexpected(changed_meanwhile(input));
}

Asked<BuiltIndex> conclude(const Input& input, BuiltIndex built) {
  const std::string& folder = input.options().index.folder;
  auto account = index_account(input.name(), folder);
  if (!account) return tl::unexpected(account.error());
  built.account = std::move(*account);
  if (folder.empty() && built.written) built.evicted = make_room({built.account.folder});
  return built;
}

std::string_view word_of(IndexStanding standing) {
  switch (standing) {
    case IndexStanding::none: return "none";
    case IndexStanding::current: return "current";
    case IndexStanding::stale: return "stale";
    case IndexStanding::damaged: return "damaged";
    case IndexStanding::building: return "building";
  }
  return {};
}

}  // namespace polytrace::service
