// SPDX-License-Identifier: Apache-2.0
#include "base/io/zip_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/io/cursor.hpp"

namespace polytrace::base {
namespace {

constexpr std::uint32_t kEntry = 0x04034b50;
constexpr std::uint32_t kDescriptor = 0x08074b50;
constexpr std::size_t kEntryHeader = 30;
constexpr std::size_t kZip64End = 12;  // up to what its size counts
constexpr std::size_t kZip64Locator = 20;
constexpr std::size_t kEnd = 22;
constexpr std::size_t kDirectory = 46;
constexpr std::size_t kZipPiece = 64 * 1024;
constexpr std::size_t kShortDescriptor = 12;  // check sum and two sizes
constexpr std::size_t kLongDescriptor = 20;   // with sizes of zip64
constexpr std::uint16_t kZip64 = 1;

struct ZipEntry {
  bool encrypted = false;
  bool sizes_follow = false;
  bool deflated = false;
  bool known_method = false;
  std::uint32_t check_sum = 0;
  std::uint64_t packed = 0;  // bytes
  std::size_t names = 0;     // bytes of name and extra fields behind the header
  std::size_t name = 0;
};

ZipEntry read_entry(Bytes bytes) {
  Cursor in(bytes, 0);
  in.bytes(6);
  const auto flags = in.fixed<std::uint16_t>();
  const auto method = in.fixed<std::uint16_t>();
  in.bytes(4);
  ZipEntry entry;
  entry.encrypted = (flags & 1) != 0;
  entry.sizes_follow = (flags & 8) != 0;
  entry.deflated = method == 8;
  entry.known_method = method == 0 || method == 8;
  entry.check_sum = in.fixed<std::uint32_t>();
  entry.packed = in.fixed<std::uint32_t>();
  in.bytes(4);
  entry.name = in.fixed<std::uint16_t>();
  entry.names = entry.name + in.fixed<std::uint16_t>();
  return entry;
}

// The size that did not fit into 32 bits stands in an extra field, behind the unpacked one.
std::uint64_t long_size(Bytes extra, std::uint64_t size) {
  Cursor in(extra, 0);
  while (size == UINT32_MAX && in.left() >= 4) {
    const auto id = in.fixed<std::uint16_t>();
    const auto length = in.fixed<std::uint16_t>();
    if (id != kZip64) {
      in.bytes(length);
      continue;
    }
    in.fixed<std::uint64_t>();
    return in.fixed<std::uint64_t>();
  }
  return size;
}

std::uint16_t number_at(Bytes bytes, std::size_t at) {
  return load_le<std::uint16_t>(bytes.data() + at);
}

class ZipSource final : public Source {
 public:
  ZipSource(std::unique_ptr<Source> from, ZipEntries entries)
      : from_(std::move(from)), entries_(std::move(entries)) {
    constexpr int kRaw = -15;
    inflateInit2(&stream_, kRaw);
  }
  ~ZipSource() override { inflateEnd(&stream_); }

  result<std::size_t> read(std::span<std::byte> into) override {
    while (!ended_) {
      error_.reset();
      const std::size_t made = in_entry_ ? unpack(into) : next_part();
      if (error_) return Unexpected(*error_);
      if (made > 0) return made;
    }
    return std::size_t{0};
  }
  std::optional<Error> end_fault() const override { return fault_ ? fault_ : left_out_; }
  std::optional<std::uint64_t> stored_size() const override { return from_->stored_size(); }
  std::uint64_t stored_position() const override { return from_->stored_position(); }

 private:
  std::size_t have() const { return size_ - at_; }
  Bytes input() const { return Bytes(piece_).subspan(at_, have()); }

