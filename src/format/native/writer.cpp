// SPDX-License-Identifier: Apache-2.0
// Writes streams of version 1, with nanoseconds as ticks. Events keep their order and everything
// they say: a block ends when it is full. One thread at a time.
#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/io/appender.hpp"
#include "event/visit.hpp"
#include "format/native/native.hpp"
#include "format/native/wire/record_encoder.hpp"
#include "format/native/wire/sealing.hpp"

namespace polytrace::format::native {
namespace {

constexpr std::size_t kPayload = 64 * 1024;
constexpr std::size_t kReadyBytes = 256 * 1024;

std::uint64_t tick_of(const event::Event& event) { return static_cast<std::uint64_t>(event.time); }

// Whether a body would say nothing.
struct AnyField {
  bool told = false;
  template <event::Tag tag, class T>
  void field(std::string_view, const T& value) {
    told = told || event::is_told<tag>(value);
  }
};
template <class T>
bool is_plain(const event::Batch& batch, const event::Event& event) {
  if (event.detail == event::kAbsent) return true;
  AnyField any;
  event::visit_fields(any, batch.details<T>(event));
  return !any.told;
}

class NativeWriter final : public event::Writer {
 public:
  explicit NativeWriter(std::unique_ptr<base::Sink> sink);

  base::result<void> write(const event::Batch& batch) override;
  base::result<void> finish() override;
  void leave_open() override { leave_open_ = true; }
  const event::Loss& loss() const override { return loss_; }

 private:
  void put(const event::Batch& batch, const event::Event& event);
  bool try_put(const event::Batch& batch, const event::Event& event);
  void begin_block(const event::Batch& batch, const event::Event& event);
  void close_block();
  void append(BlockHeader& header, base::Bytes payload);
  base::result<void> flush();

  std::unique_ptr<base::Sink> sink_;
  base::Appender ready_;  // header and closed blocks not yet in the sink
  event::Loss loss_;
  std::vector<std::byte> payload_;
  RecordEncoder encoder_;
  bool open_ = false;  // whether a block is
  bool leave_open_ = false;
  std::uint64_t blocks_ = 0;
};

NativeWriter::NativeWriter(std::unique_ptr<base::Sink> sink)
    : sink_(std::move(sink)), payload_(kPayload) {
  StreamHeader header;
  seal(header);
  ready_.fixed(header);
}

base::result<void> NativeWriter::write(const event::Batch& batch) {
  for (const event::Event& event : batch.events) put(batch, event);
  return ready_.view().size() >= kReadyBytes ? flush() : base::result<void>{};
}

base::result<void> NativeWriter::finish() {
  close_block();
  BlockHeader end;
  end.content = Content::end;
  if (!leave_open_) append(end, {});
  if (auto done = flush(); !done) return done;
  return sink_->commit();
}

void NativeWriter::put(const event::Batch& batch, const event::Event& event) {
  if (!open_) begin_block(batch, event);
  if (try_put(batch, event)) return;
  close_block();
  begin_block(batch, event);
  while (!try_put(batch, event)) {
    if (payload_.size() >= kMaxPayload) {
      open_ = false;
      return loss_.event(event.kind);
    }
    payload_.resize(payload_.size() * 2);
    begin_block(batch, event);
  }
}

bool NativeWriter::try_put(const event::Batch& batch, const event::Event& event) {
  if (!encoder_.thread(batch.thread(event))) return false;
  const std::uint64_t tick = tick_of(event);
  switch (event.kind) {
    case event::Kind::Enter:
      if (is_plain<event::Enter>(batch, event)) return encoder_.enter(tick, event.id);
      break;
    case event::Kind::Leave:
      if (is_plain<event::Leave>(batch, event)) return encoder_.leave(tick, event.id);
      break;
    case event::Kind::Unwind:
      if (is_plain<event::Unwind>(batch, event)) return encoder_.unwind(tick, event.id);
      break;
    default: break;
  }
  bool done = false;
  event::with_details(batch, event, [&](const auto& details) {
    done = encoder_.event(tick, event.id, details, batch);
  });
  return done;
}

void NativeWriter::begin_block(const event::Batch& batch, const event::Event& event) {
  encoder_.begin(payload_.data(), payload_.size(), tick_of(event), batch.thread(event));
  open_ = true;
}

void NativeWriter::close_block() {
  if (!open_ || encoder_.empty()) return;
  open_ = false;
  BlockHeader header;
  encoder_.describe(header);
  append(header, encoder_.payload());
  payload_.resize(kPayload);
}

void NativeWriter::append(BlockHeader& header, base::Bytes payload) {
  header.index = blocks_++;
  seal(header, payload);
  ready_.fixed(header);
  ready_.bytes(payload);
}

base::result<void> NativeWriter::flush() {
  auto done = sink_->write(ready_.view());
  ready_.clear();
  return done;
}

}  // namespace

base::result<std::unique_ptr<event::Writer>> create_writer(std::unique_ptr<base::Sink> sink,
                                                           const WriteOptions& options) {
  const std::string version = std::to_string(kMajor);
  if (!options.version.empty() && options.version != version)
    return base::fail(
        base::Code::version_unsupported,
        fmt::format("native is written in version {}, not {}", version, options.version));
  return std::make_unique<NativeWriter>(std::move(sink));
}

}  // namespace polytrace::format::native
