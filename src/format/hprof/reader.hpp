// SPDX-License-Identifier: Apache-2.0
// Reads HPROF 1.0.1 and 1.0.2. Heap dumps are decoded on every core; the records before them,
// which mean something only together, while they are fetched.
#pragma once

#include "event/framed_reader.hpp"
#include "format/hprof/framing.hpp"

namespace polytrace::format::hprof {

class HprofReader final : public event::FramedReader<Framing> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  HprofReader(std::unique_ptr<base::Source> source, const Header& header,
              const event::ReadOptions& options)
      : FramedReader(std::move(source), header, options), header_(header) {}

  std::string version() const override { return std::string(header_.version); }
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;

 private:
  Header header_;
};

}  // namespace polytrace::format::hprof
