// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/gather/happening_sorter.hpp"

namespace polytrace::analysis {
namespace {

constexpr std::size_t kLeastBytes = std::size_t{64} << 10;
constexpr std::size_t kFirstHeld = 4096;
constexpr std::size_t kWritten = std::size_t{64} << 10;  // at once
constexpr std::size_t kLongest = 64;                     // a packed happening, at most
constexpr std::size_t kLeastRoom = 4096;
constexpr std::size_t kMostRoom = std::size_t{64} << 10;

// Which fields follow: those that are 0 do not, threads and indexes count from kNothing = 0.
enum Told : unsigned { kThread = 1, kIndex = 2, kA = 4, kB = 8, kDetail = 16 };

// What changes little from one to the next is told as a difference.
void pack(base::Appender& out, const Happening& h, const Happening& before) {
  const std::uint32_t thread = h.thread + 1;
  const std::uint32_t index = h.index + 1;
  unsigned told = 0;
  if (h.thread != before.thread) told |= kThread;
  if (index != 0) told |= kIndex;
  if (h.a != 0) told |= kA;
  if (h.b != 0) told |= kB;
  if (h.detail != 0) told |= kDetail;
  out.byte(static_cast<std::uint8_t>(h.what));
  out.byte(static_cast<std::uint8_t>(told));
  out.uleb(static_cast<std::uint64_t>(h.time) - static_cast<std::uint64_t>(before.time));
  if ((told & kThread) != 0) out.uleb(thread);
  if ((told & kIndex) != 0) out.uleb(index);
  if ((told & kA) != 0) out.uleb(h.a);
  if ((told & kB) != 0) out.uleb(h.b);
  if ((told & kDetail) != 0) out.byte(h.detail);
}

}  // namespace

HappeningSorter::HappeningSorter(std::size_t most_bytes)
    : most_held_(std::max(most_bytes, kLeastBytes) / sizeof(Happening)),
      grown_(std::min(most_held_, kFirstHeld)) {}

// From the first room to all of it at once: memory is touched only when it is used, while doubling
// would need half as much again.
void HappeningSorter::make_room() {
  if (grown_ == most_held_) return spill();
  grown_ = most_held_;
  held_.room(most_held_ - held_.size());
}

std::vector<HappeningSorter::Piece> HappeningSorter::pieces() const {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::size_t end = i + 1 < pieces_.size() ? pieces_[i + 1] : held_.size();
    out.emplace_back(held_.begin() + pieces_[i], held_.begin() + end);
  }
  return out;
}

void HappeningSorter::spill() {
  if (held_.empty()) return;
  Happening before;
  auto sources = pieces();
  merge_sorted(sources, [&](const Happening& h) {
    pack(packed_, h, before);
    before = h;
    if (packed_.size() >= kWritten) write();
    return !error_;
  });
  write();
  ends_.push_back(file_.size());
  spilled_ += held_.size();
  held_.clear();
  pieces_.clear();
}

void HappeningSorter::write() {
  if (auto put = file_.append(packed_.view()); !put && !error_) error_ = put.error();
  packed_.clear();
}

std::vector<HappeningSorter::Run> HappeningSorter::runs() {
  const std::size_t share = most_held_ * sizeof(Happening) / 2 / ends_.size();
  const std::size_t room = std::clamp(share, kLeastRoom, kMostRoom);
  std::vector<Run> out;
  out.reserve(ends_.size());
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends_) {
    Run& run = out.emplace_back(file_, begin, end, room, error_);
    if (!run.next()) out.pop_back();
    begin = end;
  }
  return out;
}

HappeningSorter::Run::Run(const history::ScratchFile& file, std::uint64_t begin, std::uint64_t end,
                          std::size_t room, std::optional<base::Error>& error)
    : file_(&file), next_(begin), end_(end), bytes_(room), error_(&error) {}

void HappeningSorter::Run::refill() {
  std::copy(bytes_.begin() + static_cast<std::ptrdiff_t>(at_),
            bytes_.begin() + static_cast<std::ptrdiff_t>(have_), bytes_.begin());
  have_ -= at_;
  at_ = 0;
  const auto more =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes_.size() - have_, end_ - next_));
  if (auto read = file_->read(next_, std::span(bytes_).subspan(have_, more)); !read)
    *error_ = read.error();
  have_ += more;
  next_ += more;
}

// Only what pack() wrote is read here.
std::uint64_t HappeningSorter::Run::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

bool HappeningSorter::Run::next() {
  if (have_ - at_ < kLongest && next_ != end_) refill();
  if (at_ == have_ || *error_) return false;
  head_.what = static_cast<What>(bytes_[at_]);
  const auto told = static_cast<unsigned>(bytes_[at_ + 1]);
  at_ += 2;
  head_.time = static_cast<base::Time>(static_cast<std::uint64_t>(head_.time) + number());
  if ((told & kThread) != 0) head_.thread = static_cast<std::uint32_t>(number()) - 1;
  head_.index = (told & kIndex) != 0 ? static_cast<std::uint32_t>(number()) - 1 : kNothing;
  head_.a = (told & kA) != 0 ? number() : 0;
  head_.b = (told & kB) != 0 ? number() : 0;
  head_.detail = (told & kDetail) != 0 ? static_cast<std::uint8_t>(bytes_[at_++]) : 0;
  return true;
}

}  // namespace polytrace::analysis
