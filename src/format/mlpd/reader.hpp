// SPDX-License-Identifier: Apache-2.0
// Reads `.mlpd` of all data versions. Buffers stand alone, so decode() runs on every core.
#pragma once

#include <memory>

#include "format/mlpd/framing.hpp"
#include "format/mlpd/records/counter_sums.hpp"
#include "format/mlpd/records/record_reader.hpp"

namespace polytrace::format::mlpd {

class MlpdReader final : public event::FramedReader<Framing> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  MlpdReader(std::unique_ptr<base::Source> source, ReadHeader header,
             const event::ReadOptions& options);

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  void settle(event::Chunk&, event::Batch& batch) override;

 private:
  void tell_header(event::Batch& batch) const;

  FileHeader header_;
  std::uint64_t header_bytes_;
  FileState file_;
  CounterSums counters_;
  bool started_ = false;
};

}  // namespace polytrace::format::mlpd
