// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/spool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/codes.hpp"
#include "base/frames/image.hpp"
#include "collector/keep/append_file.hpp"
#include "collector/keep/spool_index.hpp"

namespace polytrace::collector {
namespace {

using base::Code;
namespace fs = std::filesystem;

std::chrono::seconds age_of(const fs::path& path) {
  std::error_code fault;
  const auto written = fs::last_write_time(path, fault);
  if (fault) return {};
  return std::chrono::duration_cast<std::chrono::seconds>(fs::file_time_type::clock::now() -
                                                          written);
}

}  // namespace

struct Spool::State {
  explicit State(SpoolOptions asked) : options(std::move(asked)) {}

  base::result<void> find();
  base::result<void> read(const NumberedFiles::Found& found, bool newest);
  base::result<void> begin_file(std::uint64_t number);
  bool lacks_room() const;
  void trim();
  void drop_oldest();
  void fall_back();

  SpoolOptions options;
  AppendFile newest;         // of the thread that appends
  std::uint64_t synced = 0;  // bytes of it, likewise
  mutable std::mutex mutex;  // guards what follows
  SpoolIndex index;
  std::uint64_t dropped = 0;
  std::uint64_t duplicates = 0;
  mutable std::uint64_t damaged = 0;
};

Spool::Spool(std::unique_ptr<State> state) : state_(std::move(state)) {}
Spool::Spool(Spool&&) noexcept = default;
Spool& Spool::operator=(Spool&&) noexcept = default;
Spool::~Spool() = default;

base::result<Spool> Spool::open(SpoolOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  if (auto done = state->find(); !done) return base::Unexpected(done.error());
  return Spool(std::move(state));
}

base::result<void> Spool::State::find() {
  auto found = kSpoolFiles.find(options.folder);
  if (!found) return base::Unexpected(found.error());
  for (const auto& file : *found)
    if (auto done = read(file, &file == &found->back()); !done) return done;
  index.settle();
  if (!found->empty()) return {};
  return begin_file(0);
}

// Of older files heads and headers are enough; of the newest one the end may be torn anywhere.
base::result<void> Spool::State::read(const NumberedFiles::Found& found, bool newest_one) {
  const auto image = base::Image::map(found.path);
  if (!image) return base::Unexpected(image.error());
  index.add_file(found.path, found.number);
  Records records(image->bytes());
  std::uint64_t end = 0;
  while (records.next()) {
    const auto number = index_of(records.payload());
    if (!number || (newest_one && !is_whole(records.payload()))) continue;
    end = records.end();
    if (!index.is_new(records.head().key, *number)) continue;
    index.add(records.head().key, {*number, records.head().place, records.payload()},
              newest_one ? records.end() : image->bytes().size());
  }
  if (!newest_one) return {};
  auto file = AppendFile::open(found.path);
  if (!file) return base::Unexpected(file.error());
  newest = std::move(*file);
  synced = end;
  return newest.cut(end);
}

base::result<void> Spool::State::begin_file(std::uint64_t number) {
  const fs::path path = kSpoolFiles.path(options.folder, number);
  auto file = AppendFile::open(path);
  if (!file) return base::fail(Code::write_failed, file.error().detail);
  sync_folder(options.folder);
  newest = std::move(*file);
  synced = 0;
  index.add_file(path, number);
  return {};
}

bool Spool::State::lacks_room() const {
  std::error_code fault;
  const auto space = fs::space(options.folder, fault);
  return !fault && space.available < options.min_free;
}

void Spool::State::drop_oldest() {
  std::error_code fault;
  fs::remove(index.files().front().path, fault);
  dropped += index.drop_oldest();
}

// The newest file stays: it is the one that is written.
void Spool::State::trim() {
  const auto& files = index.files();
  while (files.size() > 1 && (index.bytes() > options.bytes ||
                              age_of(files.front().path) > options.age || lacks_room()))
    drop_oldest();
}

// What the medium may not have is taken back, so that all agree on what is held.
void Spool::State::fall_back() {
  static_cast<void>(newest.cut(synced));
  index.forget_newest();
  const auto image = base::Image::map(newest.descriptor(), synced);
  if (!image) return;
  Records records(image->bytes());
  while (records.next()) {
    const auto number = index_of(records.payload());
    if (number)
      index.add(records.head().key, {*number, records.head().place, records.payload()}, synced);
  }
  index.settle();
}

base::result<bool> Spool::append(std::uint64_t stream, const BlockCutter::Block& block) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    if (!state.index.is_new(stream, block.index)) {
      state.duplicates += block.index != BlockCutter::kHeader;
      return false;
    }
  }
  if (state.index.files().size() == 1 && state.lacks_room())
    return base::fail(Code::write_failed, "less space is free than is to be left to others");
  if (state.newest.size() >= state.options.file_bytes) {
    if (auto done = sync(); !done) return base::Unexpected(done.error());
    const std::lock_guard lock(state.mutex);
    if (auto done = state.begin_file(state.index.files().back().number + 1); !done)
      return base::Unexpected(done.error());
  }
  const RecordHead head = record_head(stream, block.offset, block.bytes.size());
  const base::Bytes parts[] = {std::as_bytes(std::span(&head, 1)), block.bytes};
  if (auto done = state.newest.append(parts); !done) return base::Unexpected(done.error());
  const std::lock_guard lock(state.mutex);
  state.index.add(stream, block, state.newest.size());
  return true;
}

