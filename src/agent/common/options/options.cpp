// SPDX-License-Identifier: Apache-2.0
#include "agent/common/options/options.hpp"

#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "agent/common/options/option_values.hpp"

namespace polytrace::agent {
namespace {

const OptionSetter* find_setter(std::string_view name) {
  for (const OptionSetter& setter : option_setters())
    if (setter.row.name == name) return &setter;
  return nullptr;
}

std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

struct Part {
  std::string_view name;
  std::string_view value;
  bool assigned = false;
};
Part part_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, equals), text.substr(equals + 1), true};
}

// Names that begin like a runtime's: jvm.method=jvmti.
bool belongs_to_runtime(std::string_view name) {
  return name.find('.') != std::string_view::npos && name.find('*') == std::string_view::npos;
}

void take_list(Options& options, std::string_view text, Faults& faults) {
  const OptionSetter* list = nullptr;
  while (!text.empty()) {
    const std::string_view whole = cut(text, ',');
    if (whole.empty()) continue;
    const Part part = part_of(whole);
    const OptionSetter* const setter = find_setter(part.name);
    if (setter == nullptr && !part.assigned && list != nullptr) {
      set_option(options, list->row.name, whole, faults);
      continue;
    }
    list = setter != nullptr && setter->list ? setter : nullptr;
    if (setter == nullptr && part.assigned && belongs_to_runtime(part.name))
      options.others.emplace_back(part.name, part.value);
    else set_option(options, part.name, part.value, faults);
  }
}

// TPTP's profilers, as what they record.
bool take_profiler(Options& options, std::string_view name, std::string_view text, Faults& faults) {
  const bool calls = name == "CGProf";
  const bool heap = name == "HeapProf";
  if (!calls && !heap && name != "ThreadProf") return false;
  options.events.calls = options.events.calls || calls;
  if (calls) options.mode = Mode::summary;
  if (heap) options.events.alloc = AllocMode::objects;
  if (heap) options.events.gc = true;
  if (name == "ThreadProf") options.events.monitors = options.events.threads = true;
  while (!text.empty()) {
    const Part part = part_of(cut(text, ','));
    const bool on = part.value == "true";
    options.settings.emplace_back(part.name, part.value);
    if (calls && part.name == "execdetails") options.mode = on ? Mode::events : Mode::summary;
    else if (!heap || part.name != "allocsites")
      faults.push_back(std::string(name) + " has no option \"" + std::string(part.name) + "\"");
  }
  return true;
}

// `JPIAgent:server=standalone,file=a;CGProf:execdetails=true`, or a plain list.
void take_all(Options& options, std::string_view text, Faults& faults) {
  bool profilers = false;
  while (!text.empty()) {
    std::string_view section = cut(text, ';');
    const std::size_t colon = std::min(section.find(':'), section.size());
    const std::string_view name = section.substr(0, colon);
    const std::string_view rest = section.substr(std::min(colon + 1, section.size()));
    if (name == "JPIAgent") {
      take_list(options, rest, faults);
      continue;
    }
    const bool first = !profilers;
    const EventSet before = options.events;
    if (first) options.events.calls = options.events.gc = false;
    profilers = take_profiler(options, name, rest, faults) || profilers;
    if (first && !profilers) options.events = before;
    if (!profilers) take_list(options, section, faults);
  }
}

bool named_like_secret(std::string_view name) {
  for (const std::string_view word :
       {"password", "passwd", "secret", "token", "key", "credential", "passphrase"})
    for (std::size_t i = 0; i + word.size() <= name.size(); ++i)
      if (strncasecmp(name.data() + i, word.data(), word.size()) == 0) return true;
  return false;
}

}  // namespace

Options parse_options(std::string_view text, Faults& faults) {
  Options options;
  const char* const off = secure_getenv("POLYTRACE_AGENT");
  options.off = off != nullptr && std::strcmp(off, "off") == 0;
  if (options.off) return options;
  take_all(options, text, faults);
  add_labels_of_environment(options.labels, faults);
  if (options.summary != 0 && options.mode != Mode::summary)
    faults.emplace_back("summary= is for mode=summary");
  return options;
}

bool set_option(Options& options, std::string_view name, std::string_view value, Faults& faults) {
  const OptionSetter* const setter = find_setter(name);
  if (setter == nullptr) {
    faults.push_back("no option is named \"" + std::string(name.substr(0, 80)) + "\"");
    return false;
  }
  if (!setter->set(options, value, faults)) {
    faults.push_back(std::string(name) + "=" + std::string(value.substr(0, 80)) + ": expected " +
                     std::string(setter->row.values));
    return false;
  }
  if (!setter->row.secret) options.settings.emplace_back(name, value);
  return true;
}

std::span<const OptionRow> option_rows() {
  struct Rows {
    OptionRow rows[kMostOptions];
    Rows() {
      std::size_t n = 0;
      for (const OptionSetter& setter : option_setters()) rows[n++] = setter.row;
    }
  };
  static const Rows all;
  return {all.rows, option_setters().size()};
}

std::string option_help() {
  std::string text;
  for (const OptionSetter& setter : option_setters()) {
    const OptionRow& row = setter.row;
    text += row.name;
    if (!row.values.empty()) (text += '=') += row.values;
    (text += "\n    ") += row.text;
    if (!row.fallback.empty()) ((text += " [") += row.fallback) += ']';
    text += '\n';
  }
  return text;
}

std::string redacted(std::string_view text) {
  constexpr std::string_view kEnds = " ,;&\t\n";
  std::string told;
  bool secret_next = false;  // --password WORD
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kEnds), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t equals = word.find('=');
    const bool named = named_like_secret(word.substr(0, std::min(equals, word.size())));
    if (secret_next && !word.empty()) told += "***";
    else if (named && equals != std::string_view::npos)
      (told += word.substr(0, equals + 1)) += "***";
    else told += word;
    if (!word.empty())
      secret_next = named && equals == std::string_view::npos && word.starts_with('-');
    if (end < text.size()) told += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return told;
}

}  // namespace polytrace::agent
