// SPDX-License-Identifier: Apache-2.0
// Reads `.trcbin` to common events. Each chunk carries the state with which it begins, so decode()
// runs on every core; the watch over ids, exits and times looks at what decoding left, in order.
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
      : FramedReader(std::move(source), options, event::ReadBefore{}, options.limits),
        limits_(options.limits) {}

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  void settle(event::Chunk& chunk, event::Batch& batch) override;
  // At the end with what was found out of order.
  const base::Notices& notices() const override;

 private:
  base::Limits limits_;
  FileHeader header_;
  Watch watch_{Exits::completed};
  bool ended_ = false;
  mutable base::Notices all_{};
};

}  // namespace polytrace::format::tptp
