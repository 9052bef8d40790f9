// SPDX-License-Identifier: Apache-2.0
// Conversion within the family, message by message: exact, because nothing passes through the
// common events. TBF -> XML -> TBF gives the same bytes for a canonical stream, XML -> TBF -> XML
// is stable after one pass. Also rewrites a stream in its own format as a canonical one.
#pragma once

#include <memory>

#include "base/limits.hpp"
#include "base/notices.hpp"
#include "base/sink.hpp"
#include "base/source.hpp"
#include "event/writer.hpp"
#include "format/tptp/byte_order.hpp"
#include "format/tptp/spelling.hpp"

namespace polytrace::format::tptp {

struct ConversionOptions {
  base::Limits limits{};
  ByteOrder order = ByteOrder::little;  // of a TBF target
  bool carry = true;                    // XML elements without a message travel in custom messages
};

struct Conversion {
  std::uint64_t messages = 0;
  base::Notices notices;  // what was wrong with the source
  event::Loss loss;       // "methodEntry.objIdRef" -> how often; events: none
};

// The source's spelling is told by its content. Commits the sink. Fails as source and sink do, or
// as opening a reader does (not_recognised, version_unsupported ...).
base::result<Conversion> convert_messages(std::unique_ptr<base::Source> source,
                                          std::unique_ptr<base::Sink> sink, Spelling target,
                                          const ConversionOptions& options = {});

}  // namespace polytrace::format::tptp
