// SPDX-License-Identifier: Apache-2.0
#include "exports/ctf/layout.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/text/utf8.hpp"
#include "event/fields.hpp"

namespace polytrace::exports::ctf {
namespace {

using event::Kind;
using event::Tag;

// A quoted string: no line ends, no control characters.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : base::repaired(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return out + '"';
}

// The name of a field: readers strip the underscore, which keeps words of the language apart.
std::string field_name(std::string_view name) { return "_" + std::string(name); }

std::string_view subject_type(std::string_view subject) {
  if (subject == "method") return "method_t";
  return subject == "class" ? "class_t" : "id_t";
}

struct FieldLister {
  std::string& out;

  template <Tag tag, class T>
  void field(const char* name, const T&) {
    if constexpr (event::is_text(tag)) line("string", name);
    else if constexpr (std::is_enum_v<T>) enumeration<T>(name);
    else if constexpr (tag == Tag::kf64) line("real_t", name);
    else if constexpr (std::is_base_of_v<event::Range, T>)
      list(tag == Tag::kStack ? "method_t" : "id_t", name);
    else if constexpr (tag == Tag::kId) line("id_t", name);
    else line(std::is_signed_v<T> ? "signed_t" : "unsigned_t", name);
  }
  void line(std::string_view type, std::string_view name) {
    out += fmt::format("    {} {};\n", type, field_name(name));
  }
  void list(std::string_view type, std::string_view name) {
    out += fmt::format("    count_t _{}_length;\n    {} {}[_{}_length];\n", name, type,
                       field_name(name), name);
  }
  template <class T>
  void enumeration(std::string_view name) {
    out += "    enum : byte_t {";
    std::size_t value = 0;
    for (const std::string_view text : event::names(T{}))
      out += fmt::format("{}{} = {}", value == 0 ? " " : ", ", in_quotes(text), value), ++value;
    out += fmt::format(" }} {};\n", field_name(name));
  }
};

std::string event_text(const event::KindInfo& kind, std::uint32_t stream) {
  std::string out = fmt::format(
      "event {{\n  name = {};\n  id = {};\n  stream_id = {};\n"
      "  fields := struct {{\n",
      in_quotes(kind.name), static_cast<unsigned>(kind.kind), stream);
  FieldLister lister{out};
  if (kind.subject != "none") lister.line(subject_type(kind.subject), kind.subject);
  const bool is_call = kind.kind == Kind::Enter || kind.kind == Kind::Leave;
  if (!is_call) event::with_kind(kind.kind, [&](auto none) { visit_fields(lister, none); });
  return out + "  };\n};\n";
}

template <class Name>
std::string names_text(std::string_view type, std::uint32_t count, const Name& name) {
  std::string out = "typealias enum : count_t {\n  \"(not told)\" = 0";
  for (std::uint32_t i = 0; i < count; ++i)
    out += fmt::format(",\n  {} = {}", in_quotes(name(i)), i + 1);
  return out + fmt::format("\n}} := {};\n", type);
}

constexpr std::string_view kTypes = R"(
typealias integer { size = 8; align = 8; signed = false; } := byte_t;
typealias integer { size = 32; align = 8; signed = false; } := count_t;
typealias integer { size = 64; align = 8; signed = false; } := unsigned_t;
typealias integer { size = 64; align = 8; signed = true; } := signed_t;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := id_t;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := real_t;
typealias integer { size = 64; align = 8; map = clock.trace_clock.value; } := time_t;
)";

std::string stream_text(std::uint32_t stream) {
  constexpr std::string_view kThread = "    id_t thread;\n    string thread_name;\n";
  const bool shared = stream == kShared;
  return fmt::format(R"(
stream {{
  id = {};
  packet.context := struct {{
    time_t timestamp_begin;
    time_t timestamp_end;
    unsigned_t content_size;
    unsigned_t packet_size;
    unsigned_t packet_seq_num;
    unsigned_t events_discarded;
{}  }};
  event.header := struct {{ byte_t id; time_t timestamp; }};
{}}};
)",
                     stream, shared ? "" : kThread,
                     shared ? fmt::format("  event.context := struct {{\n{}  }};\n", kThread) : "");
}

// What has to be added to the file's times for those since 1970.
std::pair<base::Time, base::Time> offset_of(const Origin& origin, base::Time shift) {
  constexpr base::Time kSecond = 1000000000;
  const base::Time zero = origin.wall_of(-shift);
  if (zero == base::kNoTime || zero < 0) return {0, 0};
  return {zero / kSecond, zero % kSecond};
}

}  // namespace

std::uint64_t time_of(std::string_view event) {
  std::uint64_t time = 0;
  std::memcpy(&time, event.data() + 1, sizeof time);
  return time;
}

std::string metadata_text(const Uuid& uuid, const Origin& origin, base::Time shift,
                          const slice::Names& names, const std::vector<std::string>& remarks,
                          bool has_shared) {
  std::string id;
  for (std::size_t i = 0; i < uuid.size(); ++i)
    id += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  std::string out = "/* CTF 1.8 */\n";
  const auto [seconds, rest] = offset_of(origin, shift);
  out += fmt::format(
      "clock {{\n  name = trace_clock;\n  freq = 1000000000;\n  offset_s = {};\n"
      "  offset = {};\n}};\n",
      seconds, rest);
  out += kTypes;
  out += names_text("method_t", names.methods().size(),
                    [&](std::uint32_t i) { return names.method_name(i); });
  out += names_text("class_t", names.classes().size(),
                    [&](std::uint32_t i) { return names.class_name(names.resolve_class(i)); });
  out += fmt::format(
      "trace {{\n  major = 1;\n  minor = 8;\n  uuid = \"{}\";\n  byte_order = le;\n"
      "  packet.header := struct {{ count_t magic; byte_t uuid[16]; count_t "
      "stream_id; }};\n}};\n",
      id);
  out += fmt::format(
      "env {{\n  tracer_name = \"polytrace\";\n  trace_name = {};\n  runtime_name = {};\n"
      "  process_name = {};\n",
      in_quotes(origin.trace), in_quotes(origin.runtime), in_quotes(origin.process));
  for (std::size_t i = 0; i < remarks.size(); ++i)
    out += fmt::format("  not_in_this_trace_{} = {};\n", i + 1, in_quotes(remarks[i]));
  out += "};\n";
  for (const std::uint32_t stream : {kOfThread, kShared}) {
    if (stream == kShared && !has_shared) continue;
    out += stream_text(stream);
    for (std::size_t i = 0; i < event::kKindCount; ++i)
      out += event_text(event::describe(static_cast<Kind>(i)), stream);
  }
  return out;
}

}  // namespace polytrace::exports::ctf
