// SPDX-License-Identifier: Apache-2.0
// TBF as a stream of messages, for what stays inside the family: conversion to and from XML, and
// repair. Nothing goes through events. One thread at a time.
#pragma once

#include <memory>

#include "base/io/appender.hpp"
#include "base/io/sink.hpp"
#include "format/tptp/messages/byte_order.hpp"
#include "format/tptp/messages/call_record.hpp"
#include "format/tptp/tbf/framing.hpp"
#include "format/tptp/tbf/message_decoder.hpp"
#include "format/tptp/tbf/watch.hpp"

namespace polytrace::format::tptp {

// TBF bytes in canonical form: version 1.0, UTF-8, times in nanoseconds as ticks of 10^9 Hz,
// inclusive sizes.
class MessageEncoder {
 public:
  explicit MessageEncoder(ByteOrder order) : order_(order) {}

  // The header and the two system messages with which a stream begins. `platform` is 0 for a
  // traced process of 32 bits, 1 for one of 64.
  void begin(base::Appender& out, std::uint8_t platform) const;
  // Numbers are cut to their type, a depth is the length of the longest list behind it, zeros in
  // texts become U+FFFD. An empty transient class of a methodExit becomes its class.
  void append(base::Appender& out, const Message& message);
  void append(base::Appender& out, const CallRecord& call) const;

 private:
  template <ByteOrder order>
  static void append_as(base::Appender& out, const CallRecord& call);
  template <class T>
  void number(base::Appender& out, T value) const;
  void text(base::Appender& out, std::string_view text) const;
  void value(base::Appender& out, const Message& message, unsigned index, std::size_t depth) const;

  ByteOrder order_;
  base::Appender payload_;
};

class TbfMessageReader {
 public:
  static base::result<std::unique_ptr<TbfMessageReader>> open(std::unique_ptr<base::Source> source,
                                                              const event::ReadOptions& options);
  TbfMessageReader(std::unique_ptr<base::Source> source, const event::ReadOptions& options)
      : source_(std::move(source)),
        options_(options),
        framing_(*source_, options_, event::ReadBefore{}, options_.limits),
        decoder_(state_, options_.limits, {tally_, notices_}) {}
  TbfMessageReader(const TbfMessageReader&) = delete;
  TbfMessageReader& operator=(const TbfMessageReader&) = delete;

  // Goes to the next data message; false at the end. Errors are of the source.
  base::result<bool> next();
  // The message, until the next call. Values are those of the stream, times in nanoseconds.
  const Message& message() const { return decoder_.message(); }
  // Of the first header.
  const FileHeader& header() const { return header_; }
  const base::Source& source() const { return *source_; }
  // What was read so far; with notices() it accounts for every byte, once next() gave false.
  const event::Tally& tally() const { return tally_; }
  base::Notices notices() const;

 private:
  std::unique_ptr<base::Source> source_;
  event::ReadOptions options_;
  TbfFraming framing_;
  event::Tally tally_;
  base::Notices notices_;
  StreamState state_;
  MessageDecoder decoder_;
  FileHeader header_;
  event::Chunk chunk_;
  std::size_t at_ = 0;  // in the chunk
  Watch watch_{Exits::kept};
  bool ended_ = false;
};

class TbfMessageWriter {
 public:
  // Begins the stream; `platform` as in the header.
  TbfMessageWriter(std::unique_ptr<base::Sink> sink, ByteOrder order, std::uint8_t platform);

  base::result<void> write(const Message& message);
  base::result<void> write(const CallRecord& call);
  void leave_open() { open_ = true; }  // see event::Writer
  // Writes what is held back and commits the sink.
  base::result<void> finish();

 private:
  static constexpr std::size_t kReadyBytes = 256 * 1024;

  base::result<void> flush_if_full() {
    return ready_.size() < kReadyBytes ? base::result<void>{} : flush();
  }
  base::result<void> flush();

  std::unique_ptr<base::Sink> sink_;
  MessageEncoder encoder_;
  base::Appender ready_;
  bool open_ = false;
};

}  // namespace polytrace::format::tptp