  // Whether `bytes` are there, or at least one when they are not to be had together.
  bool fill(std::size_t bytes) {
    if (have() >= bytes) return true;
    std::copy(piece_.begin() + static_cast<std::ptrdiff_t>(at_),
              piece_.begin() + static_cast<std::ptrdiff_t>(size_), piece_.begin());
    size_ = have();
    at_ = 0;
    const std::size_t before = size_;
    const auto got = read_fully(*from_, std::span(piece_).subspan(before));
    if (!got) return error_ = got.error(), false;
    size_ += *got;
    return have() >= bytes;
  }
  std::size_t end(Code code, const char* why) {
    ended_ = true;
    fault_ = Error{code, {.offset = from_->stored_position() - have()}, why};
    return 0;
  }
  std::size_t cut() {
    return error_ ? std::size_t{0} : end(Code::compressed_truncated, "in a zip entry");
  }

  // Behind the last entry comes the directory, which says nothing new.
  std::size_t next_part() {
    if (!fill(4)) return closed_ && !error_ ? behind() : cut();
    constexpr std::uint32_t kDirectoryMark = 0x02014b50;
    constexpr std::uint32_t kZip64EndMark = 0x06064b50;
    constexpr std::uint32_t kZip64LocatorMark = 0x07064b50;
    constexpr std::uint32_t kEndMark = 0x06054b50;
    switch (load_le<std::uint32_t>(input().data())) {
      case kEntry: return closed_ = false, next_entry();
      case kZip64LocatorMark: return pass(kZip64Locator, [](Bytes) { return 0U; });
      case kDirectoryMark:
        return pass(kDirectory, [](Bytes in) {
          return std::uint64_t{number_at(in, 28)} + number_at(in, 30) + number_at(in, 32);
        });
      case kZip64EndMark:
        return pass(kZip64End, [](Bytes in) { return load_le<std::uint64_t>(&in[4]); });
      case kEndMark: closed_ = true; return pass(kEnd, [](Bytes in) { return number_at(in, 20); });
      default: return behind();
    }
  }
  // `more` tells from the head of a part how long the rest of it is.
  template <class More>
  std::size_t pass(std::size_t head, More more) {
    if (!fill(head)) return cut();
    for (std::uint64_t left = head + std::uint64_t{more(input())}; left > 0;) {
      if (!fill(1)) return cut();
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, have()));
      at_ += count;
      left -= count;
    }
    return 0;
  }
  std::size_t behind() {
    const std::uint64_t offset = from_->stored_position() - have();
    std::uint64_t bytes = 0;
    while (fill(1)) {
      bytes += have();
      at_ = size_;
    }
    if (error_) return 0;
    ended_ = true;
    if (bytes > 0)
      fault_ = Error{
          Code::trailing_bytes, {.offset = offset}, fmt::format("{} behind the zip file", bytes)};
    return 0;
  }

  std::size_t next_entry() {
    if (!fill(kEntryHeader)) return cut();
    entry_ = read_entry(input());
    if (entry_.encrypted) return end(Code::compressed_damaged, "an encrypted zip entry");
    if (!entry_.known_method) return end(Code::compressed_damaged, "a zip entry packed otherwise");
    if (entry_.sizes_follow && !entry_.deflated)
      return end(Code::compressed_damaged, "a stored zip entry without size");
    if (!skip(kEntryHeader)) return cut();
    return begin_entry();
  }
  // Names and extra fields are at most twice 64 KiB.
  std::size_t begin_entry() {
    if (!fill(entry_.name)) return cut();
    name_.assign(reinterpret_cast<const char*>(input().data()), entry_.name);
    name_at_ = from_->stored_position() - have();
    at_ += entry_.name;
    const std::size_t extra = entry_.names - entry_.name;
    if (!fill(extra)) return cut();
    left_ = long_size(input().first(extra), entry_.packed);
    at_ += extra;
    inflateReset(&stream_);
    sum_ = crc32(0, nullptr, 0);
    in_entry_ = true;
    met_content_ = is_left_out_ = false;
    return 0;
  }
  bool skip(std::size_t bytes) {
    if (!fill(bytes)) return false;
    at_ += bytes;
    return true;
  }

