// SPDX-License-Identifier: Apache-2.0
#include "exports/jfr/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "event/fields.hpp"

namespace polytrace::exports::jfr {
namespace {

using event::Kind;
using event::Tag;

enum class Form : std::uint8_t { plain, pool, array, ticks, span, bytes, gc, address };

struct Element {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes{};
  std::vector<Element> children{};
};

std::string text_of(std::uint64_t id) { return fmt::format("{}", id); }

void annotate(Element& element, type::Id annotation, std::string_view value = {}) {
  Element note{"annotation", {{"class", text_of(annotation)}}};
  if (!value.empty()) note.attributes.emplace_back("value", std::string(value));
  element.children.push_back(std::move(note));
}

void label(Element& element, std::string_view text) {
  if (!text.empty()) annotate(element, type::label_t, text);
}

// "Java Virtual Machine/GC" is one within the other.
void categorize(Element& element, std::string_view path) {
  Element note{"annotation", {{"class", text_of(type::category_t)}}};
  for (std::size_t part = 0; !path.empty(); ++part) {
    const std::size_t end = std::min(path.find('/'), path.size());
    note.attributes.emplace_back(fmt::format("value-{}", part), std::string(path.substr(0, end)));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  element.children.push_back(std::move(note));
}

Element field(std::string_view name, std::uint64_t id, Form form, std::string_view title) {
  Element element{"field", {{"name", std::string(name)}, {"class", text_of(id)}}};
  if (form == Form::pool) element.attributes.emplace_back("constantPool", "true");
  if (form == Form::array) element.attributes.emplace_back("dimension", "1");
  label(element, title);
  if (form == Form::bytes || form == Form::gc || form == Form::address)
    annotate(element, type::unsigned_t);
  switch (form) {
    case Form::plain:
    case Form::pool:
    case Form::array: break;
    case Form::ticks: annotate(element, type::timestamp_t, "TICKS"); break;
    case Form::span: annotate(element, type::timespan_t, "TICKS"); break;
    case Form::bytes: annotate(element, type::data_amount_t, "BYTES"); break;
    case Form::gc: annotate(element, type::gc_id_t); break;
    case Form::address: annotate(element, type::memory_address_t); break;
  }
  return element;
}

Element type_element(std::string_view name, std::uint64_t id, std::string_view super) {
  Element element{"class", {{"id", text_of(id)}, {"name", std::string(name)}}};
  if (!super.empty()) element.attributes.emplace_back("superType", std::string(super));
  return element;
}

// What people read: "class_load" is "Class Load", "stackTrace" is "Stack Trace".
std::string title_of(std::string_view name) {
  std::string title;
  bool begins = true;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z' && !begins) title += ' ';
    if (c == '_') title += ' ';
    else title += begins && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '_';
  }
  return title;
}

// "class_load" is "ClassLoad": kinds have names that are words of Java.
std::string type_name(std::string_view kind) {
  std::string name = title_of(kind);
  std::erase(name, ' ');
  return "polytrace." + name;
}

// Neither may a field be such a word.
std::string field_name(std::string_view name) {
  if (name == "class") return "subjectClass";
  return name == "super" ? "superName" : std::string(name);
}

// The fields of a kind, in the catalogue's order. Times in ticks are nanoseconds as well.
struct FieldLister {
  std::vector<Element>& fields;

