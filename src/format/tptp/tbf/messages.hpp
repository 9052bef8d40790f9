// SPDX-License-Identifier: Apache-2.0
// TBF as a stream of messages, for what stays inside the family: conversion to and from XML, and
// repair. Nothing goes through events. One thread at a time.
#pragma once

#include <memory>

#include "base/io/sink.hpp"
#include "format/tptp/tbf/framing.hpp"
#include "format/tptp/tbf/message_decoder.hpp"
#include "format/tptp/tbf/message_encoder.hpp"

namespace polytrace::format::tptp {

class TbfMessageReader {
 public:
  static base::result<std::unique_ptr<TbfMessageReader>> open(std::unique_ptr<base::Source> source,
                                                              const event::ReadOptions& options);
  TbfMessageReader(std::unique_ptr<base::Source> source, const event::ReadOptions& options)
      : source_(std::move(source)),
        options_(options),
        framing_(*source_, options_, Exits::kept),
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
