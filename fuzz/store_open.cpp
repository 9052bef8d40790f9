// SPDX-License-Identifier: Apache-2.0
// Any bytes as an index: it opens or says why not, its events are read to the end, and every
// question gets an answer or an error. Half of the inputs get the checksums that their frames
// should have, so that the fuzzer gets past these.
#include <cstring>
#include <limits>

#include "base/io/crc32c.hpp"
#include "event/copy.hpp"
#include "store/ask/calls/open_calls.hpp"
#include "store/ask/calls/range_sums.hpp"
#include "store/ask/row_sums.hpp"
#include "store/read/events/store_reader.hpp"
#include "support/require.hpp"

namespace {

using namespace polytrace;

// Writes right checksums where they belong.
class Mender {
 public:
  explicit Mender(std::vector<std::byte>& file) : file_(file) {}

  void mend() {
    if (file_.size() < store::kPageBytes) return;
    sum(0, store::kPageHeadBytes);
    for (const std::uint64_t sequence : {1U, 2U}) {
      const std::uint64_t slot = store::slot_offset(sequence);
      mend_root(number<std::uint64_t>(slot + kRootAt));
      sum(slot, store::kSlotBytes);
    }
  }

 private:
  static constexpr std::uint64_t kRootAt = 8;    // in a slot
  static constexpr std::uint64_t kFrameAt = 40;  // in an entry; its length and sum follow
  static constexpr std::uint64_t kEntryLength = 48;
  static constexpr std::uint64_t kEntrySum = 56;
  static constexpr std::uint64_t kLengthAt = 8;  // in the head of a frame, as the next
  static constexpr std::uint64_t kSumAt = 16;

  bool has(std::uint64_t offset, std::uint64_t count) const {
    return offset <= file_.size() && count <= file_.size() - offset;
  }
  template <class T>
  T number(std::uint64_t offset) const {
    T number{};
    if (has(offset, sizeof number)) std::memcpy(&number, file_.data() + offset, sizeof number);
    return number;
  }
  template <class T>
  void put(std::uint64_t offset, T number) {
    if (has(offset, sizeof number)) std::memcpy(file_.data() + offset, &number, sizeof number);
  }
  std::uint32_t crc(std::uint64_t offset, std::uint64_t count) const {
    return base::crc32c(base::Bytes(file_).subspan(offset, count));
  }
  // Of a record whose last bytes are its sum.
  void sum(std::uint64_t offset, std::uint64_t size) {
    if (has(offset, size)) put(offset + size - 4, crc(offset, size - 4));
  }
  // False: there is no frame.
  bool mend_frame(std::uint64_t offset) {
    if (!has(offset, base::kFrameHeadSize)) return false;
    const auto length = number<std::uint64_t>(offset + kLengthAt);
    if (!has(offset + base::kFrameHeadSize, length)) return false;
    put(offset + kSumAt, crc(offset + base::kFrameHeadSize, length));
    sum(offset, base::kFrameHeadSize);
    return true;
  }
  void mend_root(std::uint64_t offset) {
    constexpr std::uint32_t kMostDirectories = 16;
    const std::uint64_t payload = offset + base::kFrameHeadSize;
    if (!has(offset, base::kFrameHeadSize)) return;
    const auto count = std::min(number<std::uint32_t>(payload), kMostDirectories);
    for (std::uint64_t i = 0; i < count; ++i)
      mend_directory(number<std::uint64_t>(payload + 4 + 8 * i));
    mend_frame(offset);
  }
  void mend_directory(std::uint64_t offset) {
    if (!has(offset, base::kFrameHeadSize)) return;
    const auto length = number<std::uint64_t>(offset + kLengthAt);
    const std::uint64_t begin = offset + base::kFrameHeadSize;
    if (!has(begin, length)) return;
    for (std::uint64_t at = begin; at + store::kEntryBytes <= begin + length;
         at += store::kEntryBytes) {
      const auto frame = number<std::uint64_t>(at + kFrameAt);
      if (!mend_frame(frame)) continue;
      put(at + kEntryLength, number<std::uint64_t>(frame + kLengthAt));
      put(at + kEntrySum, number<std::uint32_t>(frame + kSumAt));
    }
    mend_frame(offset);
  }

  std::vector<std::byte>& file_;
};

void read_all(std::shared_ptr<const store::IndexFrames> frames) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  store::StoreReader reader(std::move(frames), kMostBytes);
  event::Batch batch;
  event::Batch copy;
  for (auto more = reader.next(batch); more && *more; more = reader.next(batch)) {
    fuzz::require(batch.events.size() <= store::kOrderedEvents);
    copy.clear();
    for (const event::Event& event : batch.events) event::copy_event(batch, event, copy);
  }
}

void ask(const store::IndexFrames& frames) {
  using base::Time;
  const store::Totals& totals = frames.view().totals();
  const Time middle = totals.first / 2 + totals.last / 2;
  for (const store::Range& range : {store::Range{}, store::Range{totals.first, middle}}) {
    if (const auto sums = store::range_sums(frames, range)) (void)sums->methods(frames.paths());
    for (const store::SumKind kind : store::kSumKinds) (void)store::row_sums(frames, kind, range);
  }
  constexpr std::uint32_t kMostThreads = 16;
  for (std::uint32_t thread = 0; thread < std::min(frames.threads(), kMostThreads); ++thread)
    for (const Time at : {totals.first, middle, std::numeric_limits<Time>::max()})
      (void)store::open_calls(frames, thread, at);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto file = fuzz::bytes_of(data, size);
  if (size % 2 == 0) Mender(file).mend();
  auto view = store::IndexView::open(base::Image::of(std::move(file)));
  if (!view) return 0;
  for (std::size_t entry = 0; entry < (*view)->entries().size(); ++entry) {
    base::RawArray<std::byte> room;
    (void)(*view)->payload(entry, room);
  }
  const auto frames = store::IndexFrames::open(std::move(*view));
  if (!frames) return 0;
  read_all(*frames);
  ask(**frames);
  return 0;
}
