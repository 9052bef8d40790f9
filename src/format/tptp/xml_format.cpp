// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml_format.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "format/tptp/catalogue.hpp"
#include "format/tptp/xml_encoding.hpp"
#include "format/tptp/xml_reader.hpp"
#include "format/tptp/xml_scan.hpp"
#include "format/tptp/xml_zip.hpp"

namespace polytrace::format::tptp::trcxml {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char c) { return static_cast<unsigned char>(c) <= 0x20; }

// Zeros may stand between fragments, nothing else below a blank anywhere.
bool is_text(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    return c == 0 || !is_blank(c) || c == ' ' || c == '\t' || c == '\n' || c == '\r';
  });
}

// A tag, a comment or a declaration, as far as it goes.
bool begins_markup(std::string_view text) {
  if (!text.starts_with('<')) return false;
  if (text.starts_with("<?xml") || text.starts_with("<!--") || text.starts_with("<!DOCTYPE"))
    return true;
  const std::size_t end = xml::name_end(text, 1);
  if (end == 1 || end == text.size()) return false;
  return text[end] == '>' || text[end] == '/' || is_blank(text[end]);
}

bool recognise(base::Bytes head) {
  if (xml::is_zip(head)) return true;
  std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const std::string encoding = xml::encoding_of(text);
  if (encoding.starts_with("utf-16")) return true;
  if (!is_text(text)) return false;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return begins_markup(text);
}

std::string record_name(std::uint8_t record) {
  const MessageInfo* message = message_of_record(record);
  return message == nullptr ? fmt::format("record {}", record) : std::string(message->element);
}

}  // namespace

const Format kFormat{
    .name = "trcxml",
    .title = "TPTP XML trace",
    .suffix = ".trcxml",
    .read_versions = "any",
    .recognise = recognise,
    .open = xml::XmlReader::open,
    .record_name = record_name,
};

}  // namespace polytrace::format::tptp::trcxml
