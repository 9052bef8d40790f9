// SPDX-License-Identifier: Apache-2.0
// The index of a trace that grows: built in a folder of its own, which gets the trace's name when
// the trace has one.
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "base/codes.hpp"
#include "service/index/cache.hpp"
#include "service/index/make.hpp"
#include "store/live_index.hpp"

namespace polytrace::service {
namespace {

using base::Code;
using store::IndexPlace;

// Where the index is until the trace has ended.
IndexPlace place_of(const Input& input, const FoundIndex& found) {
  if (!input.options().index.folder.empty()) return found.place;
  return store::live_place(store::cache_root(), store::live_id(found.source.facts));
}

// Commits that came before blocks were full leave short ones. Where these are many, the whole trace
// is indexed anew, if it is still there as it was read.
bool is_in_pieces(const store::Totals& totals) {
  const std::uint64_t full = totals.events / store::kBlockEvents + totals.threads;
  return totals.blocks > full + full / 2;
}

class Following {
 public:
  Following(const Input& input, const FoundIndex& found, IndexPlace place)
      : input_(input), found_(found), place_(std::move(place)) {}

  Asked<BuiltIndex> run() {
    auto opened = input_.open_trace(&content_);
    if (!opened) return refuse(opened.error(), input_.name());
    BuiltIndex built;
    built.reading.origin = origin_of(input_, *opened);
    built.replaced = found_.notice();
    auto outcome = read(*opened);
    if (!outcome) {
      unlink((place_.file() + ".new").c_str());
      return tl::unexpected(refuse_place(place_, outcome.error()));
    }
    built.reading.passed.outcome = std::move(*outcome);
    built.reading.passed.notices = notices_of(built.reading.passed.outcome.notices, true);
    if (auto done = make_one(); !done) return tl::unexpected(refuse_place(place_, done.error()));
    if (auto moved = move(); !moved) return tl::unexpected(refuse_place(place_, moved.error()));
    return built;
  }

 private:
  base::result<event::PumpOutcome> read(const format::Opened& opened) {
    const auto watcher = input_.asking().watcher();
    store::IndexJob job = index_job(input_, opened, {found_.source, place_, content_});
    if (watcher) job.pump.progress = [&](const base::Source& source) { watcher->update(source); };
    auto index = store::LiveIndex::begin(*opened.reader, std::move(job), {});
    if (!index) return base::Unexpected(index.error());
    (*index)->wait();
    input_.asking().begin_finishing();
    auto identity = store::identify(found_.file, (*index)->source_bytes());
    if (!identity) return base::Unexpected(identity.error());
    read_ = *identity;
    read_.whole = content_.digest();
    // Its times are told after it was read, so they say nothing of what came while it was.
    read_.looked = found_.source.looked;
    return (*index)->finish(read_);
  }
  base::result<void> make_one() {
    const auto store = store::Store::open(place_.file());
    if (!store) return base::Unexpected(store.error());
    const auto now = store::identify(found_.file);
    if (!now || now->facts != read_.facts || !is_in_pieces((*store)->facts().totals)) return {};
    InputOptions options = input_.options();
    options.follow = false;
    const Input again(std::move(options), input_.asking());
    base::ContentHash content;
    const auto opened = again.open_trace(&content);
    if (!opened) return {};
    store::IndexJob job = index_job(again, *opened, {read_, place_, content});
    job.pump.stop = nullptr;  // that was asked of following
    const auto outcome = store::build_index(*opened->reader, job);
    if (!outcome) return base::Unexpected(outcome.error());
    return {};
  }
  // To where everybody looks for it.
  base::result<void> move() {
    if (!input_.options().index.folder.empty()) return {};
    const IndexPlace place = store::place_of(store::cache_root(), read_.fingerprint);
    if (auto made = store::make_folder(place); !made) return made;
    if (std::rename(place_.file().c_str(), place.file().c_str()) != 0)
      return base::system_fault(Code::write_failed);
    std::error_code fault;
    std::filesystem::remove_all(place_.folder, fault);
    remember_source(place.folder, input_.name());
    place_ = place;
    return {};
  }

  const Input& input_;
  const FoundIndex& found_;
  IndexPlace place_;
  base::ContentHash content_;  // of what was read so far
  store::SourceIdentity read_{};
};

}  // namespace

Asked<BuiltIndex> follow_trace(const Input& input, const FoundIndex& found) {
  const IndexPlace place = place_of(input, found);
  const auto lock = lock_place(place);
  if (!lock) return tl::unexpected(refuse_place(place, lock.error()));
  if (!*lock) return refuse({Code::index_busy, {}, {}}, place.folder);
  remember_source(place.folder, input.name());
  auto built = Following(input, found, place).run();
  if (!built) return built;
  return conclude(input, std::move(*built));
}

}  // namespace polytrace::service
