// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/element.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/eight_digits.hpp"
#include "format/tptp/xml/names.hpp"

namespace polytrace::format::tptp {
namespace {

using base::Code;

unsigned count_of(const MessageInfo& info) { return static_cast<unsigned>(info.attributes.size()); }

template <class Word>
bool same_word(std::string_view a, std::string_view b, std::size_t at) {
  return base::load_bytes<Word>(a.data() + at) == base::load_bytes<Word>(b.data() + at);
}

// a == b without a call, for names of usual lengths: by words, which may overlap.
bool same_name(std::string_view a, std::string_view b) {
  const std::size_t size = a.size();
  if (size != b.size()) return false;
  if (size < 4 || size > 16) return a == b;
  if (size < 8)
    return same_word<std::uint32_t>(a, b, 0) && same_word<std::uint32_t>(a, b, size - 4);
  return same_word<std::uint64_t>(a, b, 0) && same_word<std::uint64_t>(a, b, size - 8);
}

bool is_named(const AttributeInfo& attribute, std::string_view name) {
  return same_name(attribute.xml, name) && !attribute.is_list() &&
         attribute.meaning != Meaning::body;
}

// The value of one attribute; null when it is absent.
const char* value_of(Attributes attributes, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (*attributes == name) return attributes[1];
  }
  return nullptr;
}

std::string_view text_or_empty(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

void Element::start(const MessageInfo& info, bool lasting) {
  info_ = &info;
  Kind& kind = kinds_[info.record];
  if (!kind.known)
    kind = {true, std::ranges::any_of(info.attributes, &AttributeInfo::is_list), body_of(info)};
  kind_ = &kind;
  items_.clear();
  message_.reset(info);
  lasting_ = lasting;
  next_ = 0;
  sources_.assign(info.attributes.size(), Source::none);
  body_.clear();
}

unsigned Element::find(std::string_view name) {
  const unsigned count = count_of(*info_);
  for (unsigned i = next_; i < count; ++i) {
    if (is_named(info_->attributes[i], name)) return next_ = i + 1, i;
  }
  for (unsigned i = 0; i < next_; ++i) {
    if (is_named(info_->attributes[i], name)) return next_ = i + 1, i;
  }
  return count;
}

void Element::attribute(std::string_view name, std::string_view value) {
  unsigned found = find(name);
  Source source = Source::name;
  if (found == count_of(*info_)) {
    found = info_->find_xml(name);
    source = Source::alias;
  }
  if (found == count_of(*info_)) return unknown(name, value);
  if (sources_[found] != Source::none) unknown(name, value);  // one of two is left out
  if (sources_[found] >= source) return;
  sources_[found] = source;
  set(found, name, value);
}

void Element::unknown(std::string_view name, std::string_view value) {
  const Code code = is_lost(info_->element, name) ? Code::attribute_lost : Code::xml_unknown;
  complaints_.complain(code, info_->element, name, value);
}

void Element::set(unsigned attribute, std::string_view name, std::string_view value) {
  const AttributeInfo& info = info_->attributes[attribute];
  if (info.type == Type::str) return set_text(attribute, value);
  message_.set_number(attribute, number(info, name, value));
}

void Element::set_text(unsigned attribute, std::string_view value) {
  const bool slashed = info_->attributes[attribute].meaning == Meaning::class_name &&
                       value.find('/') != std::string_view::npos;
  if (slashed) {
    std::string dotted(value);
    std::replace(dotted.begin(), dotted.end(), '/', '.');
    message_.set_text(attribute, message_.keep(dotted));
  } else {
    message_.set_text(attribute, lasting_ ? value : message_.keep(value));
  }
}

std::int64_t Element::number(const AttributeInfo& attribute, std::string_view name,
                             std::string_view value) {
  const Number read = read_number(attribute, value);
  if (read.reading != Reading::fine) {
    const Code code = read.reading == Reading::clamped ? Code::number_clamped
                      : read.reading == Reading::named ? Code::id_named
                                                       : Code::value_unreadable;
    complaints_.complain(code, info_->element, name, value);
  }
  return read.value;
}

void Element::child(std::string_view name, Attributes attributes) {
  if (name == kAnnotation) {
    const char* list = value_of(attributes, "name");
    const std::string_view value = text_or_empty(value_of(attributes, "value"));
    const char* line = value_of(attributes, "line");
    if (list == nullptr || list == kStackFrame) {
      if (add_frame(value, text_or_empty(line))) return;
    } else if (add_item(list, value)) {
      return;
    }
  }
  if (has_body()) return;  // its text was taken
  const Code code = is_carried(name) ? Code::attribute_lost : Code::xml_unknown;
  complaints_.complain(code, info_->element, name, {});
}

// One item for the names and one for the lines of a stack.
bool Element::add_frame(std::string_view method, std::string_view line) {
  const std::size_t before = items_.size();
  for (unsigned i = 0; i < count_of(*info_); ++i) {
    const AttributeInfo& attribute = info_->attributes[i];
    if (attribute.meaning == Meaning::frame_name) items_.push_back({i, 0, message_.keep(method)});
    else if (attribute.meaning == Meaning::frame_line)
      items_.push_back({i, line.empty() ? 0 : number(attribute, "line", line), {}});
  }
  return items_.size() > before;
}

bool Element::add_item(std::string_view list, std::string_view value) {
  for (unsigned i = 0; i < count_of(*info_); ++i) {
    const AttributeInfo& attribute = info_->attributes[i];
    if (!attribute.is_list() || attribute.xml != list) continue;
    if (attribute.type == Type::strs) items_.push_back({i, 0, message_.keep(value)});
    else items_.push_back({i, number(attribute, "value", value), {}});
    return true;
  }
  return false;
}

std::size_t Element::count_items(unsigned list) const {
  return static_cast<std::size_t>(std::ranges::count(items_, list, &Item::list));
}

void Element::finish_list(unsigned list, std::size_t length) {
  const bool texts = info_->attributes[list].type == Type::strs;
  const auto add = [&](const Item& item) {
    if (texts) message_.add_text(list, item.text);
    else message_.add_number(list, item.number);
  };
  std::size_t count = 0;
  for (const Item& item : items_) {
    if (item.list == list) add(item), ++count;
  }
  for (; count < length; ++count) add({list, 0, {}});
}

// The lists behind one depth are of one length: that of the longest.
void Element::finish_lists() {
  const auto& attributes = info_->attributes;
  for (unsigned depth = 0; depth < attributes.size(); ++depth) {
    if (attributes[depth].meaning != Meaning::depth) continue;
    std::size_t length = 0;
    const unsigned first = depth + 1;
    unsigned end = first;
    for (; end < attributes.size() && attributes[end].meaning != Meaning::depth; ++end) {
      if (attributes[end].is_list()) length = std::max(length, count_items(end));
    }
    for (unsigned i = first; i < end; ++i) {
      if (attributes[i].is_list()) finish_list(i, length);
    }
    const auto told = message_.number(depth);
    if (sources_[depth] != Source::none && told != static_cast<std::int64_t>(length))
      complaints_.complain(Code::depth_differs, info_->element, attributes[depth].xml,
                           std::to_string(told));
    message_.set_number(depth, static_cast<std::int64_t>(length));
  }
}

const Message& Element::finish() {
  if (kind_->has_lists) finish_lists();
  using Exit = field::MethodExit;
  if (info_->id == Exit::kId && sources_[Exit::transient_class_id_ref] == Source::none)
    message_.set_number(Exit::transient_class_id_ref, message_.number(Exit::class_id_ref));
  if (has_body()) message_.set_text(kind_->body, body_);
  return message_;
}

}  // namespace polytrace::format::tptp
