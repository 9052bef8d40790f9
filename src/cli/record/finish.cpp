// SPDX-License-Identifier: Apache-2.0
// What follows a recording.
#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "cli/record/recording.hpp"
#include "format/native/wire.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;

// A header, at least: else nobody has recorded anything.
bool came_into_being(const std::string& stream) {
  std::error_code none;
  const auto size = fs::file_size(stream, none);
  return !none && size >= sizeof(format::native::StreamHeader);
}

std::string in_short(const RecordingPlan& plan, const RecordingEnd& end,
                     const show::Numerals& numerals) {
  std::error_code none;
  std::string text = fmt::format("{}:", fs::path(plan.output).filename().string());
  if (end.figures)
    text += fmt::format(" {} events,", show::count_text(end.figures->events, numerals));
  const auto size = fs::file_size(plan.output, none);
  text += fmt::format(" {}, {}", show::bytes_text(none ? 0 : size),
                      show::duration_text(static_cast<std::int64_t>(end.seconds * 1e9), numerals));
  if (end.figures && end.figures->lost == 0) text += ", nothing lost";
  return text;
}

void tell_losses(const Session& session, const RecordingEnd& end, const show::Numerals& numerals) {
  if (!end.figures) return;
  if (end.figures->lost > 0)
    session.remark(
        fmt::format("{} events were LOST: the recording could not keep up; record less "
                    "(--filter, --events), or use --policy block",
                    show::count_text(end.figures->lost, numerals)));
  if (end.figures->write_error != 0)
    session.remark(fmt::format("recording ended early: {}",
                               std::strerror(static_cast<int>(end.figures->write_error))));
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

// The output from the stream, which goes away when that worked. Gives the exit code.
int convert_stream(const Session& session, const RecordingPlan& plan) {
  const bool in_place = plan.output == plan.stream;
  const std::string target = in_place ? plan.stream + ".whole" : plan.output;
  const auto made = run_ourselves(
      {"convert", plan.stream, "--to", plan.to, "-o", target, "--force", "--quiet"}, true);
  if (!made) return session.fail(made.error());
  std::error_code fault;
  if (made->code != 0 && made->code != 4) {
    session.remark(
        fmt::format("{} could not be made; the recording is in {}", plan.output, plan.stream));
    return made->code;
  }
  if (in_place) fs::rename(target, plan.stream, fault);
  else fs::remove(plan.stream, fault);
  if (!fault) fs::remove(plan.stream + ".segments", fault);
  if (!fault) return made->code;
  return session.fail({base::Code::write_failed, {}, fault.message()}, plan.output);
}

int without_recording(const Session& session, const RecordingPlan& plan, const RecordingEnd& end) {
  const int code = end.program ? end.program->code : 0;
  session.remark(
      fmt::format("there is no recording: the program ended before the agent began, or the runtime "
                  "did not load "
                  "the agent (see what it printed); {} was not written",
                  plan.output));
  return code != 0 ? code : 1;
}

}  // namespace

int finish_recording(Session& session, const RecordingOptions& options, const RecordingPlan& plan,
                     const RecordingEnd& end) {
  if (!came_into_being(plan.stream)) return without_recording(session, plan, end);
  std::error_code none;
  const bool complete = !fs::exists(plan.stream + ".segments", none);
  if (!complete)
    session.remark("the program ended without goodbye: what was left in its memory is added");
  int code = 0;
  if (!complete || plan.output != plan.stream) code = convert_stream(session, plan);
  const show::Numerals numerals{session.error_terminal().unicode};
  tell_losses(session, end, numerals);
  if (code == 0 || code == 4) session.remark(in_short(plan, end, numerals));
  if (options.report && (code == 0 || code == 4)) {
    const auto reported = run_ourselves({"report", plan.output}, session.common.json);
    if (reported && code == 0) code = reported->code;
  }
  if (end.program && end.program->code != 0) code = end.program->code;
  if (session.common.json) tell_json(session, plan, end, code, complete);
  return code;
}

}  // namespace polytrace::cli
