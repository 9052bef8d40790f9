// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/messages.hpp"

namespace polytrace::format::tptp {

base::result<std::unique_ptr<TbfMessageReader>> TbfMessageReader::open(
    std::unique_ptr<base::Source> source, const event::ReadOptions& options) {
  auto reader = std::make_unique<TbfMessageReader>(std::move(source), options);
  auto header = reader->framing_.begin();
  if (!header) return base::Unexpected(header.error());
  reader->header_ = *header;
  return reader;
}

base::result<bool> TbfMessageReader::next() {
  for (;;) {
    if (at_ == chunk_.bytes.size()) {
      const auto more = framing_.next(chunk_);
      at_ = 0;
      if (!more || !*more) return chunk_.bytes.clear(), more;
      state_ = *static_cast<const StreamState*>(chunk_.context.get());
    }
    at_ += decoder_.take(base::Bytes(chunk_.bytes).subspan(at_), chunk_.offset + at_);
    if (decoder_.has_message()) return true;
  }
}

base::Notices TbfMessageReader::notices() const {
  base::Notices all = notices_;
  all.merge(framing_.notices());
  return all;
}

TbfMessageWriter::TbfMessageWriter(std::unique_ptr<base::Sink> sink, ByteOrder order,
                                   std::uint8_t platform)
    : sink_(std::move(sink)), encoder_(order) {
  encoder_.begin(ready_, platform);
}

base::result<void> TbfMessageWriter::write(const Message& message) {
  encoder_.append(ready_, message);
  return flush_if_full();
}

base::result<void> TbfMessageWriter::write(const CallRecord& call) {
  encoder_.append(ready_, call);
  return flush_if_full();
}

base::result<void> TbfMessageWriter::flush() {
  auto done = sink_->write(ready_.view());
  ready_.clear();
  return done;
}

base::result<void> TbfMessageWriter::finish() {
  constexpr std::uint8_t kBeginning = 1;  // of a frame; 0 would be padding
  if (open_) ready_.byte(kBeginning);
  if (auto done = flush(); !done) return done;
  return sink_->commit();
}

}  // namespace polytrace::format::tptp
