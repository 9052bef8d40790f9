// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/progress.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/errors.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

// Seconds that the rest will take; negative when nobody knows.
double seconds_left(const base::Source& source, double seconds) {
  const auto size = source.stored_size();
  const auto done = static_cast<double>(source.stored_position());
  if (!size || done <= 0 || static_cast<double>(*size) < done) return -1;
  return seconds * (static_cast<double>(*size) - done) / done;
}

}  // namespace

Progress::Progress(const Session& session) : width_(session.error_terminal().width) {
  const CommonOptions& common = session.common;
  if (common.no_progress) return;
  if (common.progress == "json") form_ = Form::json;
  else if (session.error_terminal().is_tty && !common.quiet) form_ = Form::line;
}

Progress::~Progress() {
  if (shown_) print_live("");
}

void Progress::update(const base::Source& source) {
  const auto now = Clock::now();
  if (form_ == Form::none || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (form_ == Form::json) return print(json(source, seconds));
  shown_ = true;
  print_live(clipped(line(source, seconds), width_ == 0 ? 79 : width_ - 1, "~"));
}

std::string Progress::line(const base::Source& source, double seconds) const {
  const std::uint64_t done = source.stored_position();
  std::string text = base::bytes_text(done);
  const auto size = source.stored_size();
  if (size && *size >= done)
    text += fmt::format(" of {} ({:.0f} %)", base::bytes_text(*size),
                        100.0 * static_cast<double>(done) / static_cast<double>(*size));
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(done) / seconds);
  text += fmt::format(", {}/s", base::bytes_text(rate));
  if (const double left = seconds_left(source, seconds); left >= 0)
    text += fmt::format(", {:.0f} s left", left);
  return text;
}

std::string Progress::json(const base::Source& source, double seconds) {
  std::string out;
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("progress", source.stored_position());
  json.key("size");
  if (const auto size = source.stored_size()) json.value(*size);
  else json.null();
  json.member("seconds", seconds);
  json.key("seconds_left");
  if (const double left = seconds_left(source, seconds); left >= 0) json.value(left);
  else json.null();
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::cli
