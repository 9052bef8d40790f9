// SPDX-License-Identifier: Apache-2.0
// From one event element to its message.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "format/tptp/messages/message.hpp"
#include "format/tptp/xml/values.hpp"

namespace polytrace::format::tptp {

// Who hears of what an element has and a message cannot hold.
class Complaints {
 public:
  virtual ~Complaints() = default;
  // `name` is an attribute, or the child element; `value` its text as it stands.
  virtual void complain(base::Code code, std::string_view element, std::string_view name,
                        std::string_view value) = 0;
};

// Names and values in turns, a null behind them: as the parser gives attributes.
using Attributes = const char* const*;

// One element after the other. One thread at a time.
class Element {
 public:
  explicit Element(Complaints& complaints) : complaints_(complaints) {}

  // `lasting`: the values live until the message has been used.
  void start(const MessageInfo& info, bool lasting);
  void attribute(std::string_view name, std::string_view value);
  void child(std::string_view name, Attributes attributes);
  // Whether its content is a text.
  bool has_body() const { return kind_->body != info_->attributes.size(); }
  void text(std::string_view text) { body_ += text; }
  // Lives until the next start().
  const Message& finish();

 private:
  enum class Source : std::uint8_t { none, alias, name };  // of an attribute's value

  unsigned find(std::string_view name);
  void set(unsigned attribute, std::string_view name, std::string_view value);
  void set_text(unsigned attribute, std::string_view value);
  std::int64_t number(const AttributeInfo& attribute, std::string_view name,
                      std::string_view value);
  void unknown(std::string_view name, std::string_view value);
  bool add_frame(std::string_view method, std::string_view line);
  bool add_item(std::string_view list, std::string_view value);
  std::size_t count_items(unsigned list) const;
  void finish_list(unsigned list, std::size_t length);
  void finish_lists();

  // What is looked up once per kind of message.
  struct Kind {
    bool known = false;
    bool has_lists = false;
    unsigned body = 0;
  };
  // An item of a list. A message wants its lists one after the other, XML mixes them.
  struct Item {
    unsigned list;
    std::int64_t number;
    std::string_view text;
  };

  Complaints& complaints_;
  Message message_;
  const MessageInfo* info_ = nullptr;
  bool lasting_ = false;
  unsigned next_ = 0;  // the attribute that is expected: most writers keep to one order
  std::vector<Source> sources_;
  std::array<Kind, 256> kinds_{};  // by MessageInfo::record
  const Kind* kind_ = nullptr;
  std::vector<Item> items_;
  std::string body_;
};

}  // namespace polytrace::format::tptp
