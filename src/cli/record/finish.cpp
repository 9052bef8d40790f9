// SPDX-License-Identifier: Apache-2.0
// What follows a recording.
#include <fmt/format.h>
#include <sys/statvfs.h>

#include <cstring>
#include <filesystem>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/frame/errors.hpp"
#include "cli/record/next_steps.hpp"
#include "cli/record/recording.hpp"
#include "cli/runtimes/causes.hpp"
#include "format/native/native.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;
using agent::Cut;

constexpr int kPartial = 4;
constexpr int kLimitReached = 6;
constexpr std::string_view kNobodyKnows =
    "the program ended before the agent began, or the runtime did not load the agent (see what it "
    "printed)";

// A header, at least: else nobody has recorded anything.
bool came_into_being(const std::string& stream) {
  std::error_code none;
  const auto size = fs::file_size(stream, none);
  return !none && size >= sizeof(format::native::StreamHeader);
}

// Its segments went with a clean end.
bool said_goodbye(const RecordingPlan& plan) {
  std::error_code none;
  return !fs::exists(plan.stream + ".segments", none);
}

// Free bytes of the disk that a file is on, or would be; all ones where nobody knows.
std::uint64_t free_beside(const std::string& file) {
  struct statvfs about{};
  const std::string folder = fs::path(file).parent_path();
  if (statvfs(folder.c_str(), &about) != 0) return UINT64_MAX;
  return std::uint64_t{about.f_bavail} * about.f_frsize;
}

Cut cut_of(const RecordingEnd& end) { return end.figures ? end.figures->cut : Cut::none; }

int code_of(Cut cut) {
  if (cut == Cut::none) return 0;
  return cut == Cut::limit ? kLimitReached : kPartial;
}

std::string_view word_of(Cut cut) {
  if (cut == Cut::limit) return "limit";
  return cut == Cut::disk ? "disk" : "output";
}

std::string in_short(const RecordingPlan& plan, const RecordingEnd& end) {
  std::error_code none;
  const Cut cut = cut_of(end);
  std::string text = fmt::format("{}:", fs::path(plan.output).filename().string());
  if (cut == Cut::limit) text += fmt::format(" cut off at its limit (--limit {}):", plan.limit);
  else if (cut != Cut::none) text += " cut off:";
  if (end.figures) text += fmt::format(" {} events,", base::count_text(end.figures->events));
  const auto size = fs::file_size(plan.output, none);
  text += fmt::format(" {}, {}", base::bytes_text(none ? 0 : size),
                      base::duration_text(static_cast<std::int64_t>(end.seconds * 1e9)));
  if (cut == Cut::none && end.figures && end.figures->lost == 0) text += ", nothing lost";
  return text;
}

void tell_disk(const Session& session, const RecordingPlan& plan, const std::string& why) {
  session.remark(fmt::format("the recording was cut off: {}; {} is free beside {}", why,
                             base::bytes_text(free_beside(plan.stream)), plan.stream));
}

void tell_losses(const Session& session, const RecordingPlan& plan, const RecordingEnd& end) {
  if (!end.figures) return;
  if (end.figures->lost > 0)
    session.remark(
        fmt::format("{} events were LOST: the recording could not keep up; record less "
                    "(--filter, --events), or use --policy block",
                    base::count_text(end.figures->lost)));
  if (cut_of(end) == Cut::disk) tell_disk(session, plan, "the disk is nearly full");
  if (cut_of(end) == Cut::output)
    tell_disk(session, plan, std::strerror(static_cast<int>(end.figures->write_error)));
}

// The file by the name that the user gave it, as far as it leads there.
void tell_next(const Session& session, const RecordingOptions& options, const RecordingPlan& plan) {
  if (session.common.quiet || session.common.json) return;
  std::string text = "Next:\n";
  for (const std::string& step : next_steps(options.output, look_into(plan.output), plan.events))
    text += fmt::format("  {}\n", step);
  print(text);
}

void tell_json(Session& session, const RecordingPlan& plan, const RecordingEnd& end, int code,
               bool complete) {
  std::string& out = session.out().text();
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.record/1");
  json.member("output", plan.output);
  json.member("format", plan.to);
  json.member("exit_code", code);
  json.member("signal", end.program ? end.program->signal : 0);
  json.member("seconds", end.seconds);
  json.member("clean_end", complete);
  json.key("cut_off");
  if (cut_of(end) == Cut::none) json.null();
  else json.value(word_of(cut_of(end)));
  if (end.figures) {
    json.member("events", end.figures->events);
    json.member("bytes", end.figures->bytes);
    json.member("lost", end.figures->lost);
    json.member("stalled", end.figures->stalled);
    json.member("write_error", end.figures->write_error);
  }
  json.end_object();
  out += '\n';
}

