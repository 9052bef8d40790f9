// SPDX-License-Identifier: Apache-2.0
// The Mono block format of 2007 and the two forms in which Mono's logging profiler shipped it:
// docs/formats/monoblock.md.
#include "format/format.hpp"

#include "format/monoblock/layout/records.hpp"
#include "format/monoblock/read/reader.hpp"
#include "format/monoblock/write/writer.hpp"

namespace polytrace::format::monoblock {

const Format kFormat{
    .name = "monoblock",
    .title = "Mono block format of 2007",
    .suffix = ".mprof",
    .read_versions = "review, shipped10, shipped6",
    .write_versions = std::span(kVariantNames).first(1),
    .recognise = looks_like_monoblock,
    .open = BlockFileReader::open,
    .create = BlockFileWriter::create,
    .record_name = record_name,
    .has_end = true,
    .whole_objects = true,
    .holds = BlockFileWriter::holds,
};

}  // namespace polytrace::format::monoblock
