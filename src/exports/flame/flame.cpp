// SPDX-License-Identifier: Apache-2.0
// A flame graph as a page that holds its data and needs nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "analysis/table/tree_order.hpp"
#include "base/text/json_writer.hpp"
#include "base/text/utf8.hpp"
#include "exports/job/job.hpp"

// The page's source, as it lies in the folder flame/.
asm(".pushsection .rodata\n"
    "polytrace_flame_html: .incbin \"" POLYTRACE_FLAME_FOLDER
    "/page.html\"\n"
    "polytrace_flame_html_end:\n"
    "polytrace_flame_css: .incbin \"" POLYTRACE_FLAME_FOLDER
    "/page.css\"\n"
    "polytrace_flame_css_end:\n"
    "polytrace_flame_js: .incbin \"" POLYTRACE_FLAME_FOLDER
    "/page.js\"\n"
    "polytrace_flame_js_end:\n"
    ".irp name, html, css, js\n"
    ".globl polytrace_flame_\\name, polytrace_flame_\\name\\()_end\n"
    ".hidden polytrace_flame_\\name, polytrace_flame_\\name\\()_end\n"
    ".endr\n"
    ".popsection\n");
extern "C" {
[[gnu::visibility("hidden")]] extern const char polytrace_flame_html[], polytrace_flame_html_end[];
[[gnu::visibility("hidden")]] extern const char polytrace_flame_css[], polytrace_flame_css_end[];
[[gnu::visibility("hidden")]] extern const char polytrace_flame_js[], polytrace_flame_js_end[];
}

namespace polytrace::exports {
namespace {

using analysis::Profile;
using base::JsonWriter;

// What one name may take: pages stay small whatever the trace.
constexpr std::size_t kLongestInPage = 1000;

// The names of all profiles of a page, each once.
class NameList {
 public:
  std::uint32_t number(std::string_view name, bool is_helper = false) {
    const auto [entry, fresh] =
        numbers_.try_emplace(base::short_name(std::string(name), kLongestInPage), names.size());
    if (fresh) names.push_back(entry->first);
    const auto number = static_cast<std::uint32_t>(entry->second);
    if (fresh && is_helper) helpers.push_back(number);
    return number;
  }

  std::vector<std::string> names;
  std::vector<std::uint32_t> helpers;  // of these

 private:
  std::map<std::string, std::size_t> numbers_;
};

// The tree depth first: of each place its depth, frame and self weight. Threads are told by the
// place where they begin, or are frames.
class Places {
 public:
  Places(const analysis::Pruned& pruned, NameList& names, bool threads_are_frames)
      : pruned_(pruned), profile_(pruned.profile), children_(std::span(profile_.nodes)) {
    std::vector<std::uint32_t> numbers;
    for (const Profile::Frame& frame : profile_.frames)
      numbers.push_back(names.number(frame.name, frame.is_helper));
    const bool is_named = profile_.threads.size() > 1 ||
                          (profile_.threads.size() == 1 && !profile_.threads[0].name.empty());
    const std::uint32_t below = is_named && threads_are_frames ? 1 : 0;
    std::uint32_t depth = 0;
    std::size_t thread = 0;
    const auto enter = [&](std::uint32_t node) {
      if (depth == 0 && is_named)
        begin_threads(node, thread, [&](const std::string& name) {
          if (below == 1) add(0, names.number("[" + name + "]"), Profile::kRoot);
          else threads.emplace_back(names.number(name), depths.size());
        });
      add(depth + below, numbers[profile_.nodes[node].frame], node);
      ++depth;
      return true;
    };
    walk_tree(children_, enter, [&](std::uint32_t) { --depth; });
  }

  std::vector<std::uint32_t> depths;
  std::vector<std::uint32_t> frames;
  std::vector<std::uint64_t> selfs;
  std::vector<std::uint64_t> companions;  // the carrier's other figure
  std::vector<std::uint64_t> befores;     // empty when nothing is compared
  // Places that stand for others, with how many.
  std::vector<std::pair<std::size_t, std::uint32_t>> hidden;
  std::vector<std::pair<std::uint32_t, std::size_t>> threads;  // name, first place

 private:
  // Nodes of the root come in order of their threads.
  template <class Begin>
  void begin_threads(std::uint32_t node, std::size_t& thread, const Begin& begin) {
    for (; thread < profile_.threads.size() && profile_.threads[thread].begin <= node; ++thread)
      if (profile_.threads[thread].end > node) begin(profile_.threads[thread].name);
  }
  void add(std::uint32_t depth, std::uint32_t frame, std::uint32_t node) {
    if (pruned_.hidden[node] != 0) hidden.emplace_back(depths.size(), pruned_.hidden[node]);
    depths.push_back(depth);
    frames.push_back(frame);
    const analysis::Amount self =
        node == Profile::kRoot ? analysis::Amount{} : profile_.selfs[node];
    selfs.push_back(profile_.value(self));
    companions.push_back(profile_.weight->is_count ? self.weight : self.count);
    if (!profile_.befores.empty())
      befores.push_back(node == Profile::kRoot ? 0 : profile_.value(profile_.befores[node]));
  }

