// SPDX-License-Identifier: Apache-2.0
// Reads TPTP XML to common events. Chunks are parsed on every core; what an element does not say
// itself and earlier ones do (the time) travels with its chunk.
#pragma once

#include <memory>
#include <string>

#include "format/tptp/xml/encoding.hpp"
#include "format/tptp/xml/framing.hpp"
#include "format/tptp/xml/parser.hpp"

namespace polytrace::format::tptp::xml {

// The last time that is not 0.
class LastTime final : public Receiver {
 public:
  void take(const Message& message, std::uint64_t offset, std::size_t bytes) override;
  base::Time now() const { return now_; }
  bool known() const { return now_ != 0; }

 private:
  base::Time now_ = 0;
};

class XmlReader final : public event::Reader {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  XmlReader(Decoded decoded, const event::ReadOptions& options)
      : source_(std::move(decoded.source)),
        encoding_(std::move(decoded.encoding)),
        converted_(std::move(decoded.converted)),
        framing_(*source_, options.limits, converted_) {}

  std::string version() const override { return encoding_; }
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;
  const base::Notices& notices() const override { return framing_.notices(); }
  const base::Source& source() const override { return *source_; }

 private:
  void see_times(const event::Chunk& chunk);

  std::unique_ptr<base::Source> source_;
  std::string encoding_;
  std::string converted_;
  Framing framing_;
  LastTime last_time_;
  base::Notices unused_;  // what decode() tells again
  Parser time_parser_{last_time_, unused_};
  event::Chunk element_;
};

}  // namespace polytrace::format::tptp::xml
