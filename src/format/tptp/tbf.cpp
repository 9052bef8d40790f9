// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf.hpp"

#include <fmt/format.h>

#include <array>

#include "format/tptp/message_conversion.hpp"
#include "format/tptp/message_writer.hpp"
#include "format/tptp/tbf/reader.hpp"

namespace polytrace::format::tptp::tbf {
namespace {

std::string record_name(std::uint8_t record) {
  if (record == kEncodingRecord) return "character encoding";
  if (record == kFrequencyRecord) return "CPU frequency";
  const MessageInfo* message = message_of_record(record);
  return message == nullptr ? fmt::format("record {}", record) : std::string(message->element);
}

constexpr std::array kWriteVersions{kTbfVersion};

}  // namespace

const Format kFormat{
    .name = "tbf",
    .title = "TPTP binary trace",
    .suffix = ".trcbin",
    .read_versions = "0 and 1",
    .write_versions = kWriteVersions,
    .recognise = has_magic,
    .open = TbfReader::open,
    .byte_orders = true,
    .create = create_tbf,
    .family = kFamily,
    .rewrite = rewrite_as<Spelling::tbf>,
    .record_name = record_name,
    .holds = holds,
};

}  // namespace polytrace::format::tptp::tbf
