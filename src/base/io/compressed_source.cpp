// SPDX-License-Identifier: Apache-2.0
#include "base/io/compressed_source.hpp"

#include <zlib.h>
#include <zstd.h>

#include <array>

#include "base/codes.hpp"

namespace polytrace::base {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

// The part both decompressors share: refill the input piece, keep how the stream ended.
class DecompressingSource : public Source {
 public:
  explicit DecompressingSource(std::unique_ptr<Source> from) : from_(std::move(from)) {}

  result<std::size_t> read(std::span<std::byte> into) final {
    while (!ended_) {
      if (const auto filled = refill(); !filled) return Unexpected(filled.error());
      const std::size_t made = step(into);
      if (made > 0) return made;
      if (input_ended_ && !ended_) end(clean_end() ? std::nullopt : cut());
    }
    return std::size_t{0};
  }
  std::optional<Error> end_fault() const final { return fault_; }
  std::optional<std::uint64_t> stored_size() const final { return from_->stored_size(); }
  std::uint64_t stored_position() const final { return from_->stored_position(); }

 protected:
  // Decompresses from input() into `into`; says how many bytes it made.
  virtual std::size_t step(std::span<std::byte> into) = 0;
  // True where the stream may stop: before the first byte or right behind a member.
  virtual bool clean_end() const = 0;

  Bytes input() const { return Bytes(piece_).subspan(at_, size_ - at_); }
  void consumed_until(std::size_t left) { at_ = size_ - left; }
  void end(std::optional<Error> fault) {
    ended_ = true;
    fault_ = std::move(fault);
  }
  void damaged(const char* why) {
    const std::uint64_t offset = from_->stored_position() - input().size();
    end(Error{Code::compressed_damaged, Place{.offset = offset}, why == nullptr ? "" : why});
  }

 private:
  std::optional<Error> cut() const {
    return Error{Code::compressed_truncated, Place{.offset = from_->stored_position()}};
  }
  result<void> refill() {
    if (at_ != size_ || input_ended_) return {};
    const auto got = from_->read(piece_);
    if (!got) return Unexpected(got.error());
    at_ = 0;
    size_ = *got;
    input_ended_ = *got == 0;
    return {};
  }

  std::unique_ptr<Source> from_;
  std::array<std::byte, kPiece> piece_{};
  std::size_t at_ = 0;
  std::size_t size_ = 0;
  bool input_ended_ = false;
  bool ended_ = false;
  std::optional<Error> fault_;
};

class GzipSource final : public DecompressingSource {
 public:
  explicit GzipSource(std::unique_ptr<Source> from) : DecompressingSource(std::move(from)) {
    constexpr int kGzipOnly = 15 + 16;
    inflateInit2(&stream_, kGzipOnly);
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 private:
  std::size_t step(std::span<std::byte> into) override {
    const Bytes in = input();
    if (between_members_) {
      if (in.empty()) return 0;
      inflateReset(&stream_);
      between_members_ = false;
    }
    // zlib's interface is not const-correct and not std::byte.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(into.size(), UINT32_MAX));
    const uInt room = stream_.avail_out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    consumed_until(stream_.avail_in);
    if (status == Z_STREAM_END) between_members_ = true;
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) damaged(stream_.msg);
    return room - stream_.avail_out;
  }
  bool clean_end() const override { return between_members_; }

  z_stream stream_{};
  bool between_members_ = false;
};

class ZstdSource final : public DecompressingSource {
 public:
  ZstdSource(std::unique_ptr<Source> from, std::uint32_t window_log)
      : DecompressingSource(std::move(from)), stream_(ZSTD_createDStream()) {
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, static_cast<int>(window_log));
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }

 private:
  std::size_t step(std::span<std::byte> into) override {
    const Bytes in = input();
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{into.data(), into.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_, &to, &from);
    consumed_until(in.size() - from.pos);
    if (ZSTD_isError(status) != 0U) {
      damaged(ZSTD_getErrorName(status));
    } else if (!in.empty() || to.pos > 0) {
      between_frames_ = status == 0;
    }
    return to.pos;
  }
  bool clean_end() const override { return between_frames_; }

  ZSTD_DStream* stream_;
  bool between_frames_ = false;
};

bool starts_with(Bytes head, std::initializer_list<int> magic) {
  if (head.size() < magic.size()) return false;
  std::size_t i = 0;
  for (const int value : magic) {
    if (head[i++] != static_cast<std::byte>(value)) return false;
  }
  return true;
}

}  // namespace

Compression recognise_compression(Bytes head) {
  if (starts_with(head, {0x1f, 0x8b})) return Compression::gzip;
  if (starts_with(head, {0x28, 0xb5, 0x2f, 0xfd})) return Compression::zstd;
  return Compression::none;
}

std::unique_ptr<Source> decompress(Compression compression, std::unique_ptr<Source> source,
                                   const Limits& limits) {
  if (compression == Compression::gzip) return std::make_unique<GzipSource>(std::move(source));
  return std::make_unique<ZstdSource>(std::move(source), limits.zstd_window_log);
}

}  // namespace polytrace::base
