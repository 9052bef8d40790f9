// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>
#include <zstd.h>

#include <array>

#include "base/codes.hpp"
#include "base/io/sink.hpp"

namespace polytrace::base {
namespace {

class GzipSink final : public Sink {
 public:
  explicit GzipSink(std::unique_ptr<Sink> to) : to_(std::move(to)) {
    constexpr int kGzipOnly = 15 + 16;
    constexpr int kMemoryLevel = 8;
    deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOnly, kMemoryLevel,
                 Z_DEFAULT_STRATEGY);
  }
  ~GzipSink() override { deflateEnd(&stream_); }

  result<void> write(Bytes bytes) override { return compress(bytes, Z_NO_FLUSH); }
  result<void> commit() override {
    if (auto done = compress({}, Z_FINISH); !done) return done;
    return to_->commit();
  }

 private:
  result<void> compress(Bytes bytes, int flush) {
    // zlib's interface is not const-correct and not std::byte.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
      stream_.avail_out = static_cast<uInt>(piece_.size());
      deflate(&stream_, flush);
      if (auto put = to_->write(Bytes(piece_).first(piece_.size() - stream_.avail_out)); !put)
        return put;
    } while (stream_.avail_out == 0);
    return {};
  }

  std::unique_ptr<Sink> to_;
  z_stream stream_{};
  std::array<std::byte, 64 * 1024> piece_{};
};

class ZstdSink final : public Sink {
 public:
  explicit ZstdSink(std::unique_ptr<Sink> to) : to_(std::move(to)), context_(ZSTD_createCCtx()) {
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  result<void> write(Bytes bytes) override { return compress(bytes, ZSTD_e_continue); }
  result<void> commit() override {
    if (auto done = compress({}, ZSTD_e_end); !done) return done;
    return to_->commit();
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  result<void> compress(Bytes bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
      if (ZSTD_isError(left) != 0) return fail(Code::write_failed, ZSTD_getErrorName(left));
      if (auto put = to_->write(Bytes(piece_).first(out.pos)); !put) return put;
      done = directive == ZSTD_e_end ? left == 0 : in.pos == in.size;
    }
    return {};
  }

  std::unique_ptr<Sink> to_;
  std::unique_ptr<ZSTD_CCtx, Free> context_;
  std::array<std::byte, 64 * 1024> piece_{};
};

}  // namespace

std::unique_ptr<Sink> gzip_sink(std::unique_ptr<Sink> to) {
  return std::make_unique<GzipSink>(std::move(to));
}

std::unique_ptr<Sink> zstd_sink(std::unique_ptr<Sink> to) {
  return std::make_unique<ZstdSink>(std::move(to));
}

}  // namespace polytrace::base
