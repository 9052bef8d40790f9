// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/outbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <mutex>

#include "base/codes.hpp"
#include "base/frames/image.hpp"
#include "collector/keep/append_file.hpp"
#include "collector/keep/packed_block.hpp"

namespace polytrace::collector {
namespace {

using base::Code;

// Entries that are looked at for others like the first.
constexpr std::size_t kMostLooks = 4096;

std::uint64_t likeness_of(const Block& block) {
  const std::size_t hash = std::hash<std::string>()(
      fmt::format("{}/{}/{}/{}", block.table, block.columns, block.database, block.day));
  return std::max<std::uint64_t>(hash, 1);
}

bool are_alike(const Block& one, const Block& other) {
  return one.table == other.table && one.columns == other.columns &&
         one.database == other.database && one.day == other.day;
}

constexpr NumberedFiles kFiles{"rows-", ".batches"};

}  // namespace

struct Outbox::State {
  // A file is named after its first batch: so the next number is known even when none waits.
  struct Entry {
    std::uint64_t at = 0;  // of its packed bytes
    std::uint32_t length = 0;
    std::uint32_t shard = 0;
    bool sent = false;
    bool taken = false;
    bool aside = false;

    bool is_aside() const { return aside && !sent; }
    // What it is, so that it is unpacked once, when its turn comes: of its table, columns, database
    // and day, 0: not known yet; how many bytes its rows are.
    std::uint64_t likeness = 0;
    std::uint64_t size = 0;

    void is(const Block& block, std::uint64_t row_bytes) {
      likeness = likeness_of(block);
      size = row_bytes;
    }
  };
  struct File {
    std::filesystem::path path{};
    std::uint64_t first = 0;
    AppendFile file{};
    std::deque<Entry> entries{};
    std::uint64_t unsent = 0;

    std::uint64_t end() const { return first + entries.size(); }
    Entry& add(std::uint64_t at, std::size_t length, std::uint64_t shard) {
      ++unsent;
      return entries.emplace_back(
          Entry{at, static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(shard)});
    }
  };

  explicit State(OutboxOptions asked) : options(std::move(asked)) {}

  base::result<void> find();
  base::result<void> read(const NumberedFiles::Found& found);
  base::result<void> begin_file(std::uint64_t first);
  base::result<void> make_room(std::uint64_t more);
  base::result<void> sync_newest();
  base::result<void> look_at(File& file, Entry& entry);
  base::result<std::optional<Batch>> load(File& file, std::uint64_t number);
  template <class Visit>
  base::result<void> visit(OfShard of, const Visit& visit);
  Entry* entry_of(std::uint64_t number);
  void drop_sent();
  std::uint64_t bytes() const;
  bool is_over(double share) const;

