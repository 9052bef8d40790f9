// SPDX-License-Identifier: Apache-2.0
// speedscope's JSON: one sampled profile per thread, a sample for each distinct stack.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json_writer.hpp"
#include "export/target.hpp"
#include "export/text_sink.hpp"

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

void write_frames(JsonWriter& json, const Profile& profile) {
  json.key("shared");
  json.begin_object();
  json.key("frames");
  json.begin_array();
  for (const Profile::Frame& frame : profile.frames) {
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

}  // namespace

base::result<void> write_speedscope(const ProfileJob& job) {
  const Profile& profile = job.pruned.profile;
  TextSink out(job.sink);
  JsonWriter json(out.text(), JsonWriter::Form::one_line);
  json.begin_object();
  json.member("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.member("name", fmt::format("{}: {}", job.origin.trace, profile.weight->title));
  json.member("exporter", "polytrace " POLYTRACE_VERSION);
  json.member("activeProfileIndex", heaviest(profile));
  json.key("notes");
  json.begin_array();
  for (const std::string& sentence : job.account.sentences()) json.value(sentence);
  json.end_array();
  write_frames(json, profile);
  if (auto written = Threads(profile, out, json).write(); !written) return written;
  json.end_object();
  out.text() += '\n';
  return out.flush();
}

}  // namespace polytrace::exports
