// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/hprof.hpp"

#include "format/hprof/layout/records.hpp"
#include "format/hprof/reader.hpp"

namespace polytrace::format::hprof {

const Format kFormat{
    .name = "hprof",
    .title = "HPROF heap dump",
    .suffix = ".hprof",
    .read_versions = "1.0.1, 1.0.2",
    .recognise = looks_like_hprof,
    .open = HprofReader::open,
    .record_name = record_name,
};

}  // namespace polytrace::format::hprof
