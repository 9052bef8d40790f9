// SPDX-License-Identifier: Apache-2.0
#include "format/native/segments.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "base/codes.hpp"

namespace polytrace::format::native {
namespace {

using base::Code;

constexpr std::uint64_t kMostUnits = (std::uint64_t{16} << 20) / kUnit;  // of one segment
constexpr std::size_t kBlock = 64 * 1024;                                // of payload

bool is_segment(const SegmentHeader& header, std::uint64_t units_left) {
  return header.mark == kSegmentMark && header.units != 0 && header.units <= units_left &&
         header.units <= kMostUnits;
}

bool holds_events(const SegmentHeader& header) {
  return header.state >= SegmentState::open && header.state <= SegmentState::written &&
         (header.content == SegmentContent::words || header.content == SegmentContent::records);
}

// Definitions first: what the other events name.
auto place_of(const SegmentHeader& header) {
  return std::tuple(header.content != SegmentContent::records, header.thread, header.number);
}

}  // namespace

base::result<std::unique_ptr<Segments>> Segments::open(const std::string& path,
                                                       std::uint64_t stream,
                                                       const SegmentsTaken& taken) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return base::system_fault(Code::open_failed);
  std::unique_ptr<Segments> segments(new Segments(file));
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return base::fail(Code::open_failed, "it is no regular file");
  segments->size_ = static_cast<std::uint64_t>(status.st_size);
  SegmentsHeader header;
  if (!segments->read_at(0, &header, sizeof header) || header.magic != kSegmentsMagic ||
      header.major != kMajor)
    return base::fail(Code::not_recognised, "it is no segment file");
  if (header.stream != stream)
    return base::fail(Code::not_recognised, "it is the segment file of another stream");
  segments->find(taken);
  return segments;
}

Segments::~Segments() { close(file_); }

bool Segments::read_at(std::uint64_t offset, void* into, std::size_t size) const {
  auto* at = static_cast<std::byte*>(into);
  while (size != 0) {
    const ssize_t got = pread(file_, at, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// The first unit from there on that is not known to be all zeros: most of the file is never used.
std::uint64_t Segments::next_data(std::uint64_t offset) const {
  const off_t data = lseek(file_, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? size_ : offset;
  return std::max(offset, static_cast<std::uint64_t>(data) / kUnit * kUnit);
}

void Segments::find(const SegmentsTaken& taken) {
  std::uint64_t at = kUnit;
  while ((at = next_data(at)) + kUnit <= size_) {
    Found found{.header = {}, .offset = at};
    if (!read_at(at, &found.header, sizeof found.header)) break;
    const bool segment = is_segment(found.header, (size_ - at) / kUnit);
    if (!segment && found.header.mark == kSegmentMark) ++damaged_;
    at += segment ? found.header.units * kUnit : kUnit;
    if (!segment || !holds_events(found.header)) continue;
    found.taken = taken.of(found.header);
    if (found.taken != SegmentsTaken::kAll) found_.push_back(found);
  }
  std::ranges::sort(found_, {}, [](const Found& found) { return place_of(found.header); });
  const auto again =
      std::ranges::unique(found_, {}, [](const Found& found) { return place_of(found.header); });
  damaged_ += again.size();
  found_.erase(again.begin(), again.end());
}

bool Segments::open_next() {
  if (next_ == found_.size()) return false;
  const Found& found = found_[next_++];
  const SegmentHeader& header = found.header;
  const std::size_t bytes = header.units * kUnit - sizeof header;
  content_.resize(bytes / sizeof(std::uint64_t));
  if (!read_at(found.offset + sizeof header, content_.data(), bytes)) content_.clear();
  kind_ = header.content;
  number_ = header.number | (kind_ == SegmentContent::records ? kFromRecords : 0);
  words_ = {};
  records_ = {};
  if (content_.empty() || (kind_ == SegmentContent::records && header.bytes > bytes)) {
    ++damaged_;
  } else if (kind_ == SegmentContent::records) {
    records_ = SegmentRecords(reinterpret_cast<const std::byte*>(content_.data()), header.base_tick,
                              header.thread);
    records_.set_complete(header.bytes);
    records_.skip_to(found.taken);
  } else {
    words_ = SegmentWords(content_.data(), static_cast<std::uint32_t>(content_.size()),
                          header.base_tick, header.thread);
    words_.skip_to(found.taken);
  }
  return true;
}

bool Segments::next(base::RawArray<std::byte>& block) {
  do {
    const bool records = kind_ == SegmentContent::records;
    if (records ? encode(records_, block) : encode(words_, block)) return true;
    if (records ? records_.damaged() : words_.damaged()) ++damaged_;
  } while (open_next());
  return false;
}

template <class Content>
bool Segments::encode(Content& content, base::RawArray<std::byte>& block) {
  BlockHeader header;
  for (std::size_t size = kBlock; size <= kMaxPayload && content.ready(); size *= 2) {
    block.clear();
    std::byte* const at = block.room(sizeof header + size);
    encoder_->begin(at + sizeof header, size, content.next_tick(), content.owner());
    header.words_before = content.taken();
    content.move_to(*encoder_);
    if (encoder_->empty()) continue;
    encoder_->describe(header);
    header.segment = number_;
    header.words_after = content.taken();
    std::memcpy(at, &header, sizeof header);
    block.grew_to(at + sizeof header + header.length);
    events_ += header.events;
    return true;
  }
  return false;
}

}  // namespace polytrace::format::native
