// SPDX-License-Identifier: Apache-2.0
// How far a run has come: a line on a terminal that is rewritten and goes away at the end, or JSON
// objects for programs.
#include <fmt/format.h>

#include <chrono>

#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/frame/session.hpp"
#include "cli/frame/signals.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

// Seconds that the rest will take; negative when nobody knows.
double seconds_left(const base::Source& source, double seconds) {
  const auto size = source.stored_size();
  const auto done = static_cast<double>(source.stored_position());
  if (!size || done <= 0 || static_cast<double>(*size) < done) return -1;
  return seconds * (static_cast<double>(*size) - done) / done;
}

enum class ProgressForm : std::uint8_t { none, line, json };

ProgressForm progress_form(const Session& session) {
  const CommonOptions& common = session.common;
  if (common.no_progress) return ProgressForm::none;
  if (common.progress == "json") return ProgressForm::json;
  return session.error_terminal().is_tty && !common.quiet ? ProgressForm::line : ProgressForm::none;
}

// Prints at most ten times a second.
class Progress final : public service::Watcher {
 public:
  Progress(ProgressForm form, unsigned width) : form_(form), width_(width) {}
  ~Progress() override {
    if (shown_) print_live("");
  }
  void update(const base::Source& source) override;

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(const base::Source& source, double seconds) const;
  static std::string json(const base::Source& source, double seconds);

  ProgressForm form_;
  bool shown_ = false;
  unsigned width_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::milliseconds(500);
};

void Progress::update(const base::Source& source) {
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  if (form_ == ProgressForm::json) return print(json(source, seconds));
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

}  // namespace

service::Asking Session::asking() const {
  service::Asking asking;
  asking.stop = &stop_asked();
  asking.finishing = take_time_to_end;
  asking.draft_folder = remove_if_killed;
  const ProgressForm form = progress_form(*this);
  if (form != ProgressForm::none)
    asking.watch = [form, width = error_terminal_.width] {
      return std::make_unique<Progress>(form, width);
    };
  return asking;
}

}  // namespace polytrace::cli