  const analysis::Pruned& pruned_;
  const Profile& profile_;
  analysis::Children children_;
};

template <class Numbers>
void write_numbers(JsonWriter& json, std::string_view name, const Numbers& numbers) {
  json.new_line();
  json.key(name);
  json.begin_array();
  for (const auto number : numbers) json.number(fmt::format_int(number).str());
  json.end_array();
}

std::uint64_t digits_of(std::uint64_t number) { return fmt::format_int(number).size() + 1; }

std::string_view unit_of(const analysis::Weight& weight) {
  switch (weight.unit) {
    case analysis::Unit::nanoseconds: return "ns";
    case analysis::Unit::bytes: return "bytes";
    default: return "count";
  }
}

void write_weight(JsonWriter& json, const analysis::Weight& weight) {
  json.member("weight", weight.key);
  json.member("title", weight.title);
  json.member("unit", unit_of(weight));
}

template <class Pairs>
void write_pairs(JsonWriter& json, std::string_view name, const Pairs& pairs) {
  json.key(name);
  json.begin_array();
  for (const auto& [first, second] : pairs) {
    json.value(std::uint64_t{first});
    json.value(std::uint64_t{second});
  }
  json.end_array();
}

void write_tree(JsonWriter& json, const analysis::Weight& weight, const Places& places) {
  write_weight(json, weight);
  write_numbers(json, "depths", places.depths);
  write_numbers(json, "frames", places.frames);
  write_numbers(json, "selfs", places.selfs);
  if (!places.befores.empty()) write_numbers(json, "befores", places.befores);
  write_pairs(json, "hidden", places.hidden);
  write_pairs(json, "threads", places.threads);
  const analysis::Weight* const other = analysis::companion(weight);
  if (other == nullptr || !places.befores.empty()) return;
  json.key("companion");
  json.begin_object();
  write_weight(json, *other);
  write_numbers(json, "selfs", places.companions);
  json.end_object();
}

std::string data_of(const ProfileJob& job, bool threads_are_frames) {
  NameList names;
  const Places places(job.pruned, names, threads_are_frames);
  std::deque<Places> others;
  for (const analysis::Pruned& other : job.others) others.emplace_back(other, names, false);
  std::string out;
  JsonWriter json(out, JsonWriter::Form::one_line);
  json.begin_object();
  json.member("trace", job.origin.trace);
  json.member("by", "polytrace " POLYTRACE_VERSION);
  json.key("notes");
  json.begin_array();
  for (const std::string& sentence : job.account.sentences()) json.value(sentence);
  json.end_array();
  json.new_line();
  json.key("names");
  json.begin_array();
  for (const std::string& name : names.names) json.value(name);
  json.end_array();
  write_numbers(json, "helpers", names.helpers);
  json.member("show_helpers", job.show_helpers);
  write_tree(json, *job.pruned.profile.weight, places);
  json.key("others");
  json.begin_array();
  for (std::size_t i = 0; i < others.size(); ++i) {
    json.begin_object();
    write_tree(json, *job.others[i].profile.weight, others[i]);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

// JSON that can stand in a <script>: no "<" ends it or begins a comment.
std::string for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (const char c : json) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

std::string for_markup(std::string_view text) {
  std::string out;
  for (const char c : base::repaired(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// The page: each "{{word}}" of the HTML replaced.
base::result<void> write_page(const ProfileJob& job, bool threads_are_frames) {
  const std::string_view html(polytrace_flame_html, polytrace_flame_html_end);
  const auto part = [&](std::string_view word) -> std::string {
    if (word == "css") return {polytrace_flame_css, polytrace_flame_css_end};
    if (word == "js") return {polytrace_flame_js, polytrace_flame_js_end};
    if (word == "data") return for_script(data_of(job, threads_are_frames));
    return for_markup(base::short_name(job.origin.trace, kLongestInPage));
  };
  std::string page;
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t mark = std::min(html.find("{{", at), html.size());
    page += html.substr(at, mark - at);
    if (mark == html.size()) break;
    const std::size_t end = html.find("}}", mark);
    page += part(html.substr(mark + 2, end - mark - 2));
    at = end + 2;
  }
  return job.sink.write(std::as_bytes(std::span(page)));
}

}  // namespace

// What data_of() makes, without the few "<" that take more in the page.
std::uint64_t flame_page_bytes(const analysis::Pruned& pruned) {
  const Profile& profile = pruned.profile;
  std::uint64_t bytes = 0;
  for (const Profile::Frame& frame : profile.frames)
    bytes += std::min(frame.name.size(), kLongestInPage) + 3;
  const bool has_companion = analysis::companion(*profile.weight) != nullptr;
  for (std::uint32_t node = 1; node < profile.nodes.size(); ++node) {
    bytes += digits_of(profile.self(node)) + digits_of(profile.nodes[node].frame) + 3;
    if (has_companion) bytes += digits_of(profile.selfs[node].count + profile.selfs[node].weight);
    if (!profile.befores.empty()) bytes += digits_of(profile.value(profile.befores[node]));
    if (pruned.hidden[node] != 0) bytes += digits_of(node) + digits_of(pruned.hidden[node]);
  }
  return bytes;
}

base::result<void> write_flame_page(const ProfileJob& job) { return write_page(job, false); }

base::result<void> write_flame_page_by_thread(const ProfileJob& job) {
  return write_page(job, true);
}

}  // namespace polytrace::exports