// What the program left in its memory, into the stream itself. Gives the exit code.
int append_rest(const Session& session, const RecordingPlan& plan, RecordingEnd& end) {
  const auto done = format::native::append_segments(plan.stream);
  std::error_code fault;
  if (done) fs::remove(plan.stream + ".segments", fault);
  if (!done || fault) {
    session.remark(
        fmt::format("what was left in memory is in {}.segments ({}); keep both files together",
                    plan.stream, done ? fault.message() : base::to_text(done.error())));
    return 0;
  }
  if (end.figures) end.figures->events += done->events;
  if (done->damaged != 0)
    session.remark(
        fmt::format("{} of its segments were damaged: a part of them is lost", done->damaged));
  return done->damaged != 0 ? kPartial : 0;
}

// The output from the stream, which goes away when that worked. Gives the exit code.
int convert_stream(const Session& session, const RecordingPlan& plan) {
  const auto made = run_ourselves({"convert", plan.stream, "--to", plan.to, "--private", "-o",
                                   plan.output, "--force", "--quiet"},
                                  true);
  if (!made) return session.fail(made.error());
  std::error_code fault;
  if (made->code != 0 && made->code != 4) {
    session.remark(
        fmt::format("{} could not be made; the recording is in {}", plan.output, plan.stream));
    return made->code;
  }
  fs::remove(plan.stream, fault);
  if (!fault) fs::remove(plan.stream + ".segments", fault);
  if (!fault) return made->code;
  return session.fail({base::Code::write_failed, {}, fault.message()}, plan.output);
}

// An agent needs room for a piece of its segments before it begins.
bool had_no_room(const RecordingPlan& plan) {
  constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
  return free_beside(plan.stream) < kLeast;
}

int without_recording(const Session& session, const RecordingPlan& plan, const RecordingEnd& end) {
  const int code = end.program ? end.program->code : 0;
  if (had_no_room(plan)) {
    tell_disk(session, plan, "there is no room for it; nothing was recorded");
    return code != 0 ? code : kPartial;
  }
  const std::string cause = cause_of_nothing(plan.runtime, plan.arguments);
  session.remark(fmt::format("there is no recording: {}; {} was not written",
                             cause.empty() ? kNobodyKnows : cause, plan.output));
  return code != 0 ? code : 1;
}

// Whole, in the format that was asked for. What a full disk cut off stays as it is: there is no
// room for another one, and every command reads both files. Gives the exit code.
int complete_stream(const Session& session, const RecordingPlan& plan, RecordingEnd& end,
                    bool complete) {
  const bool full = cut_of(end) == Cut::output;
  if (!complete && full && plan.output == plan.stream) {
    session.remark(fmt::format(
        "what was left in memory is in {}.segments; keep both files together", plan.stream));
    return 0;
  }
  if (!complete && !full)
    session.remark("the program ended without goodbye: what was left in its memory is added");
  if (plan.output != plan.stream) return convert_stream(session, plan);
  return complete ? 0 : append_rest(session, plan, end);
}

}  // namespace

void finish_child(const Session& session, const RecordingPlan& plan) {
  std::error_code none;
  const std::string name = fs::path(plan.output).filename();
  const bool complete = said_goodbye(plan);
  RecordingEnd end;
  const int code = complete_stream(session, plan, end, complete);
  if (code != 0 && code != kPartial) return;
  const auto size = fs::file_size(plan.output, none);
  session.remark(fmt::format("{}: {}{}", name, base::bytes_text(none ? 0 : size),
                             complete ? "" : ", ended without goodbye"));
}

int finish_recording(Session& session, const RecordingOptions& options, const RecordingPlan& plan,
                     RecordingEnd end) {
  if (!came_into_being(plan.stream)) return without_recording(session, plan, end);
  const bool complete = said_goodbye(plan);
  int code = complete_stream(session, plan, end, complete);
  const bool there = code == 0 || code == kPartial;
  tell_losses(session, plan, end);
  if (there) session.remark(in_short(plan, end));
  if (options.report && there) {
    const auto reported = run_ourselves({"report", plan.output}, session.common.json);
    if (reported && code == 0) code = reported->code;
  }
  if (there) tell_next(session, options, plan);
  if (code == 0 || cut_of(end) == Cut::disk || cut_of(end) == Cut::output)
    code = std::max(code_of(cut_of(end)), code == 1 ? 0 : code);
  if (end.program && end.program->code != 0) code = end.program->code;
  if (session.common.json) tell_json(session, plan, end, code, complete);
  return code;
}

}  // namespace polytrace::cli
