// SPDX-License-Identifier: Apache-2.0
#include "service/record/finish.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <filesystem>

#include "base/codes.hpp"
#include "base/text/json_writer.hpp"
#include "format/native/native.hpp"
#include "format/native/wire/wire.hpp"
#include "service/runtimes/causes.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;
using agent::Cut;
using Next = LeftRecording::Next;

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

std::string_view word_of(Cut cut) {
  if (cut == Cut::limit) return "limit";
  return cut == Cut::disk ? "disk" : "output";
}

// What the program left in its memory, into the stream itself.
CompletedRecording add_memory(const RecordingPlan& plan, RecordingEnd& end) {
  CompletedRecording done;
  const auto added = format::native::append_segments(plan.stream);
  std::error_code fault;
  if (added) fs::remove(plan.stream + ".segments", fault);
  if (!added || fault) {
    done.not_added = added ? fault.message() : base::to_text(added.error());
    return done;
  }
  if (end.figures) end.figures->events += added->events;
  done.damaged = added->damaged;
  if (done.damaged != 0) done.code = CompletedRecording::kPartly;
  return done;
}

CompletedRecording failed(const base::Error& error, const std::string& file) {
  return {.code = base::describe(error.code).exit, .fault = Refusal{error, file}};
}

// The output from the stream, which goes away when that worked.
CompletedRecording convert_stream(const RecordingPlan& plan, const Convert& convert) {
  const auto made = convert(plan);
  if (!made) return failed(made.error(), {});
  CompletedRecording done{.code = *made};
  if (!done.is_there()) return done;
  std::error_code fault;
  fs::remove(plan.stream, fault);
  if (!fault) fs::remove(plan.stream + ".segments", fault);
  if (!fault) return done;
  return failed({base::Code::write_failed, {}, fault.message()}, plan.output);
}

}  // namespace

std::uint64_t free_beside(const std::string& file) {
  struct statvfs about{};
  const std::string folder = fs::path(file).parent_path();
  if (statvfs(folder.c_str(), &about) != 0) return UINT64_MAX;
  return std::uint64_t{about.f_bavail} * about.f_frsize;
}

std::optional<MissingRecording> find_missing(const RecordingPlan& plan) {
  // An agent needs room for a piece of its segments before it begins.
  constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
  if (came_into_being(plan.stream)) return {};
  if (free_beside(plan.stream) < kLeast) return MissingRecording{true, {}};
  std::string cause = cause_of_nothing(plan.runtime, plan.arguments);
  if (cause.empty()) cause = kNobodyKnows;
  return MissingRecording{false, std::move(cause)};
}

LeftRecording look_at(const RecordingPlan& plan, const RecordingEnd& end) {
  LeftRecording left;
  const bool full = end.cut() == Cut::output;
  left.goodbye = said_goodbye(plan);
  left.adds_memory = !left.goodbye && !full;
  if (plan.output != plan.stream) left.next = Next::convert;
  else if (!left.goodbye) left.next = full ? Next::keep_both : Next::add_memory;
  return left;
}

CompletedRecording complete_recording(const RecordingPlan& plan, const LeftRecording& left,
                                      const Convert& convert, RecordingEnd& end) {
  if (left.next == Next::convert) return convert_stream(plan, convert);
  return left.next == Next::add_memory ? add_memory(plan, end) : CompletedRecording{};
}

std::optional<Overview> look_into(const std::string& file) {
  constexpr std::uintmax_t kMostBytes = 64U << 20;  // read in half a second
  std::error_code fault;
  if (fs::file_size(file, fault) > kMostBytes || fault) return {};
  const Input input({.file = file});
  auto opened = input.open();
  if (!opened) return {};
  OverviewConsumer consumer;
  const event::PumpOutcome outcome = event::pump(*opened->reader, consumer, {});
  if (outcome.error) return {};
  return consumer.take();
}

std::string record_json(const RecordingPlan& plan, const RecordingEnd& end,
                        const LeftRecording& left, int code) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.record/1");
  json.member("output", plan.output);
  json.member("format", plan.to);
  json.member("exit_code", code);
  json.member("signal", end.program ? end.program->signal : 0);
  json.member("seconds", end.seconds);
  json.member("clean_end", left.goodbye);
  json.key("cut_off");
  if (end.cut() == Cut::none) json.null();
  else json.value(word_of(end.cut()));
  if (end.figures) {
    json.member("events", end.figures->events);
    json.member("bytes", end.figures->bytes);
    json.member("lost", end.figures->lost);
    json.member("stalled", end.figures->stalled);
    json.member("write_error", end.figures->write_error);
    json.member("uninstrumented", end.figures->left_out);
  }
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
