// SPDX-License-Identifier: Apache-2.0
// Writes streams of version 1, with nanoseconds as ticks. Events keep their order and everything
// they say: a block ends when it is full. One thread at a time.
#pragma once

#include "base/io/appender.hpp"
#include "format/format.hpp"
#include "format/native/wire/record_encoder.hpp"

namespace polytrace::format::native {

class NativeWriter final : public event::Writer {
 public:
  static base::result<std::unique_ptr<event::Writer>> create(std::unique_ptr<base::Sink> sink,
                                                             const WriteOptions& options);
  static bool holds(event::Kind, std::string_view) { return true; }

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

}  // namespace polytrace::format::native
