// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/errors.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "cli/frame/output.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

// A usage error's sentence says nothing that its detail does not say better.
std::string sentence(const base::Error& error) {
  if (error.code == base::Code::usage && !error.detail.empty()) return error.detail;
  return base::to_text(error);
}

void write_place(base::JsonWriter& json, const base::Place& place) {
  json.key("offset");
  if (place.offset == base::kNoOffset) json.null();
  else json.value(place.offset);
  if (!place.frame.empty()) json.member("frame", place.frame);
  if (place.line != 0) {
    json.member("line", place.line);
    json.member("column", place.column);
  }
}

}  // namespace

std::string error_text(const base::Error& error, std::string_view file,
                       const show::Terminal& terminal) {
  std::string text = paint(terminal, show::Style::error, "polytrace:") + ' ';
  // A usage error is about the command line, not about the file.
  if (!file.empty() && error.code != base::Code::usage) text += show::printable(file) + ": ";
  text += show::printable(sentence(error)) + '\n';
  const auto next = base::describe(error.code).next;
  if (!next.empty()) text += fmt::format("  hint: {}\n", next);
  return text;
}

std::string error_json(const base::Error& error, std::string_view file) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  const base::CodeInfo& info = base::describe(error.code);
  json.begin_object();
  json.member("code", info.name);
  json.key("file");
  if (file.empty()) json.null();
  else json.value(file);
  write_place(json, error.place);
  json.member("message", sentence({error.code, {}, error.detail}));
  json.member("hint", info.next);
  json.end_object();
  return out + '\n';
}

std::string extent_text(const base::Notice& notice) {
  std::string extent;
  if (notice.count > 1) extent = fmt::format("{} times", notice.count);
  if (notice.bytes != 0)
    extent +=
        fmt::format("{}{} not read", extent.empty() ? "" : ", ", base::bytes_text(notice.bytes));
  return extent.empty() ? extent : fmt::format(" ({})", extent);
}

std::string notice_text(const base::Notice& notice) {
  return show::printable(base::to_text({notice.code, notice.first, notice.detail})) +
         extent_text(notice);
}

void write_notice(base::JsonWriter& json, const base::Notice& notice) {
  const base::CodeInfo& info = base::describe(notice.code);
  json.begin_object();
  json.member("code", info.name);
  write_place(json, notice.first);
  json.member("message", sentence({notice.code, {}, notice.detail}));
  json.member("count", notice.count);
  json.member("bytes", notice.bytes);
  json.member("hint", info.next);
  json.end_object();
}

void write_notices(base::JsonWriter& json, const std::vector<base::Notice>& notices) {
  json.begin_array();
  for (const base::Notice& notice : notices) write_notice(json, notice);
  json.end_array();
}

void write_places(base::JsonWriter& json, const std::vector<base::Notice>& notices) {
  const auto write = [&json](const base::Notice& notice, const base::Place& place,
                             const std::string& detail) {
    json.begin_object();
    json.member("code", base::describe(notice.code).name);
    write_place(json, place);
    json.member("detail", detail);
    json.end_object();
  };
  json.begin_array();
  for (const base::Notice& notice : notices) {
    write(notice, notice.first, notice.detail);
    for (const base::Occurrence& other : notice.others) write(notice, other.place, other.detail);
  }
  json.end_array();
}

void print(std::string_view text) {
  Output out(STDERR_FILENO);
  out.text() = text;
  out.flush();
}

void print_live(std::string_view line) {
  const std::string text = "\r" + show::printable(line) + "\x1b[K";
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace polytrace::cli
