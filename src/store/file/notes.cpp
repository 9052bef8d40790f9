// SPDX-License-Identifier: Apache-2.0
#include "store/file/notes.hpp"

#include <simdjson.h>

#include "base/codes.hpp"
#include "base/text/json_writer.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using simdjson::dom::element;

// Exactly, whatever the size.
void put_number(base::JsonWriter& json, std::string_view name, std::uint64_t number) {
  json.key(name);
  json.number(std::to_string(number));
}

// Two digits a byte: JSON has no place for bytes that are not UTF-8.
std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const char byte : bytes) {
    digits += kDigits[static_cast<unsigned char>(byte) >> 4];
    digits += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return digits;
}

std::string bytes_of_hex(std::string_view digits) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    const std::size_t high = kDigits.find(digits[i]), low = kDigits.find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

void put_place(base::JsonWriter& json, const base::Place& place, const std::string& detail) {
  json.key("offset");
  if (place.offset == base::kNoOffset) json.null();
  else json.number(std::to_string(place.offset));
  if (!place.frame.empty()) json.member("frame", place.frame);
  if (place.line != 0) json.member("line", place.line);
  if (place.column != 0) json.member("column", place.column);
  if (simdjson::validate_utf8(detail)) json.member("detail", detail);
  else json.member("detail_bytes", hex_of(detail));
}

void put_notice(base::JsonWriter& json, const base::Notice& notice) {
  json.begin_object();
  json.member("code", base::describe(notice.code).name);
  put_number(json, "count", notice.count);
  put_number(json, "bytes", notice.bytes);
  put_place(json, notice.first, notice.detail);
  json.key("others");
  json.begin_array();
  for (const base::Occurrence& other : notice.others) {
    json.begin_object();
    put_place(json, other.place, other.detail);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void put_tally(base::JsonWriter& json, const event::Tally& tally) {
  json.key("tally");
  json.begin_object();
  put_number(json, "frames", tally.frames);
  put_number(json, "header_bytes", tally.frame_bytes);
  put_number(json, "time_wraps", tally.time_wraps);
  json.key("records");
  json.begin_array();
  for (std::size_t i = 0; i < tally.records.size(); ++i) {
    if (tally.records[i].count == 0 && tally.records[i].bytes == 0) continue;
    json.begin_object();
    put_number(json, "number", i);
    put_number(json, "count", tally.records[i].count);
    put_number(json, "bytes", tally.records[i].bytes);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

std::uint64_t number_in(const element& from, std::string_view name, std::uint64_t otherwise = 0) {
  std::uint64_t number = otherwise;
  if (from[name].get(number) != simdjson::SUCCESS) number = otherwise;
  return number;
}

std::string text_in(const element& from, std::string_view name) {
  std::string_view text;
  if (from[name].get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

Code code_in(const element& from) {
  const base::CodeInfo* const known = base::find_code(text_in(from, "code"));
  return known == nullptr ? Code::value_unknown : known->code;
}

base::Occurrence take_place(const element& from) {
  base::Occurrence at;
  at.place.offset = number_in(from, "offset", base::kNoOffset);
  at.place.line = static_cast<std::uint32_t>(number_in(from, "line"));
  at.place.column = static_cast<std::uint32_t>(number_in(from, "column"));
  at.place.frame = text_in(from, "frame");
  at.detail = text_in(from, "detail");
  if (at.detail.empty()) at.detail = bytes_of_hex(text_in(from, "detail_bytes"));
  return at;
}

base::Notice take_notice(const element& from) {
  base::Occurrence first = take_place(from);
  base::Notice notice{.code = code_in(from),
                      .count = number_in(from, "count"),
                      .bytes = number_in(from, "bytes"),
                      .first = std::move(first.place),
                      .detail = std::move(first.detail)};
  simdjson::dom::array others;
  if (from["others"].get(others) != simdjson::SUCCESS) return notice;
  for (const element other : others) {
    if (notice.others.size() == base::Notice::kMostOthers) break;
    notice.others.push_back(take_place(other));
  }
  return notice;
}

event::Tally take_tally(const element& from) {
  event::Tally tally;
  tally.frames = number_in(from, "frames");
  tally.frame_bytes = number_in(from, "header_bytes");
  tally.time_wraps = number_in(from, "time_wraps");
  simdjson::dom::array records;
  if (from["records"].get(records) != simdjson::SUCCESS) return tally;
  for (const element record : records) {
    const std::uint64_t number = number_in(record, "number", tally.records.size());
    if (number < tally.records.size())
      tally.records[number] = {number_in(record, "count"), number_in(record, "bytes")};
  }
  return tally;
}

}  // namespace

std::string encode_notes(const event::PumpOutcome& outcome) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.check/1");
  json.key("notices");
  json.begin_array();
  for (const base::Notice& notice : outcome.notices.sorted()) put_notice(json, notice);
  json.end_array();
  json.key("error");
  if (outcome.error)
    put_notice(json, {outcome.error->code, 1, 0, outcome.error->place, outcome.error->detail});
  else json.null();
  put_tally(json, outcome.tally);
  json.end_object();
  return out;
}

base::result<Notes> decode_notes(base::Bytes text) {
  const simdjson::padded_string padded(reinterpret_cast<const char*>(text.data()), text.size());
  simdjson::dom::parser parser;
  element root;
  if (const auto fault = parser.parse(padded).get(root); fault != simdjson::SUCCESS)
    return base::fail(Code::json_malformed, simdjson::error_message(fault), {.frame = "NOTE"});
  Notes notes;
  simdjson::dom::array notices;
  if (root["notices"].get(notices) == simdjson::SUCCESS)
    for (const element notice : notices) notes.notices.add(take_notice(notice));
  element part;
  if (root["tally"].get(part) == simdjson::SUCCESS) notes.tally = take_tally(part);
  if (root["error"].get(part) == simdjson::SUCCESS && !part.is_null()) {
    const base::Notice told = take_notice(part);
    notes.error = base::Error{told.code, told.first, told.detail};
  }
  return notes;
}

}  // namespace polytrace::store
