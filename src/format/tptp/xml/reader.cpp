// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/reader.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "format/tptp/events/event_maker.hpp"
#include "format/tptp/messages/time_base.hpp"

namespace polytrace::format::tptp {

base::result<std::unique_ptr<XmlMessageReader>> XmlMessageReader::open(
    std::unique_ptr<base::Source> source, const base::Limits& limits, Receiver& receiver,
    const ParseOptions& options) {
  auto decoded = decode_text(std::move(source));
  if (!decoded) return base::Unexpected(decoded.error());
  const bool known = decoded->known;
  auto reader = std::make_unique<XmlMessageReader>(std::move(*decoded), limits, receiver, options);
  if (!known)
    reader->notices_.add(base::Code::encoding_unknown, LineColumn{}.place(0), 0, reader->encoding_);
  return reader;
}

base::result<bool> XmlMessageReader::next() {
  const auto more = framing_.next(chunk_);
  if (more && *more) parser_.parse(chunk_);
  return more;
}

base::Notices XmlMessageReader::notices() const {
  base::Notices all = notices_;
  all.merge(framing_.notices());
  return all;
}

namespace {

// 0 when the message has none.
base::Time time_of(const Message& message) {
  const auto& attributes = message.info().attributes;
  const auto found = std::ranges::find(attributes, Meaning::time, &AttributeInfo::meaning);
  if (found == attributes.end()) return 0;
  return message.number(static_cast<unsigned>(found - attributes.begin()));
}

// What is known of a chunk before it is parsed.
struct Before {
  Before(base::Time time, std::size_t bytes) : now(time), lost(bytes) {}
  base::Time now;    // the last time before it, 0 when there was none
  std::size_t lost;  // bytes of it that were told to be left out
};

// Makes the events of one chunk. `now` is the last time before it, 0 when there was none.
class ElementTeller final : public Receiver {
 public:
  ElementTeller(event::Batch& batch, base::Time now) : batch_(batch), events_(batch), now_(now) {}

  void take(const Message& message, std::uint64_t, std::size_t bytes) override {
    auto& records = batch_.tally.records[message.info().record];
    ++records.count;
    records.bytes += bytes;
    ++batch_.tally.frames;
    if (const base::Time time = time_of(message); time != 0) {
      const bool first = now_ == 0;
      now_ = time;
      if (first) events_.tell_clock(now_, TimeBase::is_wall_time(now_), 0);
    }
    events_.tell(message, now_);
  }

 private:
  event::Batch& batch_;
  EventMaker events_;
  base::Time now_;
};

}  // namespace

void LastTime::take(const Message& message, std::uint64_t, std::size_t) {
  if (const base::Time time = time_of(message); time != 0) now_ = time;
}

base::result<std::unique_ptr<event::Reader>> XmlReader::open(std::unique_ptr<base::Source> source,
                                                             const event::ReadOptions& options) {
  auto decoded = decode_text(std::move(source));
  if (!decoded) return base::Unexpected(decoded.error());
  const bool known = decoded->known;
  auto reader = std::make_unique<XmlReader>(std::move(*decoded), options);
  if (!known) reader->framing().note(base::Code::encoding_unknown, reader->encoding_);
  return reader;
}

base::result<bool> XmlReader::fetch(event::Chunk& chunk) {
  auto more = FramedReader::fetch(chunk);
  if (!more || !*more) return more;
  chunk.context = std::make_shared<Before>(last_time_.now(), framing().lost());
  see_times(chunk);
  return more;
}

// The last element with a time is found from behind: mostly it is the last one.
void XmlReader::see_times(const event::Chunk& chunk) {
  const auto& begins = framing().begins();
  const base::Time before = last_time_.now();
  std::size_t end = chunk.bytes.size();
  for (std::size_t i = begins.size(); i > 0 && last_time_.now() == before; --i) {
    const auto* const from = chunk.bytes.begin() + begins[i - 1];
    element_.bytes.clear();
    element_.bytes.grew_to(
        std::copy(from, chunk.bytes.begin() + end, element_.bytes.room(end - begins[i - 1])));
    time_parser_.parse(element_);
    end = begins[i - 1];
  }
}

void XmlReader::decode(const event::Chunk& chunk, event::Batch& batch) const {
  batch.clear();
  batch.offset = chunk.offset;
  const Before& before = *static_cast<const Before*>(chunk.context.get());
  ElementTeller teller(batch, before.now);
  Parser parser(teller, batch.notices, {.converted = converted_});
  batch.tally.frame_bytes += parser.parse(chunk) - before.lost;
}

}  // namespace polytrace::format::tptp
