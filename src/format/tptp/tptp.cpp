// SPDX-License-Identifier: Apache-2.0
// The two formats of TPTP, which share one catalogue of messages: docs/formats/tbf.md, trcxml.md.
#include "format/format.hpp"

#include <fmt/format.h>

#include <array>

#include "base/io/zip_source.hpp"
#include "base/text/utf8.hpp"
#include "format/tptp/message_conversion.hpp"
#include "format/tptp/message_writer.hpp"
#include "format/tptp/messages/catalogue.hpp"
#include "format/tptp/messages/charset.hpp"
#include "format/tptp/tbf/reader.hpp"
#include "format/tptp/xml/encoding.hpp"
#include "format/tptp/xml/names.hpp"
#include "format/tptp/xml/reader.hpp"
#include "format/tptp/xml/scan.hpp"

namespace polytrace::format::tptp {
namespace {

// The last character may be cut.
bool is_utf8(std::string_view text) {
  for (int i = 0; i < 3 && !text.empty() && (text.back() & 0x80) != 0; ++i) text.remove_suffix(1);
  std::string unused;
  return append_utf8(unused, text, Charset::utf8);
}

// A root may have any name: then all must look like text. What can only be a trace may be damaged.
bool begins_trace(std::string_view text) {
  if (!text.starts_with('<')) return false;
  if (text.starts_with("<?xml")) return true;
  if (text.starts_with("<!--") || text.starts_with("<!DOCTYPE")) return is_utf8(text);
  const std::size_t end = name_end(text, 1);
  if (end == 1 || end == text.size()) return false;
  if (text[end] != '>' && text[end] != '/' && !is_blank(text[end])) return false;
  const std::string_view name = text.substr(1, end - 1);
  return name == kRoot || is_event(name) || is_utf8(text);
}

bool recognise_xml(base::Bytes head) {
  if (base::is_zip(head)) return true;
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const std::string encoding = encoding_of(text);
  if (encoding.starts_with("utf-16") || encoding.starts_with("utf-32")) return true;
  if (text.starts_with(base::kByteOrderMark)) text.remove_prefix(base::kByteOrderMark.size());
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return begins_trace(text);
}

std::string record_name(std::uint8_t record) {
  if (record == kEncodingRecord) return "character encoding";
  if (record == kFrequencyRecord) return "CPU frequency";
  const MessageInfo* message = message_of_record(record);
  return message == nullptr ? fmt::format("record {}", record) : std::string(message->element);
}

constexpr std::array kTbfVersions{kTbfVersion};
constexpr std::array kXmlVersions{kXmlVersion};

}  // namespace

const Format kTbfFormat{
    .name = "tbf",
    .title = "TPTP binary trace",
    .suffix = ".trcbin",
    .read_versions = "0 and 1",
    .write_versions = kTbfVersions,
    .recognise = has_magic,
    .open = TbfReader::open,
    .byte_orders = true,
    .create = create_tbf,
    .family = kFamily,
    .rewrite = rewrite_as<Spelling::tbf>,
    .record_name = record_name,
    .holds = holds,
};

const Format kTrcxmlFormat{
    .name = "trcxml",
    .title = "TPTP XML trace",
    .suffix = ".trcxml",
    .read_versions = "any",
    .write_versions = kXmlVersions,
    .recognise = recognise_xml,
    .open = XmlReader::open,
    .create = create_xml,
    .family = kFamily,
    .rewrite = rewrite_as<Spelling::xml>,
    .record_name = record_name,
    .holds = holds,
};

}  // namespace polytrace::format::tptp
