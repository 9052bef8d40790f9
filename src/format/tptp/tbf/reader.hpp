// SPDX-License-Identifier: Apache-2.0
// Reads `.trcbin` to common events. Each chunk carries the state with which it begins, so decode()
// runs on every core.
#pragma once

#include <memory>

#include "format/tptp/tbf/framing.hpp"
#include "format/tptp/tbf/watch.hpp"

namespace polytrace::format::tptp {

class TbfReader final : public event::FramedReader<TbfFraming> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  TbfReader(std::unique_ptr<base::Source> source, const event::ReadOptions& options)
      : FramedReader(std::move(source), options, event::ReadBefore{}, options.limits,
                     Exits::completed),
        limits_(options.limits) {}

  std::string version() const override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;

 private:
  base::Limits limits_;
  FileHeader header_;
};

}  // namespace polytrace::format::tptp
