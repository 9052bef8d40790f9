// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/writer.hpp"

#include <expat.h>

#include <algorithm>

#include "format/tptp/xml/names.hpp"
#include "format/tptp/xml/values.hpp"

namespace polytrace::format::tptp {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;

bool is_well_formed(std::string_view text) {
  const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate("UTF-8"), XML_ParserFree);
  return parser != nullptr && text.size() <= INT32_MAX &&
         XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) ==
             XML_STATUS_OK;
}

// Appends one message.
class Printer {
 public:
  Printer(std::string& to, const Message& message) : to_(to), message_(message) {}

  std::size_t print() {
    const MessageInfo& info = message_.info();
    const unsigned body = body_of(info);
    if (info.id == field::Custom::kId && is_carried_element(message_.text(body))) {
      to_.append(message_.text(body)) += '\n';
      return 0;
    }
    (to_ += '<') += info.element;
    for (unsigned i = 0; i < info.attributes.size(); ++i) {
      if (is_printed(i)) attribute(i);
    }
    content(body);
    return replaced_;
  }

 private:
  const AttributeInfo& info(unsigned i) const { return message_.info().attributes[i]; }

  bool is_printed(unsigned i) const {
    using Exit = field::MethodExit;
    if (info(i).is_list() || info(i).meaning == Meaning::body) return false;
    if (message_.id() == Exit::kId) {
      if (i == Exit::transient_class_id_ref) return message_.number(i) != exit_class();
      if (i == Exit::method_id_ref || i == Exit::class_id_ref) return true;
    }
    return info(i).used || !message_.is_default(i);
  }

  void attribute(unsigned i) {
    name(info(i).xml);
    if (info(i).type == Type::str) text(message_.text(i));
    else append_number(to_, info(i), value(i));
    to_ += '"';
  }
  std::int64_t value(unsigned i) const {
    using Exit = field::MethodExit;
    return message_.id() == Exit::kId && i == Exit::class_id_ref ? exit_class()
                                                                 : message_.number(i);
  }
  // Some writers fill only the other of the two.
  std::int64_t exit_class() const {
    using Exit = field::MethodExit;
    const std::int64_t told = message_.number(Exit::class_id_ref);
    return told == 0 ? message_.number(Exit::transient_class_id_ref) : told;
  }
  void name(std::string_view name) { ((to_ += ' ') += name) += "=\""; }
  void text(std::string_view text) { replaced_ += append_attribute_text(to_, text); }

  void content(unsigned body) {
    const bool has_body = body != message_.info().attributes.size();
    const std::size_t before = to_.size();
    to_ += '>';
    frames();
    for (unsigned i = 0; i < message_.info().attributes.size(); ++i) items(i);
    if (has_body) replaced_ += append_content(to_, message_.text(body));
    if (to_.size() == before + 1 && !has_body) {
      to_.pop_back();
      to_ += "/>\n";
    } else {
      ((to_ += "</") += message_.info().element) += ">\n";
    }
  }

  void begin_item(std::string_view list) {
    (to_ += '<') += kAnnotation;
    name("name");
    (to_ += list) += '"';
  }
  void frames() {
    const auto& attributes = message_.info().attributes;
    const auto index = [&](Meaning meaning) {
      return static_cast<unsigned>(std::ranges::find(attributes, meaning, &AttributeInfo::meaning) -
                                   attributes.begin());
    };
    const unsigned methods = index(Meaning::frame_name);
    const unsigned lines = index(Meaning::frame_line);
    if (methods == attributes.size() || lines == attributes.size()) return;
    for (std::size_t i = 0; i < message_.texts(methods).size(); ++i) {
      begin_item(kStackFrame);
      name("value");
      text(message_.texts(methods)[i]);
      to_ += '"';
      name("line");
      append_number(to_, info(lines), message_.numbers(lines)[i]);
      to_ += "\"/>";
    }
  }
  // A list that is no part of a stack.
  void items(unsigned i) {
    const AttributeInfo& list = info(i);
    if (!list.is_list() || list.meaning == Meaning::frame_name ||
        list.meaning == Meaning::frame_line)
      return;
    const bool texts = list.type == Type::strs;
    const std::size_t count = texts ? message_.texts(i).size() : message_.numbers(i).size();
    for (std::size_t item = 0; item < count; ++item) {
      begin_item(list.xml);
      name("value");
      if (texts) text(message_.texts(i)[item]);
      else append_number(to_, list, message_.numbers(i)[item]);
      to_ += "\"/>";
    }
  }

  std::string& to_;
  const Message& message_;
  std::size_t replaced_ = 0;
};

}  // namespace

bool is_carried_element(std::string_view text) {
  if (!text.starts_with('<')) return false;
  Scanner scanner;
  scanner.look_at(text, 0);
  const Markup whole = scanner.whole(0);
  return whole.shape == Shape::element && whole.end == text.size() && !is_event(whole.name) &&
         is_well_formed(text);
}

std::size_t append_element(std::string& to, const Message& message) {
  return Printer(to, message).print();
}

void DocumentWriter::begin() {
  if (begun_) return;
  begun_ = true;
  ((text_ += "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<") += kRoot) += ">\n";
}

base::result<void> DocumentWriter::write(const Message& message) {
  begin();
  replaced_ += append_element(text_, message);
  return text_.size() < kFlushAt ? base::result<void>{} : flush();
}

base::result<void> DocumentWriter::finish() {
  begin();
  if (!open_) ((text_ += "</") += kRoot) += ">\n";
  if (auto done = flush(); !done) return done;
  return sink_->commit();
}

base::result<void> DocumentWriter::flush() {
  auto done = sink_->write(std::as_bytes(std::span(text_)));
  text_.clear();
  return done;
}

}  // namespace polytrace::format::tptp
