// SPDX-License-Identifier: Apache-2.0
#include "agent/control/recorder_handler.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "agent/common/memory/clock.hpp"
#include "agent/common/record/recorder.hpp"
#include "agent/common/stream/converter.hpp"
#include "agent/common/stream/output.hpp"

namespace polytrace::agent::control {
namespace {

constexpr base::Duration kPatience = 5'000'000'000;  // of flush and stop, nanoseconds
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kLongest = 1'000'000'000'000;  // of a recording: milliseconds, 30 years

struct FigureRow {
  std::string_view name;
  Status::Counter Status::* counter;
};
constexpr FigureRow kFigures[] = {{"events", &Status::events},
                                  {"definitions", &Status::definitions},
                                  {"bytes", &Status::bytes},
                                  {"blocks", &Status::blocks},
                                  {"lost", &Status::lost},
                                  {"stalls", &Status::stalls},
                                  {"stalled_ns", &Status::stalled},
                                  {"threads", &Status::threads},
                                  {"segment_bytes", &Status::segment_bytes},
                                  {"segment_bytes_used", &Status::segment_bytes_used},
                                  {"writer_lag_ns", &Status::lag},
                                  {"write_error", &Status::write_error}};

FormatOption format_option(std::string_view format) {
  if (format == "native") return FormatOption::native;
  return format == "tbf" || format == "binary" ? FormatOption::tbf : FormatOption::xml;
}

ServerMode mode_of(agent::Server server) {
  if (server == agent::Server::standalone) return ServerMode::standalone;
  return server == agent::Server::enabled ? ServerMode::enabled : ServerMode::controlled;
}

// A file of the nth recording must not be that of another: out.ptrace, out.2.ptrace.
std::string name_of_recording(const Options& options, std::uint64_t n) {
  std::string name = options.file;
  if (n < 2) return name;
  if (name.empty()) name = default_name(options.format);
  const std::size_t folder = name.rfind('/') + 1;  // 0 where there is none
  const std::size_t dot = name.rfind('.');
  const bool has_end = dot != std::string::npos && dot > folder;
  return name.insert(has_end ? dot : name.size(), "." + std::to_string(n));
}

const char* name_of_clock(ClockChoice choice) {
  if (choice == ClockChoice::coarse) return "coarse";
  return choice == ClockChoice::monotonic || !has_invariant_counter() ? "monotonic" : "tsc";
}

Reply not_now(std::string_view text) { return Reply::refused(Outcome::wrong_state, text); }

Reply failed(const Faults& faults) {
  std::string text;
  for (const std::string& fault : faults) text += (text.empty() ? "" : "; ") + fault;
  return Reply::refused(Outcome::failed, text);
}

}  // namespace

ServerConfig server_config(Options& options, Faults& faults) {
  ServerConfig config;
  config.connect = options.connect;
  config.token_file = options.token_file;
  config.format = format_option(options.format);
  config.mode = mode_of(options.server);
  config.heap_dumps = options.heap_dump != HeapDump::never;
  config.converter = find_converter(options);
  config.drain_ms = options.drain;
  if (!parse_control_option(options.control, config))
    faults.push_back("control=" + options.control + ": none, unix or tcp:127.0.0.1:PORT");
  if (config.mode == ServerMode::standalone) return config;
  if (!config.wanted()) config.listen_unix = true;
  if (options.format.empty() || options.format == "native") return config;
  if (config.format == FormatOption::xml && options.format != "trcxml")
    faults.push_back("format=" + options.format + ": no client can have it; they get XML");
  // A name for XML would be misleading.
  if (!options.file.empty())
    faults.push_back("file=" + options.file + ": not written: with server= clients get format=" +
                     options.format + ", and the agent keeps polytrace-PID.ptrace");
  options.format = "native";
  options.file.clear();
  return config;
}

RecorderHandler::RecorderHandler(Options options, Facts facts)
    : options_(std::move(options)), facts_(std::move(facts)) {
  facts_.clock = name_of_clock(options_.clock);
  for (const auto& [name, value] : options_.labels) facts_.labels.push_back(name + '=' + value);
}

State RecorderHandler::state() {
  const State state = Recorder::the().state();
  return state == State::failed ? State::idle : state;
}

Reply RecorderHandler::status() {
  const Status& status = Recorder::the().status();
  Reply reply = Reply::ok();
  for (const FigureRow& row : kFigures)
    reply.figures.push_back({std::string(row.name), (status.*row.counter).load()});
  return reply;
}

Reply RecorderHandler::start(const StartRequest& request) {
  if (!request.events.empty())
    return Reply::refused(Outcome::unsupported, "this agent records what it was started for");
  if (state() == State::paused) return resume();
  if (state() != State::idle) return not_now("runs already");
  if (!prepare()) return Reply::refused(Outcome::failed, "too many recordings of one process");
  const Reply reply = start_next(request);
  if (reply.outcome == Outcome::ok) begun();
  return reply;
}

Reply RecorderHandler::start_next(const StartRequest& request) {
  const bool first = recordings_ == 0 && *Recorder::the().output_name() == 0;
  recordings_ = first ? 0 : std::max<std::uint64_t>(recordings_, 1);
  Options options = options_;
  options.file = name_of_recording(options, recordings_ + 1);
  if (request.limit_bytes != 0) options.limit = request.limit_bytes;
  if (request.duration_ms != 0)
    options.duration = std::min(request.duration_ms, kLongest) * kMillisecond;
  Faults faults;
  if (!Recorder::the().start(options, faults)) return failed(faults);
  ++recordings_;
  file_.close();
  stream_ = kept_ = read_ = lost_told_ = 0;
  trimmer_ = {};
  fault_told_ = false;
  if (!request.session.empty())
    define(event::Setting{.key = "session", .value = request.session}, base::kNoId);
  return {Outcome::ok, Recorder::the().output_name(), {}};
}

Reply RecorderHandler::stop() {
  if (Recorder::the().state() == State::idle) return not_now("does not run");
  if (Recorder::the().stop(kPatience)) return Reply::ok();
  return Reply::refused(Outcome::failed, "not everything could be written in time");
}

Reply RecorderHandler::pause() {
  if (state() != State::running) return not_now("does not run");
  Recorder::the().pause();
  return Reply::ok();
}

Reply RecorderHandler::resume() {
  if (state() != State::paused) return not_now("is not paused");
  Recorder::the().resume();
  return Reply::ok();
}

Reply RecorderHandler::flush() {
  if (state() != State::running && state() != State::paused) return not_now("does not run");
  if (Recorder::the().flush(kPatience)) return Reply::ok();
  return Reply::refused(Outcome::failed, "not everything could be written in time");
}

Reply RecorderHandler::annotate(std::string_view text) {
  if (!Recorder::the().running()) return not_now("does not run");
  define(event::Note{text}, base::kNoId);
  return Reply::ok();
}

void RecorderHandler::tell_faults() {
  constexpr base::Duration kPause = 1'000'000'000;
  const Status& status = Recorder::the().status();
  const std::uint64_t lost = status.lost.load();
  const base::Time now = monotonic_now();
  if (lost > lost_told_ && now - lost_told_at_ >= kPause) {
    notices_.add(NoticeCode::gap, std::to_string(lost - lost_told_) + " events were dropped");
    lost_told_ = lost;
    lost_told_at_ = now;
  }
  const auto cut = static_cast<Cut>(status.cut.load());
  if (cut == Cut::none || fault_told_) return;
  if (cut == Cut::limit)
    notices_.add(NoticeCode::overflow, "the recording is as large as it was to be");
  else if (cut == Cut::time)
    notices_.add(NoticeCode::overflow, "the recording has lasted as long as it was to");
  else if (cut == Cut::disk) notices_.add(NoticeCode::overflow, "the disk is nearly full");
  else
    notices_.add(NoticeCode::overflow,
                 std::string("nothing more can be written: ") +
                     std::strerror(static_cast<int>(status.write_error.load())));
  fault_told_ = true;
  stop();  // the runtime need not tell any more, and another recording may begin
}

Reply RecorderHandler::kept(std::uint64_t stream, std::uint64_t offset) {
  const StreamState there = this->stream();
  if (stream == 0 || there.id != stream)
    return Reply::refused(Outcome::invalid, "the stream is another one");
  if (offset > there.length) return Reply::refused(Outcome::invalid, "the stream is shorter");
  kept_ = std::max(kept_, offset);
  return Reply::ok();
}

bool RecorderHandler::trim() {
  if (!dials()) return true;
  const StreamState there = stream();
  if (there.id == 0 || !trimmer_.able()) return true;
  return !trimmer_.drop_before(kept_, readers_).more && !make_room(there.length).more;
}

// While it is recorded, so that it says what it lacks.
Trimmer::Dropped RecorderHandler::make_room(std::uint64_t length) {
  const State now = state();
  const bool grows = now == State::running || now == State::paused;
  if (!grows || options_.spool == 0 || length <= options_.spool) return {};
  const std::uint64_t limit = length - options_.spool;
  if (limit <= trimmer_.reached()) return {};
  // Of clients that know no KEPT, having read must do.
  for (const std::uint64_t reader : readers_) read_ = std::max(read_, reader);
  if (kept_ == 0 && read_ > trimmer_.reached()) {
    const Trimmer::Dropped read = trimmer_.drop_before(std::min(limit, read_), readers_);
    if (read.more || limit <= read_) return read;
  }
  const Trimmer::Dropped dropped = trimmer_.drop_before(limit, readers_);
  if (dropped.events != 0)
    Recorder::the().tell_lost(dropped.events, dropped.from, dropped.to,
                              "nobody took them while there was room");
  return dropped;
}

int RecorderHandler::look_around() {
  constexpr int kGlance = 100;  // milliseconds
  if (!trim()) return 0;
  tell_faults();
  const State now = Recorder::the().state();
  const bool goes_on = now == State::running || now == State::paused;
  return goes_on || (now == State::failed && !fault_told_) ? kGlance : -1;
}

StreamState RecorderHandler::stream() {
  if (options_.format != "native") return {};
  const std::string name = Recorder::the().output_name();
  if (!file_ && !name.empty())
    file_ = Descriptor(open(name.c_str(), (dials() ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW));
  if (!file_) return {};
  format::native::StreamHeader header;
  if (stream_ == 0 && pread(file_.get(), &header, sizeof(header), 0) == sizeof(header) &&
      header.magic == format::native::kStreamMagic) {
    stream_ = header.stream;
    if (dials()) trimmer_.begin(file_.get());
  }
  struct stat found{};
  if (stream_ == 0 || fstat(file_.get(), &found) != 0) return {};
  return {stream_, static_cast<std::uint64_t>(found.st_size), state() == State::idle};
}

std::size_t RecorderHandler::read_stream(std::uint64_t offset, std::span<std::uint8_t> into) {
  const std::uint64_t there = std::min<std::uint64_t>(into.size(), trimmer_.kept_from(offset));
  const ssize_t got = pread(file_.get(), into.data(), there, static_cast<off_t>(offset));
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace polytrace::agent::control
