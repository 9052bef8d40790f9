// SPDX-License-Identifier: Apache-2.0
// Reads TPTP XML to common events, or as a stream of messages one after the other, which
// conversions within the family read.
#pragma once

#include <memory>
#include <string>

#include "event/framed_reader.hpp"
#include "format/tptp/xml/encoding.hpp"
#include "format/tptp/xml/framing.hpp"
#include "format/tptp/xml/parser.hpp"

namespace polytrace::format::tptp {

// One thread at a time.
class XmlMessageReader {
 public:
  // Any encoding, also in a zip file. Fails as the source does.
  static base::result<std::unique_ptr<XmlMessageReader>> open(std::unique_ptr<base::Source> source,
                                                              const base::Limits& limits,
                                                              Receiver& receiver,
                                                              const ParseOptions& options = {});
  XmlMessageReader(Decoded decoded, const base::Limits& limits, Receiver& receiver,
                   const ParseOptions& options)
      : source_(std::move(decoded.source)),
        encoding_(std::move(decoded.encoding)),
        framing_(*source_, limits, decoded.converted),
        parser_(receiver, notices_, {options.carry, decoded.converted, options.plain}) {}

  // Gives the receiver some more messages; false at the end. Errors are the source's, faults of
  // the content go to notices().
  base::result<bool> next();
  // Complete when next() gave false.
  base::Notices notices() const;
  const base::Source& source() const { return *source_; }
  const std::string& encoding() const { return encoding_; }

 private:
  std::unique_ptr<base::Source> source_;
  std::string encoding_;
  base::Notices notices_;
  XmlFraming framing_;
  Parser parser_;
  event::Chunk chunk_;
};

// The last time that is not 0.
class LastTime final : public Receiver {
 public:
  void take(const Message& message, std::uint64_t offset, std::size_t bytes) override;
  base::Time now() const { return now_; }
  bool known() const { return now_ != 0; }

 private:
  base::Time now_ = 0;
};

// Chunks are parsed on every core; what an element does not say itself and earlier ones do (the
// time) travels with its chunk.
class XmlReader final : public event::FramedReader<XmlFraming> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  XmlReader(Decoded decoded, const event::ReadOptions& options)
      : FramedReader(std::move(decoded.source), options.limits, decoded.converted),
        encoding_(std::move(decoded.encoding)),
        converted_(std::move(decoded.converted)) {}

  std::string version() const override { return encoding_; }
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;

 private:
  void see_times(const event::Chunk& chunk);

  std::string encoding_;
  std::string converted_;
  LastTime last_time_;
  base::Notices unused_;  // what decode() tells again
  Parser time_parser_{last_time_, unused_};
  event::Chunk element_;
};

}  // namespace polytrace::format::tptp
