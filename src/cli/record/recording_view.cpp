// SPDX-License-Identifier: Apache-2.0
#include "cli/record/recording_view.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/frame/signals.hpp"
#include "service/record/finish.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;
using agent::Cut;
using event::Kind;
using Plan = service::RecordingPlan;
using End = service::RecordingEnd;

constexpr int kNotRun = 127;
constexpr int kPartial = service::CompletedRecording::kPartly;
constexpr int kLimitReached = 6;
constexpr std::size_t kMostSteps = 3;

// The line that tells how far the recording has come.
class LiveLine {
 public:
  explicit LiveLine(const Session& session)
      : json_(session.common.progress == "json" && !session.common.no_progress),
        line_(!json_ && session.error_terminal().is_tty && !session.common.quiet &&
              !session.common.no_progress) {}
  LiveLine(const LiveLine&) = delete;
  LiveLine& operator=(const LiveLine&) = delete;
  ~LiveLine() {
    if (shown_) print_live("");
  }

  void update(service::LiveStatus& status, double seconds) {
    if ((!line_ && !json_) || seconds < next_) return;
    next_ = seconds + 0.25;
    const auto figures = status.figures();
    if (!figures) return;
    if (json_) return print(json(*figures, seconds));
    shown_ = true;
    print_live(fmt::format("recording: {} events, {}, {} lost, {:.0f} s",
                           base::count_text(figures->events), base::bytes_text(figures->bytes),
                           base::count_text(figures->lost), seconds));
  }

 private:
  static std::string json(const service::RecordingFigures& figures, double seconds) {
    std::string out;
    base::JsonWriter json(out, base::JsonWriter::Form::one_line);
    json.begin_object();
    json.member("events", figures.events);
    json.member("bytes", figures.bytes);
    json.member("lost", figures.lost);
    json.member("seconds", seconds);
    json.end_object();
    return out + '\n';
  }

  bool json_, line_;
  bool shown_ = false;
  double next_ = 0.25;
};

// It ends with the process that wants its result: that may be killed.
[[noreturn]] void become(const std::vector<std::string>& words, bool output_to_error,
                         pid_t parent) {
  std::vector<char*> all;
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(0);
  if (output_to_error) dup2(STDERR_FILENO, STDOUT_FILENO);
  execv(all[0], all.data());
  _exit(kNotRun);
}

// This program with other words, run to its end; killed with us. Gives the code of its exit.
// Errors: open_failed.
base::result<int> run_ourselves(std::vector<std::string> words, bool output_to_error) {
  words.insert(words.begin(), service::own_path());
  const pid_t before = getpid();
  const pid_t process = fork();
  if (process < 0) return base::system_fault(base::Code::open_failed);
  if (process == 0) become(words, output_to_error, before);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR)
    if (stop_asked()) kill(process, SIGTERM);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// What recordings hold, the most telling first.
struct Telling {
  Kind kind;
  std::string_view event;  // of --events
  std::string_view section;
};
constexpr Telling kTellings[] = {{Kind::Alloc, "alloc", "allocations"},
                                 {Kind::Throw, "exceptions", "exceptions"},
                                 {Kind::Monitor, "monitors", "monitors"},
                                 {Kind::Gc, "gc", "collections"}};

class Holds {
 public:
  Holds(const std::optional<service::Overview>& seen, const std::string& events)
      : seen_(seen), events_(events) {}
  bool any(Kind kind, std::string_view event) const {
    if (seen_) return seen_->events[static_cast<std::size_t>(kind)] != 0;
    return !event.empty() && events_.find(event) != events_.npos;
  }

 private:
  const std::optional<service::Overview>& seen_;
  const std::string& events_;
};

