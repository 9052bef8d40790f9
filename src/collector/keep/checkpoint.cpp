// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/checkpoint.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "base/codes.hpp"
#include "base/frames/image.hpp"
#include "base/io/appender.hpp"
#include "base/io/crc32c.hpp"
#include "base/io/cursor.hpp"
#include "collector/keep/append_file.hpp"

namespace polytrace::collector {
namespace {

using base::Code;

constexpr std::uint64_t kStateMagic = 0x0a3154504b434554;  // "TECKPT1" 0a
constexpr NumberedFiles kStates{"", ".state"};
constexpr NumberedFiles kDefinitions{"", ".definitions"};
constexpr std::string_view kJournal = "closings";
constexpr std::uint64_t kJournalBytes = std::uint64_t{1} << 20;  // more is worth writing it anew

// What a closing says besides its head.
struct ClosingBody {
  base::Time until = 0;
  std::uint32_t crc = 0;  // of the time, after the head
  std::uint32_t reserved = 0;
};

std::uint32_t body_crc(const RecordHead& head, base::Time until) {
  return base::crc32c(std::as_bytes(std::span(&until, 1)),
                      base::crc32c(std::as_bytes(std::span(&head, 1))));
}

void append_closing(base::Appender& out, std::uint64_t stream, const Closing& closing) {
  const RecordHead head = record_head(stream, closing.block, sizeof(ClosingBody));
  out.fixed(head);
  out.fixed(ClosingBody{closing.until, body_crc(head, closing.until)});
}

std::vector<std::byte> state_file(const Saved& saved) {
  base::Appender out;
  out.fixed(kStateMagic);
  out.fixed(saved.done);
  out.fixed(saved.offset);
  out.fixed(saved.definitions);
  out.bytes(saved.state);
  out.fixed(base::crc32c(out.view()));
  return {out.view().begin(), out.view().end()};
}

std::optional<Saved> read_state(base::Bytes bytes) {
  std::uint32_t crc = 0;
  if (bytes.size() < sizeof crc) return std::nullopt;
  const base::Bytes body = bytes.first(bytes.size() - sizeof crc);
  base::Cursor in(body, 0);
  Saved saved;
  const bool known = in.fixed<std::uint64_t>() == kStateMagic;
  saved.done = in.fixed<std::uint64_t>();
  saved.offset = in.fixed<std::uint64_t>();
  saved.definitions = in.fixed<std::uint64_t>();
  crc = base::load_le<std::uint32_t>(bytes.data() + body.size());
  if (!known || !in.ok() || base::crc32c(body) != crc) return std::nullopt;
  const base::Bytes state = in.bytes(in.left());
  saved.state.assign(state.begin(), state.end());
  return saved;
}

}  // namespace

struct Checkpoint::State {
  base::result<void> read_journal();
  base::result<void> write_journal();