base::result<void> Spool::sync() {
  State& state = *state_;
  auto done = state.synced == state.newest.size() ? base::result<void>() : state.newest.sync();
  const std::lock_guard lock(state.mutex);
  if (!done) {
    state.fall_back();
    return done;
  }
  state.synced = state.newest.size();
  state.index.settle();
  state.trim();
  return {};
}

std::optional<Spool::Held> Spool::held(std::uint64_t stream) const {
  const std::lock_guard lock(state_->mutex);
  return state_->index.held(stream);
}

std::vector<std::uint64_t> Spool::streams() const {
  const std::lock_guard lock(state_->mutex);
  return state_->index.streams();
}

base::result<void> Spool::replay(const First& first, const Take& take) const {
  std::vector<SpoolIndex::File> files;
  {
    const std::lock_guard lock(state_->mutex);
    files.assign(state_->index.files().begin(), state_->index.files().end());
  }
  base::IdMap<std::uint64_t> next;  // by stream: what has been told is not told again
  for (const SpoolIndex::File& file : files) {
    const bool wanted = std::ranges::any_of(file.last, [&](const auto& of) {
      const auto from = first(of.first);
      return from && *from <= of.second;
    });
    if (!wanted) continue;
    const auto image = base::Image::map(file.path);
    if (!image) continue;  // dropped since then
    Records records(image->bytes().first(std::min<std::size_t>(file.bytes, image->bytes().size())));
    std::uint64_t damaged = 0;
    while (records.next()) {
      const auto [stream, block] = std::pair(records.head().key, records.payload());
      const auto number = index_of(block);
      const auto from = first(stream);
      if (number && (*number == BlockCutter::kHeader || !from || *number < *from)) continue;
      if (!number || !is_whole(block)) {
        damaged += block.size();
        continue;
      }
      const auto [at, is_first] = next.try_emplace(stream, *number);
      if (!is_first && *number < at->second) continue;
      at.value() = *number + 1;
      if (auto done = take(stream, {*number, records.head().place, block}); !done) return done;
    }
    const std::lock_guard lock(state_->mutex);
    state_->damaged += damaged + records.passed();
  }
  return {};
}

base::result<void> Spool::replay(std::uint64_t stream, std::uint64_t first,
                                 const BlockCutter::Take& take) const {
  return replay(
      [&](std::uint64_t other) { return other == stream ? std::optional(first) : std::nullopt; },
      [&](std::uint64_t, const BlockCutter::Block& block) { return take(block); });
}

base::result<std::vector<std::uint64_t>> Spool::pin(std::uint64_t stream, std::uint64_t first,
                                                    std::uint64_t last,
                                                    const fs::path& folder) const {
  std::vector<std::uint64_t> numbers;
  {
    const std::lock_guard lock(state_->mutex);
    std::optional<std::uint64_t> before;  // the last block of the files so far
    for (const SpoolIndex::File& file : state_->index.files()) {
      const auto found = file.last.find(stream);
      if (found == file.last.end()) continue;
      if (found->second >= first && (!before || *before < last)) numbers.push_back(file.number);
      before = found->second;
    }
  }
  for (const std::uint64_t number : numbers) {
    std::error_code fault;
    const fs::path from = kSpoolFiles.path(state_->options.folder, number);
    fs::create_hard_link(from, kSpoolFiles.path(folder, number), fault);
    const bool is_there = !fault || fault == std::errc::file_exists;
    // One that was dropped meanwhile is gone.
    if (!is_there && fault != std::errc::no_such_file_or_directory)
      return base::fail(Code::write_failed, fmt::format("{}: {}", from.string(), fault.message()));
  }
  return numbers;
}

std::uint64_t Spool::bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->index.bytes();
}

std::uint64_t Spool::dropped_blocks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->dropped;
}

std::uint64_t Spool::duplicate_blocks() const {
  const std::lock_guard lock(state_->mutex);
  return state_->duplicates;
}

std::uint64_t Spool::damaged_bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->damaged;
}

std::chrono::seconds Spool::oldest() const {
  const std::lock_guard lock(state_->mutex);
  return age_of(state_->index.files().front().path);
}

}  // namespace polytrace::collector