  template <Tag tag, class T>
  void field(const char* name, const T&) {
    if constexpr (event::is_text(tag) || std::is_enum_v<T>) add(name, type::string_t, Form::plain);
    else if constexpr (tag == Tag::kDuration) add(name, type::long_t, Form::span);
    else if constexpr (tag == Tag::kf64) add(name, type::double_t, Form::plain);
    else if constexpr (tag == Tag::kStack) add("stackTrace", type::stack_t, Form::pool);
    else if constexpr (std::is_base_of_v<event::Range, T>) add(name, type::long_t, Form::array);
    else add(name, type::long_t, Form::plain);
  }
  void add(const char* name, type::Id id, Form form) {
    fields.push_back(jfr::field(field_name(name), id, form, title_of(name)));
  }
};

Element kind_element(const event::KindInfo& kind) {
  Element element = type_element(type_name(kind.name), type_of(kind.kind), "jdk.jfr.Event");
  label(element, title_of(kind.name));
  categorize(element, "polytrace");
  auto& fields = element.children;
  fields.push_back(field("startTime", type::long_t, Form::ticks, "Start Time"));
  fields.push_back(field("eventThread", type::thread_t, Form::pool, "Event Thread"));
  if (const type::Id subject = subject_type(kind.kind); subject != type::none)
    fields.push_back(
        field(subject == type::long_t ? std::string(kind.subject) + "Id" : field_name(kind.subject),
              subject, subject == type::long_t ? Form::plain : Form::pool, title_of(kind.subject)));
  FieldLister lister{fields};
  event::with_kind(kind.kind, [&](auto none) { visit_fields(lister, none); });
  return element;
}

// The annotations that others have.
std::vector<Element> annotations() {
  std::vector<Element> all;
  const auto add = [&](std::string_view name, type::Id id, bool has_value, Form form) {
    all.push_back(type_element(name, id, "java.lang.annotation.Annotation"));
    if (has_value) all.back().children.push_back(field("value", type::string_t, form, ""));
  };
  add("jdk.jfr.Timestamp", type::timestamp_t, true, Form::plain);
  add("jdk.jfr.Timespan", type::timespan_t, true, Form::plain);
  add("jdk.jfr.DataAmount", type::data_amount_t, true, Form::plain);
  add("jdk.jfr.Label", type::label_t, true, Form::plain);
  add("jdk.jfr.Category", type::category_t, true, Form::array);
  add("jdk.jfr.Unsigned", type::unsigned_t, false, Form::plain);
  add("jdk.jfr.MemoryAddress", type::memory_address_t, false, Form::plain);
  add("jdk.types.GcId", type::gc_id_t, false, Form::plain);
  return all;
}

// What is nothing but a text is shown as one.
bool is_text(const Element& type) {
  const auto is_field = [](const Element& child) { return child.name == "field"; };
  const auto found = std::ranges::find_if(type.children, is_field);
  return std::ranges::count_if(type.children, is_field) == 1 &&
         found->attributes[1].second == text_of(type::string_t);
}

Element types() {
  Element all{"metadata"};
  Element* last = nullptr;
  const auto add = [&](Element element) {
    all.children.push_back(std::move(element));
    last = &all.children.back();
  };
#define PLAIN(id, name) add(type_element(name, type::id##_t, ""));
#define FIELD(name, kind, form, title) \
  last->children.push_back(field(#name, type::kind##_t, Form::form, title));
#define TYPE(id, name, title, ...)           \
  add(type_element(name, type::id##_t, "")); \
  label(*last, title);                       \
  __VA_ARGS__
#define EVENT(id, name, title, category, ...)             \
  add(type_element(name, type::id##_t, "jdk.jfr.Event")); \
  label(*last, title);                                    \
  categorize(*last, category);                            \
  __VA_ARGS__
#include "exports/jfr/types.def"
#undef PLAIN
#undef FIELD
#undef TYPE
#undef EVENT
  for (Element& element : all.children)
    if (is_text(element)) element.attributes.emplace_back("simpleType", "true");
  for (Element& annotation : annotations()) add(std::move(annotation));
  for (std::size_t i = 0; i < event::kKindCount; ++i)
    add(kind_element(event::describe(static_cast<Kind>(i))));
  return all;
}

class MetadataWriter {
 public:
  explicit MetadataWriter(Bytes& out) : out_(out) {}

  void write(const Element& root) {
    collect(root);
    out_.number(numbers_.size());
    for (const std::string& text : texts_) out_.text(text);
    tree(root);
  }

 private:
  void collect(const Element& element) {
    add(element.name);
    for (const auto& [key, value] : element.attributes) add(key), add(value);
    for (const Element& child : element.children) collect(child);
  }
  void add(const std::string& text) {
    if (numbers_.try_emplace(text, numbers_.size()).second) texts_.push_back(text);
  }
  void tree(const Element& element) {
    out_.number(numbers_.at(element.name));
    out_.number(element.attributes.size());
    for (const auto& [key, value] : element.attributes) {
      out_.number(numbers_.at(key));
      out_.number(numbers_.at(value));
    }
    out_.number(element.children.size());
    for (const Element& child : element.children) tree(child);
  }

  Bytes& out_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace

type::Id subject_type(Kind kind) {
  const std::string_view subject = event::describe(kind).subject;
  if (subject == "none") return type::none;
  if (subject == "method") return type::method_t;
  return subject == "class" ? type::class_t : type::long_t;
}

void write_metadata(Bytes& out) {
  constexpr std::uint64_t kType = 0, kId = 0x7fffffff;
  const std::size_t start = out.begin(kType);
  out.number(std::uint64_t{0});  // start
  out.number(std::uint64_t{0});  // duration
  out.number(kId);
  Element root{"root"};
  root.children.push_back(types());
  root.children.push_back({"region", {{"locale", "en_US"}, {"gmtOffset", "0"}}});
  MetadataWriter(out).write(root);
  out.end(start);
}

}  // namespace polytrace::exports::jfr
