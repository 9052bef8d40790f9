// SPDX-License-Identifier: Apache-2.0
// Conversion within the family, message by message. TBF -> XML -> TBF gives the same bytes for a
// canonical stream, XML -> TBF -> XML is stable after one pass. Also rewrites a stream in its own
// spelling as a canonical one.
#pragma once

#include <memory>
#include <optional>

#include "base/io/sink.hpp"
#include "base/limits.hpp"
#include "event/reader.hpp"
#include "format/format.hpp"
#include "format/tptp/messages/byte_order.hpp"
#include "format/tptp/messages/spelling.hpp"

namespace polytrace::format::tptp {

// The formats' Format::family.
inline constexpr std::string_view kFamily = "tptp";

// The source's spelling is told by its content. A TBF target has the byte order asked for, else
// that of a TBF source, else the little one. Fails as source and sink do, or as opening a reader
// does (not_recognised, version_unsupported ...).
base::result<std::unique_ptr<Rewriter>> rewrite_messages(std::unique_ptr<base::Source> source,
                                                         std::unique_ptr<base::Sink> sink,
                                                         Spelling target,
                                                         const event::ReadOptions& options,
                                                         std::optional<ByteOrder> order = {});
// The same as Format::rewrite.
template <Spelling target>
base::result<std::unique_ptr<Rewriter>> rewrite_as(std::unique_ptr<base::Source> source,
                                                   std::unique_ptr<base::Sink> sink,
                                                   const event::ReadOptions& read,
                                                   const WriteOptions& write) {
  return rewrite_messages(std::move(source), std::move(sink), target, read,
                          byte_order(write.byte_order));
}

struct ConversionOptions {
  base::Limits limits{};
  std::optional<ByteOrder> order{};
};

struct Conversion {
  std::uint64_t messages = 0;
  base::Notices notices;  // what was wrong with the source
  event::Loss loss;       // "methodEntry.objIdRef" -> how often; events: none
};

// All of it in one step. Commits the sink.
base::result<Conversion> convert_messages(std::unique_ptr<base::Source> source,
                                          std::unique_ptr<base::Sink> sink, Spelling target,
                                          const ConversionOptions& options = {});

}  // namespace polytrace::format::tptp
