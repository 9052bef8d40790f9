// SPDX-License-Identifier: Apache-2.0
// Profiles that other tools send or leave as files, as rows of a store: pprof's, OpenTelemetry's
// (1.10 to 1.11) and what Pyroscope's clients push. Whatever the bytes are: no crash, bounded
// memory, and what is not understood is told. Pure; thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/notices.hpp"
#include "collector/aggregate/labels.hpp"
#include "collector/aggregate/row_maker.hpp"
#include "collector/aggregate/windows.hpp"

namespace polytrace::collector {

enum class ForeignKind : std::uint8_t { pprof, otlp, pyroscope };
struct ForeignName {
  ForeignKind kind;
  std::string_view name;   // on the command line
  std::string_view title;  // for people
};
std::span<const ForeignName> foreign_names();
const ForeignName& foreign_name(ForeignKind kind);
// By what is in it; nothing: by the looks of it none of them. `message` is unpacked.
std::optional<ForeignKind> recognise_foreign(base::Bytes message);

struct ForeignOptions {
  LabelList labels{};   // over what the profiles tell
  LabelList beneath{};  // where they do not
  std::uint64_t seed = 0;
  Accepted accepted{};
  std::optional<Time> otherwise{};  // the wall time of profiles that tell none
};

struct ForeignSeries {
  warehouse::Labels labels{};
  SeriesIds ids{};
  Seen seen{};
  std::uint64_t samples = 0;
  Rows rows{};
};

struct Foreign {
  ForeignKind kind{};
  std::vector<ForeignSeries> series{};  // in the order of their ids
  base::Notices notices{};
  std::uint64_t samples = 0;   // in rows
  std::uint64_t refused = 0;   // at impossible times
  std::uint64_t timeless = 0;  // of profiles that tell no time, where nobody else does
};

// `packed`: the message, or gzip or zstd of it. Nothing: what it looks like. The same bytes make
// the same rows. Errors: not_recognised; limit_exceeded; version_unsupported, of a layout that is
// not the one above; field_past_end, where the message is damaged: nothing of it is taken.
base::result<Foreign> read_foreign(base::Bytes packed, std::optional<ForeignKind> kind,
                                   const ForeignOptions& options);

}  // namespace polytrace::collector
