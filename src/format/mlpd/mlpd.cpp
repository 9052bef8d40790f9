// SPDX-License-Identifier: Apache-2.0
// The Mono log profiler's `.mlpd`: data versions 1 to 17 read, 17 and 1 written:
// docs/formats/mlpd.md.
#include "format/format.hpp"

#include <fmt/format.h>

#include <array>

#include "format/mlpd/reader.hpp"
#include "format/mlpd/records/records.hpp"
#include "format/mlpd/writer.hpp"

namespace polytrace::format::mlpd {
namespace {

bool recognise(base::Bytes head) {
  return head.size() >= 4 && base::load_le<std::uint32_t>(head.data()) == kFileId;
}

std::string record_name(std::uint8_t first) {
  const Record* record = find_record(first);
  return record == nullptr ? fmt::format("type {} exinfo {:#x}", first & 0x0f, first & 0xf0)
                           : std::string(record->name);
}

constexpr std::array<std::string_view, 2> kWriteVersions{"17", "1"};

}  // namespace

const Format kFormat{
    .name = "mlpd",
    .title = "Mono log profiler",
    .suffix = ".mlpd",
    .read_versions = "1 to 17",
    .write_versions = kWriteVersions,
    .recognise = recognise,
    .open = MlpdReader::open,
    .create = MlpdWriter::create,
    .record_name = record_name,
    .names_apart = true,
    .has_end = true,
    .whole_objects = true,
    .holds = MlpdWriter::holds,
};

}  // namespace polytrace::format::mlpd
