// SPDX-License-Identifier: Apache-2.0
// Reads HPROF 1.0.1 and 1.0.2. Heap dumps are decoded on every core; the records before them,
// which mean something only together, while they are fetched.
#pragma once

#include "format/hprof/framing.hpp"

namespace polytrace::format::hprof {

class HprofReader final : public event::Reader {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  HprofReader(std::unique_ptr<base::Source> source, const Header& header,
              const event::ReadOptions& options)
      : source_(std::move(source)), header_(header), framing_(*source_, header, options) {}

  std::string version() const override { return std::string(header_.version); }
  base::result<bool> fetch(event::Chunk& chunk) override { return framing_.next(chunk); }
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  const base::Notices& notices() const override { return framing_.notices(); }
  const base::Source& source() const override { return *source_; }

 private:
  std::unique_ptr<base::Source> source_;
  Header header_;
  Framing framing_;
};

}  // namespace polytrace::format::hprof