  std::filesystem::path folder;
  mutable std::mutex mutex;  // guards what follows
  std::set<std::uint64_t> kept{};
  std::map<std::uint64_t, std::vector<Closing>> closings{};  // by stream
  AppendFile journal{};
  std::uint64_t lean = 0;  // bytes of the journal when it was written anew
  std::uint64_t synced = 0;
  mutable std::uint64_t damaged = 0;
};

Checkpoint::Checkpoint(std::unique_ptr<State> state) : state_(std::move(state)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

base::result<Checkpoint> Checkpoint::open(std::filesystem::path folder) {
  const auto found = kStates.find(folder);
  if (!found) return base::Unexpected(found.error());
  auto state = std::make_unique<State>();
  state->folder = std::move(folder);
  for (const auto& file : *found) state->kept.insert(file.number);
  if (auto done = state->read_journal(); !done) return base::Unexpected(done.error());
  return Checkpoint(std::move(state));
}

base::result<void> Checkpoint::State::read_journal() {
  const auto path = folder / kJournal;
  std::error_code fault;
  if (std::filesystem::exists(path, fault)) {
    const auto image = base::Image::map(path);
    if (!image) return base::Unexpected(image.error());
    Records records(image->bytes());
    while (records.next()) {
      if (records.payload().size() != sizeof(ClosingBody)) continue;
      const auto body = base::load_le<ClosingBody>(records.payload().data());
      if (body.crc == body_crc(records.head(), body.until))
        closings[records.head().key].push_back({records.head().place, body.until});
    }
  }
  return write_journal();
}

base::result<void> Checkpoint::State::write_journal() {
  base::Appender all;
  for (const auto& [stream, of] : closings)
    for (const Closing& closing : of) append_closing(all, stream, closing);
  const auto path = folder / kJournal;
  if (auto done = replace_file(path, all.view()); !done) return done;
  auto file = AppendFile::open(path);
  if (!file) return base::Unexpected(file.error());
  journal = std::move(*file);
  synced = lean = journal.size();
  return {};
}

base::result<void> Checkpoint::keep(std::uint64_t stream, const Saved& saved) {
  if (saved.definitions != 0) {
    auto file = AppendFile::open(kDefinitions.path(state_->folder, stream));
    if (!file) return base::fail(Code::write_failed, file.error().detail);
    if (auto done = file->sync(); !done) return done;
  }
  if (auto done = replace_file(kStates.path(state_->folder, stream), state_file(saved)); !done)
    return done;
  const std::lock_guard lock(state_->mutex);
  state_->kept.insert(stream);
  const auto of = state_->closings.find(stream);
  if (of == state_->closings.end()) return {};
  std::erase_if(of->second, [&](const Closing& closing) { return closing.block < saved.done; });
  if (of->second.empty()) state_->closings.erase(of);
  return {};
}

base::result<void> Checkpoint::adopt(std::uint64_t stream, const Saved& saved) {
  base::result<void> done;
  for (const Closing& closing : saved.closings)
    if (done) done = note(stream, closing);
  if (done) done = sync();
  if (done) done = keep(stream, saved);
  if (!done) forget(stream);
  return done;
}

base::result<void> Checkpoint::define(std::uint64_t stream, std::uint64_t offset,
                                      base::Bytes bytes) {
  auto file = AppendFile::open(kDefinitions.path(state_->folder, stream));
  if (!file) return base::fail(Code::write_failed, file.error().detail);
  return file->write(offset, bytes);
}

base::result<void> Checkpoint::note(std::uint64_t stream, const Closing& closing) {
  base::Appender record;
  append_closing(record, stream, closing);
  const base::Bytes parts[] = {record.view()};
  const std::lock_guard lock(state_->mutex);
  if (auto done = state_->journal.append(parts); !done) return done;
  state_->closings[stream].push_back(closing);
  return {};
}

base::result<void> Checkpoint::sync() {
  const std::lock_guard lock(state_->mutex);
  if (state_->journal.size() > state_->lean + kJournalBytes) return state_->write_journal();
  if (state_->journal.size() == state_->synced) return {};
  if (auto done = state_->journal.sync(); !done) return done;
  state_->synced = state_->journal.size();
  return {};
}

base::result<std::optional<Checkpoint::Known>> Checkpoint::load(std::uint64_t stream) const {
  Known known;
  bool has_state = false;
  {
    const std::lock_guard lock(state_->mutex);
    has_state = state_->kept.contains(stream);
    const auto of = state_->closings.find(stream);
    if (of != state_->closings.end()) known.closings = of->second;
  }
  if (!has_state && known.closings.empty()) return std::nullopt;
  if (!has_state) return known;
  const auto image = base::Image::map(kStates.path(state_->folder, stream));
  auto saved = image ? read_state(image->bytes()) : std::nullopt;
  if (saved) {
    const auto file = AppendFile::open(kDefinitions.path(state_->folder, stream));
    if (!file) return base::Unexpected(file.error());
    if (saved->definitions <= file->size()) known.definitions.resize(saved->definitions);
    if (known.definitions.size() != saved->definitions || !file->read(0, known.definitions))
      saved.reset();
  }
  if (!saved) {
    const std::lock_guard lock(state_->mutex);
    ++state_->damaged;
    return std::nullopt;
  }
  known.saved = std::move(*saved);
  std::erase_if(known.closings, [&](const Closing& at) { return at.block < known.saved.done; });
  return known;
}

std::vector<std::uint64_t> Checkpoint::streams() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->kept.begin(), state_->kept.end()};
}

bool Checkpoint::has(std::uint64_t stream) const {
  const std::lock_guard lock(state_->mutex);
  return state_->kept.contains(stream);
}

std::filesystem::path Checkpoint::definitions_path(const std::filesystem::path& folder,
                                                   std::uint64_t stream) {
  return kDefinitions.path(folder, stream);
}

void Checkpoint::forget(std::uint64_t stream) {
  const std::lock_guard lock(state_->mutex);
  std::error_code fault;
  std::filesystem::remove(kStates.path(state_->folder, stream), fault);
  std::filesystem::remove(kDefinitions.path(state_->folder, stream), fault);
  state_->kept.erase(stream);
  state_->closings.erase(stream);
}

std::uint64_t Checkpoint::damaged() const {
  const std::lock_guard lock(state_->mutex);
  return state_->damaged;
}

}  // namespace polytrace::collector
