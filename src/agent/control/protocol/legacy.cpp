// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/legacy.hpp"

#include "base/text/utf8.hpp"

namespace polytrace::agent::control {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr auto kNone = std::string_view::npos;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == kNone) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return result;
}

// A tag at the start of a text: <name ...>, </name>, <name/>.
struct Tag {
  std::string name;  // in small letters
  bool closes = false;
  bool alone = false;
  std::size_t size = 0;  // 0: not complete yet
};

Tag tag_at(std::string_view text) {
  Tag tag;
  const std::size_t end = text.find('>');
  if (end == kNone) return tag;
  tag.size = end + 1;
  std::string_view inner = trimmed(text.substr(1, end - 1));
  tag.closes = inner.starts_with('/');
  tag.alone = inner.ends_with('/');
  if (tag.closes) inner = trimmed(inner.substr(1));
  tag.name = lowered(inner.substr(0, inner.find_first_of(" \t\r\n/")));
  return tag;
}

// Size of white space, declarations and comments at the start; kNone where one has no end yet.
std::size_t prologue(std::string_view text) {
  std::size_t at = text.starts_with(base::kByteOrderMark) ? base::kByteOrderMark.size() : 0;
  for (;;) {
    at = text.find_first_not_of(kBlank, at);
    if (at == kNone) return text.size();
    const std::string_view rest = text.substr(at);
    const std::string_view ending = rest.starts_with("<?") ? "?>" : "-->";
    if (!rest.starts_with("<?") && !rest.starts_with("<!--")) return at;
    const std::size_t end = rest.find(ending);
    if (end == kNone) return kNone;
    at += end + ending.size();
  }
}

// Where the element that `open` began ends: behind its closing tag, or behind a second tag of its
// name without a slash, which is how the closing one was published. kNone: not yet.
std::size_t element_end(std::string_view text, const Tag& open) {
  if (open.alone) return open.size;
  for (std::size_t at = open.size; (at = text.find('<', at)) != kNone;) {
    const Tag tag = tag_at(text.substr(at));
    if (tag.size == 0) return kNone;
    at += tag.size;
    if (tag.name == open.name) return at;
  }
  return kNone;
}

LegacyVerb verb_of(std::string_view name) {
  if (name == "setoutputformat") return LegacyVerb::set_output_format;
  if (name == "enabledoutputformat") return LegacyVerb::enabled_output_format;
  if (name == "startmonitoring") return LegacyVerb::start_monitoring;
  return LegacyVerb::unknown;
}

// The text between the tags of <format>.
void find_format(std::string_view inner, LegacyCommand& command) {
  for (std::size_t at = 0; (at = inner.find('<', at)) != kNone;) {
    const Tag tag = tag_at(inner.substr(at));
    if (tag.size == 0) return;
    at += tag.size;
    if (tag.name != "format" || tag.closes) continue;
    const std::string_view word = trimmed(inner.substr(at, inner.find('<', at) - at));
    command.has_format =
        format_named(word, command.format) && command.format != StreamFormat::native;
    return;
  }
}

}  // namespace

LegacyReader::Cut LegacyReader::next(LegacyCommand& command) {
  const std::size_t start = prologue(text_);
  if (start == kNone) return text_.size() > kLongest ? Cut::impossible : Cut::more;
  text_.erase(0, start);
  if (text_.empty()) return Cut::more;
  if (text_[0] != '<') return Cut::impossible;
  const Tag open = tag_at(text_);
  const std::size_t end = open.size == 0 ? kNone : element_end(text_, open);
  if (end == kNone) return text_.size() > kLongest ? Cut::impossible : Cut::more;
  if (open.name.empty() || end > kLongest) return Cut::impossible;
  command = {verb_of(open.name), false, StreamFormat::xml};
  find_format(std::string_view(text_).substr(open.size, end - open.size), command);
  text_.erase(0, end);
  return Cut::command;
}

bool LegacyReader::empty() const { return text_.find_first_not_of(kBlank) == kNone; }

bool looks_legacy(std::string_view first_bytes) {
  if (first_bytes.starts_with(base::kByteOrderMark)) return true;
  const std::size_t first = first_bytes.find_first_not_of(kBlank);
  return first_bytes.size() >= 4 && first_bytes[2] != '\0' && first_bytes[3] != '\0' &&
         (first == kNone || first_bytes[first] == '<');
}

std::string legacy_command(LegacyVerb verb, StreamFormat format) {
  const std::string_view name = verb == LegacyVerb::enabled_output_format ? "enabledOutputFormat"
                                : verb == LegacyVerb::start_monitoring    ? "startMonitoring"
                                                                          : "setOutputFormat";
  std::string text = "<";
  text += name;
  if (verb == LegacyVerb::start_monitoring) return text + "/>";
  text += "><format>";
  text += name_of(format);
  text += "</format></";
  text += name;
  text += ">";
  return text;
}

}  // namespace polytrace::agent::control
