// SPDX-License-Identifier: Apache-2.0
#include "agent/common/options/labels.hpp"

#include <algorithm>
#include <cstdlib>

namespace polytrace::agent {
namespace {

constexpr std::size_t kLongestLabelName = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_within(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '.'; }

bool is_label_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestLabelName && is_letter(name.front()) &&
         std::ranges::all_of(name, is_within);
}

bool is_for_others(std::string_view name) {
  constexpr std::string_view kNames[] = {"host", "instance", "tenant", "container"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool set_label(Labels& labels, std::string_view name, std::string_view value) {
  const auto known = std::ranges::find(labels, name, &std::pair<std::string, std::string>::first);
  if (known != labels.end()) known->second = value;
  else if (labels.size() < kMostLabels) labels.emplace_back(name, value);
  else return false;
  return true;
}

// Calls `take` with each part between commas that is not empty.
template <class Take>
void each_part(const char* list, const Take& take) {
  for (std::string_view rest = list == nullptr ? "" : list; !rest.empty();) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    if (end != 0) take(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// %2C is a comma.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = high >= 0 ? digit_of(text[i + 2]) : -1;
    out += low >= 0 ? static_cast<char>(high * 16 + low) : text[i];
    if (low >= 0) i += 2;
  }
  return out;
}

void set_attribute(Labels& labels, std::string_view name, std::string_view value) {
  if (name == "service.name") name = "service";
  if (name == "service.version") name = "version";
  const bool good = is_label_name(name) && !is_for_others(name) && !value.empty() &&
                    value.size() <= kLongestLabel && value.find('\0') == std::string_view::npos;
  if (good) set_label(labels, name, value);
}

void add_attribute(Labels& labels, std::string_view text) {
  const std::size_t mark = text.find('=');
  if (mark == std::string_view::npos) return;
  std::string_view name = text.substr(0, mark);
  while (name.starts_with(' ')) name.remove_prefix(1);
  while (name.ends_with(' ')) name.remove_suffix(1);
  set_attribute(labels, name, decoded(text.substr(mark + 1)));
}

}  // namespace

bool add_label(Labels& labels, std::string_view text, Faults& faults) {
  const std::size_t mark = std::min(text.find_first_of("=:"), text.size());
  const std::string_view name = text.substr(0, mark);
  const std::string_view value = text.substr(std::min(mark + 1, text.size()));
  const auto refuse = [&](std::string_view why) {
    faults.push_back("label " + std::string(text.substr(0, 80)) + ": " + std::string(why));
    return false;
  };
  if (!is_label_name(name) || value.empty())
    return refuse("NAME=VALUE, the name of letters, digits, _ and dots");
  if (is_for_others(name)) return refuse("a program does not say that of itself");
  if (value.size() > kLongestLabel || value.find('\0') != std::string_view::npos)
    return refuse("a value has at most 1024 bytes");
  return set_label(labels, name, value) || refuse("there are 40 already");
}

void add_labels_of_environment(Labels& labels, Faults& faults) {
  each_part(secure_getenv("POLYTRACE_LABELS"),
            [&](std::string_view part) { add_label(labels, part, faults); });
  each_part(secure_getenv("OTEL_RESOURCE_ATTRIBUTES"),
            [&](std::string_view part) { add_attribute(labels, part); });
  const char* const service = secure_getenv("OTEL_SERVICE_NAME");
  if (service != nullptr) set_attribute(labels, "service", service);
}

}  // namespace polytrace::agent
