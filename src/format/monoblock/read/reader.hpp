// SPDX-License-Identifier: Apache-2.0
// Reads all variants. Blocks are decoded in parallel; what they need of earlier ones travels as the
// chunk's context.
#pragma once

#include "format/monoblock/read/framing.hpp"

namespace polytrace::format::monoblock {

class BlockFileReader final : public event::Reader {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  BlockFileReader(std::unique_ptr<base::Source> source, const FileHead& file,
                  const event::ReadOptions& options, base::Bytes head)
      : source_(std::move(source)),
        file_(file),
        limits_(options.limits),
        framing_(*source_, file_, options.limits, head) {}

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override { return framing_.next(chunk); }
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  const base::Notices& notices() const override { return framing_.notices(); }
  const base::Source& source() const override { return *source_; }

 private:
  std::unique_ptr<base::Source> source_;
  FileHead file_;
  base::Limits limits_;
  Framing framing_;
};

}  // namespace polytrace::format::monoblock
