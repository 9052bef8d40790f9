// SPDX-License-Identifier: Apache-2.0
// Reads `.trcbin` to common events. Each chunk carries the state with which it begins, so decode()
// runs on every core.
#pragma once

#include <memory>

#include "format/tptp/tbf/framing.hpp"

namespace polytrace::format::tptp {

class TbfReader final : public event::Reader {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  TbfReader(std::unique_ptr<base::Source> source, const event::ReadOptions& options)
      : source_(std::move(source)),
        options_(options),
        framing_(*source_, options_, Exits::completed) {}

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override { return framing_.next(chunk); }
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  const base::Notices& notices() const override { return framing_.notices(); }
  const base::Source& source() const override { return *source_; }

 private:
  std::unique_ptr<base::Source> source_;
  event::ReadOptions options_;
  TbfFraming framing_;
  FileHeader header_;
};

}  // namespace polytrace::format::tptp
