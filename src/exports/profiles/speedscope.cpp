// SPDX-License-Identifier: Apache-2.0
// speedscope's JSON, a profile per thread: of few calls their begins and ends in order ("evented"),
// else a sample for each distinct stack.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "base/text/json_writer.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"
#include "exports/profiles/call_log.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;
using base::JsonWriter;

std::string_view speedscope_unit(const analysis::Weight& weight) {
  switch (weight.unit) {
    case analysis::Unit::nanoseconds: return "nanoseconds";
    case analysis::Unit::bytes: return "bytes";
    default: return "none";
  }
}

void write_frames(JsonWriter& json, const std::vector<Profile::Frame>& frames) {
  json.key("shared");
  json.begin_object();
  json.key("frames");
  json.begin_array();
  for (const Profile::Frame& frame : frames) {
    json.begin_object();
    json.member("name", frame.name);
    if (!frame.file.empty()) json.member("file", frame.file);
    if (frame.line != 0) json.member("line", frame.line);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

// The thread that the app shows first.
std::uint64_t heaviest(const Profile& profile) {
  std::uint64_t best = 0, most = 0;
  for (std::size_t i = 0; i < profile.threads.size(); ++i) {
    std::uint64_t sum = 0;
    for (std::uint32_t node = profile.threads[i].begin; node < profile.threads[i].end; ++node)
      sum += profile.self(node);
    if (sum > most) best = i, most = sum;
  }
  return best;
}

class Threads {
 public:
  Threads(const Profile& profile, TextSink& out, JsonWriter& json)
      : profile_(profile), out_(out), json_(json) {}

  base::result<void> write() {
    json_.key("profiles");
    json_.begin_array();
    for (const Profile::Thread& thread : profile_.threads)
      if (auto written = write(thread); !written) return written;
    json_.end_array();
    return {};
  }

 private:
  base::result<void> write(const Profile::Thread& thread) {
    json_.new_line();
    json_.begin_object();
    json_.member("type", "sampled");
    json_.member("name", thread.name);
    json_.member("unit", speedscope_unit(*profile_.weight));
    json_.member("startValue", 0);
    json_.key("samples");
    json_.begin_array();
    for (std::uint32_t node = thread.begin; node < thread.end; ++node) {
      if (profile_.self(node) == 0) continue;
      write_stack(node);
      if (auto drained = out_.drain(); !drained) return drained;
    }
    json_.end_array();
    write_weights(thread);
    json_.end_object();
    return out_.drain();
  }
  void write_stack(std::uint32_t node) {
    stack_.clear();
    for (; node != Profile::kRoot; node = profile_.nodes[node].parent)
      stack_.push_back(profile_.nodes[node].frame);
    json_.begin_array();
    for (auto frame = stack_.rbegin(); frame != stack_.rend(); ++frame) json_.value(*frame);
    json_.end_array();
  }
  // Numbers as they are: the schema knows no text for large ones.
  void write_weights(const Profile::Thread& thread) {
    std::uint64_t sum = 0;
    json_.key("weights");
    json_.begin_array();
    for (std::uint32_t node = thread.begin; node < thread.end; ++node) {
      const std::uint64_t self = profile_.self(node);
      if (self != 0) json_.number(fmt::format_int(self).str());
      sum += self;
    }
    json_.end_array();
    json_.key("endValue");
    json_.number(fmt::format_int(sum).str());
  }

  const Profile& profile_;
  TextSink& out_;
  JsonWriter& json_;
  std::vector<std::uint32_t> stack_;
};

// Calls as they came. Times are since the first one.
class Timeline {
 public:
  Timeline(const CallLog& log, const Profile& profile, TextSink& out, JsonWriter& json)
      : log_(log), out_(out), json_(json) {
    std::map<std::string_view, const Profile::Frame*> known;  // files and lines
    for (const Profile::Frame& frame : profile.frames) known.try_emplace(frame.name, &frame);
    std::map<std::string_view, std::uint64_t> numbers;  // methods of one name are one
    numbers_.resize(log.methods());
    for (std::uint32_t method = 0; method < log.methods(); ++method) {
      const std::string& name = log.method_name(method);
      if (name.empty()) continue;
      const auto [number, fresh] = numbers.try_emplace(name, frames_.size());
      numbers_[method] = number->second;
      if (!fresh) continue;
      const auto same = known.find(name);
      frames_.push_back(same == known.end() ? Profile::Frame{name} : *same->second);
    }
  }

  const std::vector<Profile::Frame>& frames() const { return frames_; }
  std::uint64_t heaviest() const {
    std::uint64_t best = 0, most = 0, number = 0;
    for (const CallLog::Track& track : log_.tracks()) {
      if (track.entries.empty()) continue;
      if (track.total > most) best = number, most = track.total;
      ++number;
    }
    return best;
  }
  base::result<void> write() {
    json_.key("profiles");
    json_.begin_array();
    for (const CallLog::Track& track : log_.tracks()) {
      if (track.entries.empty()) continue;
      if (auto written = write(track); !written) return written;
    }
    json_.end_array();
    return {};
  }

 private:
  base::result<void> write(const CallLog::Track& track) {
    json_.new_line();
    json_.begin_object();
    json_.member("type", "evented");
    json_.member("name", log_.thread_name(track));
    json_.member("unit", "nanoseconds");
    write_time("startValue", track.entries.front().at);
    write_time("endValue", track.entries.back().at);
    json_.key("events");
    json_.begin_array();
    for (const CallLog::Entry& entry : track.entries) {
      json_.begin_object();
      json_.member("type", entry.opens ? "O" : "C");
      json_.member("frame", numbers_[entry.method]);
      write_time("at", entry.at);
      json_.end_object();
      if (auto drained = out_.drain(); !drained) return drained;
    }
    json_.end_array();
    json_.end_object();
    return out_.drain();
  }
  void write_time(std::string_view key, base::Time time) {
    json_.key(key);
    json_.number(
        fmt::format_int(static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(log_.first()))
            .str());
  }

  const CallLog& log_;
  TextSink& out_;
  JsonWriter& json_;
  std::vector<Profile::Frame> frames_;
  std::vector<std::uint64_t> numbers_;  // by method: index in frames_
};

}  // namespace

base::result<void> write_speedscope(const ProfileJob& job) {
  const Profile& profile = job.pruned.profile;
  TextSink out(job.sink);
  JsonWriter json(out.text(), JsonWriter::Form::one_line);
  json.begin_object();
  json.member("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.member("name", fmt::format("{}: {}", job.origin.trace, profile.weight->title));
  json.member("exporter", "polytrace " POLYTRACE_VERSION);
  std::optional<Timeline> timeline;
  if (job.calls != nullptr) timeline.emplace(*job.calls, profile, out, json);
  json.member("activeProfileIndex", timeline ? timeline->heaviest() : heaviest(profile));
  json.key("notes");
  json.begin_array();
  for (const std::string& sentence : job.account.sentences()) json.value(sentence);
  json.end_array();
  write_frames(json, timeline ? timeline->frames() : profile.frames);
  auto written = timeline ? timeline->write() : Threads(profile, out, json).write();
  if (!written) return written;
  json.end_object();
  out.text() += '\n';
  return out.flush();
}

}  // namespace polytrace::exports
