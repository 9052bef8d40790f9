// SPDX-License-Identifier: Apache-2.0
#include "cli/record/recording.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/frame/errors.hpp"
#include "cli/frame/signals.hpp"
#include "service/convert/conversion_target.hpp"
#include "service/selection/times.hpp"

namespace polytrace::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr double kHurry = 10;  // seconds in which an agent has begun, if it ever does

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

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

  void update(LiveStatus& status, double seconds) {
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
  static std::string json(const RecordingFigures& figures, double seconds) {
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

base::result<void> make_room(const std::string& path, bool force) {
  std::error_code fault;
  if (!fs::exists(fs::symlink_status(path, fault))) return {};
  if (!force) return base::fail(base::Code::output_exists, path);
  if (fs::is_regular_file(path, fault) && fs::remove(path, fault)) return {};
  return base::fail(base::Code::write_failed, fmt::format("{}: cannot be replaced", path));
}

}  // namespace

void add_recording_options(OptionList& list, RecordingOptions& options) {
  list.add("-o,--output", options.output, "The recording")
      .takes("FILE")
      .shows_default()
      .in("Output");
  list.add("--format", options.to,
           "Its format: any that polytrace writes (default: by its ending, else native)")
      .takes("FORMAT[:VERSION]")
      .in("Output");
  list.add("-f,--force", options.force, "Replace an existing file").in("Output");
  list.add("--duration", options.duration,
           "Stop recording after so long, for example 30s; the program goes on")
      .takes("TIME")
      .in("What is recorded");
  list.add("--report", options.report, "Print a report of it at the end").in("Output");
}

base::result<RecordingPlan> plan_recording(const RecordingOptions& options) {
  if (options.output == "-")
    return base::fail(base::Code::usage, "standard output belongs to the program: name a file");
  const format::Format* native = format::find_format("native");
  service::TargetOptions target;
  target.output = options.output;
  target.to = options.to;
  const auto chosen = service::choose_format(target, *native);
  if (!chosen) return tl::unexpected(chosen.error());
  RecordingPlan plan;
  plan.output = fs::absolute(options.output).lexically_normal();
  plan.to = options.to.empty() ? std::string((*chosen)->name) : options.to;
  plan.stream = *chosen == native ? plan.output : plan.output + ".ptrace";
  if (!options.duration.empty()) {
    const auto length = service::parse_shift(options.duration);
    if (!length) return tl::unexpected(length.error());
    plan.duration = std::chrono::nanoseconds(*length);
  }
  for (const std::string& path : {plan.output, plan.stream, plan.stream + ".segments"}) {
    if (const auto free = make_room(path, options.force); !free)
      return tl::unexpected(free.error());
  }
  return plan;
}

RecordingEnd watch_recording(const Session& session, const RecordingPlan& plan,
                             const std::function<bool()>& ended,
                             const std::function<void()>& stop) {
  const auto begin = Clock::now();
  const double most = std::chrono::duration<double>(plan.duration).count();
  RecordingEnd end;
  LiveStatus status(plan.stream);
  bool stopped = false;
  {
    LiveLine line(session);
    // The counters are only there while the program runs: look often until they are found, but not
    // for ever.
    const auto is_cut = [&] {
      const auto figures = plan.ends_when_cut ? status.figures() : std::nullopt;
      return figures && figures->cut != agent::Cut::none;
    };
    while (!ended() && !is_cut()) {
      const bool due = stop_asked() || (most > 0 && seconds_since(begin) >= most);
      if (due && !stopped) stop();
      stopped |= due;
      line.update(status, seconds_since(begin));
      std::this_thread::sleep_for(
          milliseconds(status.found() || seconds_since(begin) > kHurry ? 20 : 2));
    }
  }
  end.seconds = seconds_since(begin);
  end.figures = status.figures();
  return end;
}

}  // namespace polytrace::cli