  std::size_t unpack(std::span<std::byte> into) {
    if (!entry_.deflated && left_ == 0) return end_entry();
    constexpr std::size_t kTelling = 1024;  // enough to say what an entry is
    if (!fill(met_content_ ? 1 : kTelling) && have() == 0) return cut();
    const std::size_t made = entry_.deflated ? inflate_into(into) : copy_into(into);
    sum_ = crc32(sum_, reinterpret_cast<const Bytef*>(into.data()), static_cast<uInt>(made));
    if (made > 0 && !std::exchange(met_content_, true)) {
      if (entries_.is_read(into.first(made), entries_read_)) ++entries_read_;
      else leave_out();
    }
    return is_left_out_ ? 0 : made;
  }
  void leave_out() {
    is_left_out_ = true;
    if (!left_out_)
      left_out_ = Error{entries_.left_out, {.offset = name_at_}, "a zip entry: " + name_};
  }
  std::size_t copy_into(std::span<std::byte> into) {
    const std::size_t count = std::min({into.size(), have(), static_cast<std::size_t>(left_)});
    std::copy_n(input().begin(), count, into.begin());
    at_ += count;
    left_ -= count;
    return count;
  }
  std::size_t inflate_into(std::span<std::byte> into) {
    if (inflated_) return inflated_ = false, end_entry();
    // zlib's interface is not const-correct and not std::byte.
    stream_.next_in = reinterpret_cast<Bytef*>(piece_.data() + at_);
    stream_.avail_in = static_cast<uInt>(have());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), UINT32_MAX));
    const uInt room = stream_.avail_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    at_ = size_ - stream_.avail_in;
    inflated_ = status == Z_STREAM_END;
    if (!inflated_ && status != Z_OK && status != Z_BUF_ERROR)
      end(Code::compressed_damaged, stream_.msg == nullptr ? "" : stream_.msg);
    return room - stream_.avail_out;
  }

  std::size_t end_entry() {
    in_entry_ = false;
    std::uint32_t told = entry_.check_sum;
    if (entry_.sizes_follow && !read_descriptor(told)) return cut();
    return told == sum_ ? std::size_t{0} : end(Code::compressed_damaged, "zip check sum");
  }
  // Its signature may be missing, and nothing but what follows it tells how long its sizes are.
  bool read_descriptor(std::uint32_t& check_sum) {
    if (!fill(kShortDescriptor)) return false;
    if (load_le<std::uint32_t>(input().data()) == kDescriptor) skip(4);
    fill(kLongDescriptor + 4);
    check_sum = load_le<std::uint32_t>(input().data());
    const bool is_long = !follows(kShortDescriptor) && follows(kLongDescriptor);
    return skip(is_long ? kLongDescriptor : kShortDescriptor);
  }
  // Whether another part of a zip file begins there.
  bool follows(std::size_t at) const {
    return input().size() >= at + 2 && input()[at] == std::byte{'P'} &&
           input()[at + 1] == std::byte{'K'};
  }

  std::unique_ptr<Source> from_;
  ZipEntries entries_;
  std::size_t entries_read_ = 0;
  std::vector<std::byte> piece_ = std::vector<std::byte>(2 * kZipPiece);
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  z_stream stream_{};
  ZipEntry entry_;
  std::uint64_t left_ = 0;  // of a stored entry
  uLong sum_ = 0;
  bool in_entry_ = false;
  bool inflated_ = false;
  bool met_content_ = false;  // of the entry
  bool is_left_out_ = false;
  bool closed_ = false;  // the directory's end was met
  std::string name_;
  std::uint64_t name_at_ = 0;
  bool ended_ = false;
  std::optional<Error> fault_;
  std::optional<Error> left_out_;  // the first entry that is no trace
  std::optional<Error> error_;     // of the source
};

}  // namespace

bool is_zip(Bytes head) {
  return head.size() >= 4 && load_le<std::uint32_t>(head.data()) == kEntry;
}

std::unique_ptr<Source> zip_source(std::unique_ptr<Source> from, ZipEntries entries) {
  return std::make_unique<ZipSource>(std::move(from), std::move(entries));
}

}  // namespace polytrace::base