// At most three command lines that make sense for what is in it, to be pasted. `events`: what was
// to be recorded, for a file that nobody has looked into.
std::vector<std::string> next_steps(const std::string& file,
                                    const std::optional<service::Overview>& seen,
                                    const std::string& events) {
  const Holds holds(seen, events);
  const std::string program = own_command();
  const std::string name = as_operand(file);
  std::vector<std::string> steps = {fmt::format("{} report {}", program, name)};
  if (holds.any(Kind::Enter, "calls") || holds.any(Kind::SummaryBegin, "") ||
      holds.any(Kind::Sample, "samples")) {
    const std::string page = fs::path(file).replace_extension(".html");
    steps.push_back(fmt::format("{} flame {} -o {}", program, name, as_operand(page)));
  }
  if (holds.any(Kind::Dump, "")) steps.push_back(fmt::format("{} heap {}", program, name));
  for (const Telling& topic : kTellings)
    if (steps.size() < kMostSteps && holds.any(topic.kind, topic.event))
      steps.push_back(fmt::format("{} report --sections {} {}", program, topic.section, name));
  return steps;
}

int code_of(Cut cut) {
  if (cut == Cut::none) return 0;
  return cut == Cut::limit ? kLimitReached : kPartial;
}

std::string in_short(const Plan& plan, const End& end) {
  std::error_code none;
  const Cut cut = end.cut();
  std::string text = fmt::format("{}:", fs::path(plan.output).filename().string());
  if (cut == Cut::limit) text += fmt::format(" cut off at its limit (--limit {}):", plan.limit);
  else if (cut != Cut::none) text += " cut off:";
  if (end.figures) text += fmt::format(" {} events,", base::count_text(end.figures->events));
  const auto size = fs::file_size(plan.output, none);
  text += fmt::format(" {}, {}", base::bytes_text(none ? 0 : size),
                      base::duration_text(static_cast<std::int64_t>(end.seconds * 1e9)));
  if (cut == Cut::none && end.figures && end.figures->lost == 0)
    text += end.figures->left_out == 0 ? ", nothing lost" : ", nothing else lost";
  return text;
}

void tell_disk(const Session& session, const Plan& plan, const std::string& why) {
  session.remark(fmt::format("the recording was cut off: {}; {} is free beside {}", why,
                             base::bytes_text(service::free_beside(plan.stream)), plan.stream));
}

void tell_losses(const Session& session, const Plan& plan, const End& end) {
  if (!end.figures) return;
  if (end.figures->lost > 0)
    session.remark(
        fmt::format("{} events were LOST: the recording could not keep up; record less "
                    "(--filter, --events), or use --policy block",
                    base::count_text(end.figures->lost)));
  if (end.cut() == Cut::disk) tell_disk(session, plan, "the disk is nearly full");
  if (end.cut() == Cut::output)
    tell_disk(session, plan, std::strerror(static_cast<int>(end.figures->write_error)));
}

// What could not be instrumented, by name as far as the file is small enough to look into.
void tell_left_out(const Session& session, const Plan& plan, const End& end) {
  if (!end.figures || end.figures->left_out == 0) return;
  const auto seen = service::look_into(plan.output);
  if (!seen)
    return session.remark(
        fmt::format("not recorded: {} (polytrace report --sections left-out names them)",
                    base::count_text(end.figures->left_out, "method that could not be instrumented",
                                     "methods that could not be instrumented")));
  for (const auto& group : seen->uninstrumented.groups())
    session.remark(fmt::format("not recorded: {}", printable(analysis::text_of(group))));
}

// The file by the name that the user gave it, as far as it leads there.
void tell_next(const Session& session, const Plan& plan) {
  if (session.common.quiet || session.common.json) return;
  std::string text = "Next:\n";
  for (const std::string& step :
       next_steps(plan.named, service::look_into(plan.output), plan.events))
    text += fmt::format("  {}\n", step);
  print(text);
}

