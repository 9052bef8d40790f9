// SPDX-License-Identifier: Apache-2.0
#include "export/flame.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/tree_order.hpp"
#include "base/json_writer.hpp"
#include "base/utf8.hpp"

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
constexpr std::size_t kLongestName = 1000;
constexpr std::uint64_t kMostPlaces = 120000;
// Of the data: pages have at most five megabytes.
constexpr std::uint64_t kMostBytes = 4800000;

std::string cut_name(std::string_view name) {
  if (name.size() <= kLongestName) return std::string(name);
  std::size_t end = kLongestName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return fmt::format("{}… ({} bytes)", name.substr(0, end), name.size());
}

// The tree depth first, threads as frames where there are several: of each place its depth, frame
// and self weight.
class Places {
 public:
  explicit Places(const analysis::Pruned& pruned)
      : pruned_(pruned), profile_(pruned.profile), children_(std::span(profile_.nodes)) {
    for (const Profile::Frame& frame : profile_.frames) names.push_back(cut_name(frame.name));
    by_thread_ = profile_.threads.size() > 1 ||
                 (profile_.threads.size() == 1 && !profile_.threads[0].name.empty());
    std::uint32_t depth = 0;
    std::size_t thread = 0;
    const auto enter = [&](std::uint32_t node) {
      if (by_thread_ && depth == 0) begin_threads(node, thread);
      add(depth + (by_thread_ ? 1 : 0), profile_.nodes[node].frame, node);
      ++depth;
      return true;
    };
    walk_tree(children_, enter, [&](std::uint32_t) { --depth; });
  }

  std::vector<std::string> names;
  std::vector<std::uint32_t> depths;
  std::vector<std::uint32_t> frames;
  std::vector<std::uint64_t> selfs;
  std::vector<std::uint64_t> befores;  // empty when nothing is compared
  // Places that stand for others, with how many.
  std::vector<std::pair<std::size_t, std::uint32_t>> hidden;

 private:
  // Nodes of the root come in order of their threads.
  void begin_threads(std::uint32_t node, std::size_t& thread) {
    for (; thread < profile_.threads.size() && profile_.threads[thread].begin <= node; ++thread) {
      if (profile_.threads[thread].end <= node) continue;
      names.push_back("[" + cut_name(profile_.threads[thread].name) + "]");
      add(0, static_cast<std::uint32_t>(names.size() - 1), Profile::kRoot);
    }
  }
  void add(std::uint32_t depth, std::uint32_t frame, std::uint32_t node) {
    if (pruned_.hidden[node] != 0) hidden.emplace_back(depths.size(), pruned_.hidden[node]);
    depths.push_back(depth);
    frames.push_back(frame);
    selfs.push_back(node == Profile::kRoot ? 0 : profile_.self(node));
    if (!profile_.befores.empty())
      befores.push_back(node == Profile::kRoot ? 0 : profile_.value(profile_.befores[node]));
  }

  const analysis::Pruned& pruned_;
  const Profile& profile_;
  analysis::Children children_;
  bool by_thread_ = false;
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

// What data_of() makes, without the few "<" that take more in the page.
std::uint64_t bytes_of(const analysis::Pruned& pruned) {
  const Profile& profile = pruned.profile;
  std::uint64_t bytes = 0;
  for (const Profile::Frame& frame : profile.frames)
    bytes += std::min(frame.name.size(), kLongestName + 30) + 3;
  for (std::uint32_t node = 1; node < profile.nodes.size(); ++node) {
    bytes += digits_of(profile.self(node)) + digits_of(profile.nodes[node].frame) + 3;
    if (!profile.befores.empty()) bytes += digits_of(profile.value(profile.befores[node]));
    if (pruned.hidden[node] != 0) bytes += digits_of(node) + digits_of(pruned.hidden[node]);
  }
  return bytes;
}

std::string_view unit_of(const analysis::Weight& weight) {
  switch (weight.unit) {
    case analysis::Unit::nanoseconds: return "ns";
    case analysis::Unit::bytes: return "bytes";
    default: return "count";
  }
}

std::string data_of(const ProfileJob& job) {
  const analysis::Weight& weight = *job.pruned.profile.weight;
  const Places places(job.pruned);
  std::string out;
  JsonWriter json(out, JsonWriter::Form::one_line);
  json.begin_object();
  json.member("trace", job.origin.trace);
  json.member("by", "polytrace " POLYTRACE_VERSION);
  json.member("weight", weight.key);
  json.member("title", weight.title);
  json.member("unit", unit_of(weight));
  json.key("notes");
  json.begin_array();
  for (const std::string& sentence : job.account.sentences()) json.value(sentence);
  json.end_array();
  json.new_line();
  json.key("names");
  json.begin_array();
  for (const std::string& name : places.names) json.value(name);
  json.end_array();
  write_numbers(json, "depths", places.depths);
  write_numbers(json, "frames", places.frames);
  write_numbers(json, "selfs", places.selfs);
  if (!places.befores.empty()) write_numbers(json, "befores", places.befores);
  json.key("hidden");
  json.begin_array();
  for (const auto& [place, count] : places.hidden) {
    json.value(std::uint64_t{place});
    json.value(count);
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
base::result<void> write_page(const ProfileJob& job) {
  const std::string_view html(polytrace_flame_html, polytrace_flame_html_end);
  const auto part = [&](std::string_view word) -> std::string {
    if (word == "css") return {polytrace_flame_css, polytrace_flame_css_end};
    if (word == "js") return {polytrace_flame_js, polytrace_flame_js_end};
    if (word == "data") return for_script(data_of(job));
    return for_markup(cut_name(job.origin.trace));
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

const Target kFlamePage{"flame page",  "flame graph", ".flame.html", kMostPlaces,
                        "any browser", nullptr,       write_page,    false,
                        false,         false,         bytes_of,      kMostBytes};
const Target kFlamePageByThread{"flame page",  "flame graph", ".flame.html", kMostPlaces,
                                "any browser", nullptr,       write_page,    true,
                                false,         false,         bytes_of,      kMostBytes};

}  // namespace polytrace::exports
