// SPDX-License-Identifier: Apache-2.0
// Callgrind's format: self costs by method, and inclusive costs by caller and callee. A call of a
// method that is already on the stack is told without cost, so that inclusive costs of recursive
// methods do not count twice.
#include <fmt/format.h>

#include <iterator>
#include <map>

#include "analysis/table/tree_order.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"

namespace polytrace::exports {
namespace {

using analysis::Amount;
using analysis::Profile;

struct CostEdge {
  std::uint64_t calls = 0;
  std::uint64_t cost = 0;
};

struct Method {
  std::uint64_t self = 0;
  std::map<std::uint32_t, CostEdge> callees;  // by frame
};

std::vector<Method> methods_of(const Profile& profile) {
  const std::vector<Amount> totals = profile.totals();
  const bool has_calls = profile.weight->carrier == analysis::Carrier::calls ||
                         profile.weight->carrier == analysis::Carrier::cpu;
  std::vector<Method> methods(profile.frames.size());
  std::vector<std::uint32_t> open(profile.frames.size());  // how often it is on the stack
  analysis::Children children{std::span(profile.nodes)};
  const auto enter = [&](std::uint32_t node) {
    const auto [parent, frame] = profile.nodes[node];
    methods[frame].self += profile.self(node);
    if (parent != Profile::kRoot) {
      CostEdge& edge = methods[profile.nodes[parent].frame].callees[frame];
      edge.calls += has_calls ? profile.selfs[node].count : totals[node].count;
      if (open[frame] == 0) edge.cost += profile.value(totals[node]);
    }
    ++open[frame];
    return true;
  };
  const auto leave = [&](std::uint32_t node) { --open[profile.nodes[node].frame]; };
  walk_tree(children, enter, leave);
  return methods;
}

// Names are told once, then meant by their numbers.
class FrameNames {
 public:
  std::string operator()(std::uint32_t number, std::string_view name) {
    if (number >= told_.size()) told_.resize(number + std::size_t{1});
    if (told_[number]) return fmt::format("({})", number);
    told_[number] = true;
    return fmt::format("({}) {}", number, line_text(name));
  }

 private:
  std::vector<bool> told_;
};

class CallgrindWriter {
 public:
  CallgrindWriter(const Profile& profile, TextSink& out) : profile_(profile), out_(out) {
    for (const Profile::Frame& frame : profile.frames) {
      const std::string file = frame.file.empty() ? "???" : frame.file;
      files_.push_back(file_numbers_.try_emplace(file, file_numbers_.size() + 1).first);
    }
  }

  base::result<void> write(const std::vector<Method>& methods) {
    for (std::uint32_t i = 0; i < methods.size(); ++i) {
      if (methods[i].self == 0 && methods[i].callees.empty()) continue;
      put("\nfl={}\nfn={}\n{} {}\n", file(i), name(i), profile_.frames[i].line, methods[i].self);
      for (const auto& [callee, edge] : methods[i].callees) {
        if (files_[callee] != files_[i]) put("cfi={}\n", file(callee));
        put("cfn={}\ncalls={} {}\n{} {}\n", name(callee), edge.calls, profile_.frames[callee].line,
            profile_.frames[i].line, edge.cost);
      }
      if (auto drained = out_.drain(); !drained) return drained;
    }
    put("\ntotals: {}\n", profile_.value(profile_.total()));
    return out_.flush();
  }

 private:
  template <class... Parts>
  void put(fmt::format_string<Parts...> form, Parts&&... parts) {
    fmt::format_to(std::back_inserter(out_.text()), form, std::forward<Parts>(parts)...);
  }
  std::string file(std::uint32_t frame) {
    return said_files_(static_cast<std::uint32_t>(files_[frame]->second), files_[frame]->first);
  }
  std::string name(std::uint32_t frame) { return said_names_(frame, profile_.frames[frame].name); }

  const Profile& profile_;
  TextSink& out_;
  std::map<std::string, std::size_t> file_numbers_;
  std::vector<std::map<std::string, std::size_t>::const_iterator> files_;  // by frame
  FrameNames said_files_;
  FrameNames said_names_;
};

std::string event_name(const analysis::Weight& weight) {
  return fmt::format("{}{}", weight.key, weight.unit == analysis::Unit::nanoseconds ? "_ns" : "");
}

}  // namespace

base::result<void> write_callgrind(const ProfileJob& job) {
  const Profile& profile = job.pruned.profile;
  TextSink out(job.sink);
  out.text() += "# callgrind format\nversion: 1\ncreator: polytrace " POLYTRACE_VERSION "\n";
  if (job.origin.pid != base::kNoId) out.text() += fmt::format("pid: {}\n", job.origin.pid);
  out.text() += fmt::format("cmd: {}\n", line_text(job.origin.trace));
  for (const std::string& sentence : job.account.sentences())
    out.text() += fmt::format("desc: Note: {}\n", line_text(sentence));
  out.text() += fmt::format("positions: line\nevents: {}\n", event_name(*profile.weight));
  return CallgrindWriter(profile, out).write(methods_of(profile));
}

}  // namespace polytrace::exports