int tell_missing(const Session& session, const Plan& plan, const End& end,
                 const service::MissingRecording& missing) {
  const int code = end.program ? end.program->code : 0;
  if (missing.no_room) {
    tell_disk(session, plan, "there is no room for it; nothing was recorded");
    return code != 0 ? code : kPartial;
  }
  session.remark(
      fmt::format("there is no recording: {}; {} was not written", missing.cause, plan.output));
  return code != 0 ? code : 1;
}

base::result<int> run_conversion(const Plan& plan) {
  return run_ourselves({"convert", plan.stream, "--to", plan.to, "--private", "-o", plan.output,
                        "--force", "--quiet"},
                       true);
}

// What became of the stream. Gives the exit code.
int tell_completed(const Session& session, const Plan& plan,
                   const service::CompletedRecording& done) {
  if (done.fault) return session.refuse(*done.fault);
  if (!done.is_there())
    session.remark(
        fmt::format("{} could not be made; the recording is in {}", plan.output, plan.stream));
  if (!done.not_added.empty())
    session.remark(
        fmt::format("what was left in memory is in {}.segments ({}); keep both files together",
                    plan.stream, done.not_added));
  if (done.damaged != 0)
    session.remark(
        fmt::format("{} of its segments were damaged: a part of them is lost", done.damaged));
  return done.code;
}

// Whole, in the format that was asked for. Gives the exit code.
int complete(const Session& session, const Plan& plan, const service::LeftRecording& left,
             End& end) {
  if (left.next == service::LeftRecording::Next::keep_both)
    session.remark(fmt::format(
        "what was left in memory is in {}.segments; keep both files together", plan.stream));
  if (left.adds_memory)
    session.remark("the program ended without goodbye: what was left in its memory is added");
  return tell_completed(session, plan,
                        service::complete_recording(plan, left, run_conversion, end));
}

}  // namespace

void tell_gaps(const Session& session, const std::vector<service::Gap>& gaps) {
  std::string text;
  for (const service::Gap& gap : gaps)
    text += fmt::format("{}{} ({})", text.empty() ? "left out: " : ", ", gap.what, gap.how);
  if (!text.empty()) session.remark(text);
}

End watch_recording(const Session& session, const Plan& plan, std::function<bool()> ended,
                    std::function<void()> stop) {
  LiveLine line(session);
  return service::watch_recording(
      plan, {std::move(ended), [] { return stop_asked().load(); }, std::move(stop),
             [&](service::LiveStatus& status, double seconds) { line.update(status, seconds); }});
}

void finish_other(const Session& session, const Plan& plan) {
  std::error_code none;
  End end;
  const service::LeftRecording left = service::look_at(plan, end);
  const int code = complete(session, plan, left, end);
  if (code != 0 && code != kPartial) return;
  const auto size = fs::file_size(plan.output, none);
  session.remark(fmt::format("{}: {}{}", fs::path(plan.output).filename().string(),
                             base::bytes_text(none ? 0 : size),
                             left.goodbye ? "" : ", ended without goodbye"));
}

int finish_recording(Session& session, const Plan& plan, bool report, End end) {
  if (const auto missing = service::find_missing(plan))
    return tell_missing(session, plan, end, *missing);
  const service::LeftRecording left = service::look_at(plan, end);
  int code = complete(session, plan, left, end);
  const bool there = code == 0 || code == kPartial;
  tell_losses(session, plan, end);
  if (there) tell_left_out(session, plan, end);
  if (there) session.remark(in_short(plan, end));
  if (report && there) {
    const auto reported = run_ourselves({"report", plan.output}, session.common.json);
    if (reported && code == 0) code = *reported;
  }
  if (there) tell_next(session, plan);
  if (code == 0 || end.cut() == Cut::disk || end.cut() == Cut::output)
    code = std::max(code_of(end.cut()), code == 1 ? 0 : code);
  if (end.program && end.program->code != 0) code = end.program->code;
  if (session.common.json) session.out().text() += service::record_json(plan, end, left, code);
  return code;
}

}  // namespace polytrace::cli