  OutboxOptions options;
  std::mutex turn;
  mutable std::mutex mutex;  // guards all that follows
  std::deque<File> files{};
  std::uint64_t synced = 0;      // bytes of the newest one
  std::uint64_t synced_to = 0;   // the first number that is not
  std::uint64_t begun_with = 0;  // the first number that this gave
  mutable std::uint64_t damaged = 0;
};

Outbox::Outbox(std::unique_ptr<State> state) : state_(std::move(state)) {}
Outbox::Outbox(Outbox&&) noexcept = default;
Outbox& Outbox::operator=(Outbox&&) noexcept = default;
Outbox::~Outbox() = default;

base::result<Outbox> Outbox::open(OutboxOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  if (auto done = state->find(); !done) return base::Unexpected(done.error());
  return Outbox(std::move(state));
}

base::result<void> Outbox::State::find() {
  const auto found = kFiles.find(options.folder);
  if (!found) return base::Unexpected(found.error());
  for (const auto& file : *found)
    if (auto done = read(file); !done) return done;
  if (files.empty())
    if (auto done = begin_file(0); !done) return done;
  synced = files.back().file.size();
  synced_to = begun_with = files.back().end();
  drop_sent();
  return {};
}

// A batch that is damaged keeps its number.
base::result<void> Outbox::State::read(const NumberedFiles::Found& found) {
  const auto image = base::Image::map(found.path);
  if (!image) return base::Unexpected(image.error());
  auto file = AppendFile::open(found.path);
  if (!file) return base::Unexpected(file.error());
  File& known = files.emplace_back();
  known.path = found.path;
  known.first = found.number;
  known.file = std::move(*file);
  Records records(image->bytes());
  while (records.next()) {
    const std::uint64_t number = records.head().key;
    if (number < known.end()) continue;
    if (number - known.end() > image->bytes().size()) continue;  // no such many fit
    for (; known.end() < number; ++damaged) known.entries.push_back({.sent = true});
    known.add(records.offset() + sizeof(RecordHead), records.payload().size(),
              records.head().place);
  }
  return known.file.cut(records.end());
}

base::result<void> Outbox::State::begin_file(std::uint64_t first) {
  const auto path = kFiles.path(options.folder, first);
  auto file = AppendFile::open(path);
  if (!file) return base::fail(Code::write_failed, file.error().detail);
  sync_folder(options.folder);
  File& known = files.emplace_back();
  known.path = path;
  known.first = first;
  known.file = std::move(*file);
  synced = 0;
  return {};
}

std::uint64_t Outbox::State::bytes() const {
  std::uint64_t all = 0;
  for (const File& file : files) all += file.file.size();
  return all;
}

// The newest file stays: it tells the next number.
void Outbox::State::drop_sent() {
  std::erase_if(files, [&](const File& file) {
    if (file.unsent != 0 || &file == &files.back()) return false;
    std::error_code fault;
    std::filesystem::remove(file.path, fault);
    return true;
  });
}

base::result<void> Outbox::State::sync_newest() {
  File& newest = files.back();
  if (synced == newest.file.size()) return {};
  if (auto done = newest.file.sync(); !done) {
    static_cast<void>(newest.file.cut(synced));
    while (newest.end() > synced_to) {
      newest.entries.pop_back();
      --newest.unsent;
    }
    return done;
  }
  synced = newest.file.size();
  synced_to = newest.end();
  return {};
}

base::result<void> Outbox::State::make_room(std::uint64_t more) {
  const State::File& newest = files.back();
  const bool all_sent = newest.unsent == 0 && !newest.entries.empty();
  if (newest.file.size() < options.file_bytes && !(all_sent && bytes() + more > options.bytes))
    return {};
  if (auto done = sync_newest(); !done) return done;
  if (auto done = begin_file(files.back().end()); !done) return done;
  drop_sent();
  return {};
}

std::unique_lock<std::mutex> Outbox::turn() { return std::unique_lock(state_->turn); }

base::result<std::uint64_t> Outbox::append(const Block& block) {
  const std::vector<std::byte> packed = pack(block);
  if (packed.empty()) return base::fail(Code::limit_exceeded, "the batch is too large");
  const std::lock_guard lock(state_->mutex);
  if (auto done = state_->make_room(packed.size()); !done) return base::Unexpected(done.error());
  if (state_->bytes() + packed.size() > state_->options.bytes)
    return base::fail(Code::limit_exceeded, "the outbox is full");
  State::File& newest = state_->files.back();
  const std::uint64_t number = newest.end();
  const RecordHead head = record_head(number, block.shard, packed.size());
  const base::Bytes parts[] = {std::as_bytes(std::span(&head, 1)), packed};
  const std::uint64_t at = newest.file.size() + sizeof head;
  if (auto done = newest.file.append(parts); !done) return base::Unexpected(done.error());
  newest.add(at, packed.size(), block.shard).is(block, block.bytes.size());
  return number;
}

base::result<void> Outbox::sync() {
  const std::lock_guard lock(state_->mutex);
  return state_->sync_newest();
}

// What was there before this began. An earlier version's is known when it is loaded.
base::result<void> Outbox::State::look_at(File& file, Entry& entry) {
  if (entry.likeness != 0) return {};
  std::array<std::byte, kEnoughForLook> first;
  const auto some = std::span(first).first(std::min<std::size_t>(entry.length, first.size()));
  if (auto done = file.file.read(entry.at, some); !done) return done;
  if (const auto look = look_at_packed(some)) entry.is(look->block, look->row_bytes);
  return {};
}

// Nothing: it is damaged, which is counted.
base::result<std::optional<Outbox::Batch>> Outbox::State::load(File& file, std::uint64_t number) {
  Entry& entry = file.entries[number - file.first];
  std::vector<std::byte> packed(entry.length);
  if (auto done = file.file.read(entry.at, packed); !done) return base::Unexpected(done.error());
  auto block = unpack(packed);
  if (!block) {
    ++damaged;
    entry.sent = true;
    --file.unsent;
    return std::nullopt;
  }
  block->shard = entry.shard;
  entry.is(*block, block->bytes.size());
  return Batch{number, std::move(*block), number < begun_with, std::move(packed)};
}

// visit(file, entry, number) of each that may be sent, in order, while it gives true.
template <class Visit>
base::result<void> Outbox::State::visit(OfShard of, const Visit& visit) {
  for (File& file : files) {
    if (file.unsent == 0) continue;
    for (std::uint64_t number = file.first; number < std::min(file.end(), synced_to); ++number) {
      Entry& entry = file.entries[number - file.first];
      if (entry.sent || entry.aside || !of.has(entry.shard)) continue;
      const base::result<bool> more = visit(file, entry, number);
      if (!more) return base::Unexpected(more.error());
      if (!*more) return {};
    }
  }
  return {};
}

base::result<std::vector<Outbox::Batch>> Outbox::take_alike(OfShard of, std::size_t most_bytes) {
  const std::lock_guard lock(state_->mutex);
  std::vector<Batch> found;
  std::uint64_t likeness = 0;
  std::size_t bytes = 0;
  std::size_t looks = 0;
  bool is_first = true;  // of all that were not sent
  const auto look = [&](State::File& file, State::Entry& entry,
                        std::uint64_t number) -> base::result<bool> {
    if (++looks > kMostLooks) return false;
    const bool is_oldest = std::exchange(is_first, false);
    const bool goes_by = !found.empty() && !is_position(found.front().block);
    if (entry.taken) return goes_by || found.empty();
    if (!found.empty()) {
      if (auto done = state_->look_at(file, entry); !done) return base::Unexpected(done.error());
      if (entry.likeness != 0 && entry.likeness != likeness) return goes_by;
      if (bytes + entry.size > most_bytes) return false;
    }
    auto batch = state_->load(file, number);
    if (!batch) return base::Unexpected(batch.error());
    if (!*batch) return true;
    if (found.empty() && !is_oldest && is_position((*batch)->block)) return true;
    if (!found.empty() && !are_alike((*batch)->block, found.front().block)) return goes_by;
    bytes += (*batch)->block.bytes.size();
    if (!found.empty() && bytes > most_bytes) return false;
    likeness = entry.likeness;
    entry.taken = true;
    found.push_back(std::move(**batch));
    return most_bytes != 0;
  };
  if (auto visited = state_->visit(of, look); !visited) return base::Unexpected(visited.error());
  return found;
}

Outbox::State::Entry* Outbox::State::entry_of(std::uint64_t number) {
  for (File& file : files)
    if (number >= file.first && number < file.end()) return &file.entries[number - file.first];
  return nullptr;
}

void Outbox::give_back(std::uint64_t number) {
  const std::lock_guard lock(state_->mutex);
  if (State::Entry* const entry = state_->entry_of(number)) entry->taken = false;
}

void Outbox::set_aside(std::uint64_t number) {
  const std::lock_guard lock(state_->mutex);
  State::Entry* const entry = state_->entry_of(number);
  if (entry == nullptr) return;
  entry->taken = false;
  entry->aside = true;
}

std::uint64_t Outbox::take_up(OfShard of) {
  const std::lock_guard lock(state_->mutex);
  std::uint64_t count = 0;
  for (State::File& file : state_->files)
    for (State::Entry& entry : file.entries)
      if (of.has(entry.shard) && entry.is_aside()) ++count, entry.aside = false;
  return count;
}

bool Outbox::has_aside(OfShard of) const {
  const std::lock_guard lock(state_->mutex);
  for (const State::File& file : state_->files)
    if (file.unsent != 0 && std::ranges::any_of(file.entries, [&](const State::Entry& entry) {
          return of.has(entry.shard) && entry.is_aside();
        }))
      return true;
  return false;
}

void Outbox::sent(std::uint64_t number) {
  const std::lock_guard lock(state_->mutex);
  for (State::File& file : state_->files) {
    if (number < file.first || number >= file.end()) continue;
    State::Entry& entry = file.entries[number - file.first];
    file.unsent -= !entry.sent;
    entry.sent = true;
  }
  state_->drop_sent();
}

std::uint64_t Outbox::bytes() const {
  const std::lock_guard lock(state_->mutex);
  return state_->bytes();
}

std::uint64_t Outbox::waiting(OfShard of) const {
  const std::lock_guard lock(state_->mutex);
  std::uint64_t all = 0;
  for (const State::File& file : state_->files) {
    if (of.shards == 1) all += file.unsent;
    else if (file.unsent != 0)
      for (const State::Entry& entry : file.entries) all += !entry.sent && of.has(entry.shard);
  }
  return all;
}

std::uint64_t Outbox::end() const {
  const std::lock_guard lock(state_->mutex);
  return state_->files.back().end();
}

std::uint64_t Outbox::first_waiting() const {
  const std::lock_guard lock(state_->mutex);
  for (const State::File& file : state_->files) {
    if (file.unsent == 0) continue;
    const auto waits = [](const State::Entry& entry) { return !entry.sent && !entry.aside; };
    const auto found = std::ranges::find_if(file.entries, waits);
    if (found != file.entries.end())
      return file.first + static_cast<std::uint64_t>(found - file.entries.begin());
  }
  return state_->files.back().end();
}

// Of the bytes that it may have.
bool Outbox::State::is_over(double share) const {
  const std::lock_guard lock(mutex);
  return static_cast<double>(bytes()) > share * static_cast<double>(options.bytes);
}

bool Outbox::over_high() const { return state_->is_over(state_->options.high); }
bool Outbox::over_most() const { return state_->is_over((1 + state_->options.high) / 2); }

std::uint64_t Outbox::damaged() const {
  const std::lock_guard lock(state_->mutex);
  return state_->damaged;
}

}  // namespace polytrace::collector
