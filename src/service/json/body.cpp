// SPDX-License-Identifier: Apache-2.0
#include "service/json/body.hpp"

#include <simdjson.h>

#include <algorithm>

#include "service/words/numbers.hpp"

namespace polytrace::service {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;

constexpr std::size_t kMostJsonDepth = 16;
constexpr std::size_t kMostJsonBytes = (1 << 20) + 64;

}  // namespace

struct JsonMembers::Member {
  std::string_view name;
  element value;
  bool asked = false;
};

JsonBody::JsonBody(const std::string& text)
    : parser_(std::make_unique<simdjson::dom::parser>(kMostJsonBytes)),
      root_(std::make_unique<element>()) {
  if (parser_->allocate(kMostJsonBytes, kMostJsonDepth) != SUCCESS) {
    complain("no memory for it");
    return;
  }
  // Copied: it reads some bytes beyond the end.
  const auto parsed = parser_->parse(text.empty() ? std::string("{}") : text);
  if (parsed.get(*root_) != SUCCESS) complain("the body is no JSON, or nested more than 16 deep");
  else if (!root_->is_object()) complain("the body is no object");
}

JsonBody::~JsonBody() = default;

JsonMembers JsonBody::members() { return {*this, fault_.empty() ? root_.get() : nullptr, {}}; }

JsonMembers::JsonMembers(JsonBody& body, const element* object, std::string where)
    : body_(&body), where_(std::move(where)) {
  if (object == nullptr) return;
  simdjson::dom::object members;
  if (object->get(members) != SUCCESS) {
    body.complain(where_ + " is no object");
    return;
  }
  for (const auto& [name, value] : members) {
    if (has(name)) complain(name, "stands twice");
    members_.push_back({name, value});
  }
}

JsonMembers::~JsonMembers() {
  if (body_ == nullptr) return;
  for (const Member& member : members_)
    if (!member.asked) complain(member.name, "is no member that this request has");
}

JsonMembers::JsonMembers(JsonMembers&& other) noexcept
    : body_(std::exchange(other.body_, nullptr)),
      where_(std::move(other.where_)),
      members_(std::move(other.members_)) {}

void JsonMembers::complain(std::string_view name, std::string_view what) const {
  constexpr std::size_t kMostName = 100;
  body_->complain(where_ + "\"" + std::string(name.substr(0, kMostName)) + "\" " +
                  std::string(what));
}

bool JsonMembers::has(std::string_view name) const {
  return std::ranges::find(members_, name, &Member::name) != members_.end();
}

JsonMembers::Member* JsonMembers::find(std::string_view name) {
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found == members_.end()) return nullptr;
  found->asked = true;
  return &*found;
}

const element* JsonMembers::value(std::string_view name) {
  const Member* const member = find(name);
  return member == nullptr || member->value.is_null() ? nullptr : &member->value;
}

std::optional<std::int64_t> JsonMembers::integer(std::string_view name) {
  const element* const found = value(name);
  if (found == nullptr) return std::nullopt;
  std::int64_t number = 0;
  if (found->get(number) == SUCCESS) return number;
  // Answers tell those beyond 2^53 as texts.
  std::string_view text;
  if (found->get(text) == SUCCESS)
    if (const auto told = service::parse_number<std::int64_t>(text)) return told;
  complain(name, "is no integer of 64 bits");
  return std::nullopt;
}

std::uint64_t JsonMembers::count(std::string_view name, std::uint64_t otherwise,
                                 std::uint64_t most) {
  const auto number = integer(name);
  if (!number) return otherwise;
  if (*number >= 0 && static_cast<std::uint64_t>(*number) <= most)
    return static_cast<std::uint64_t>(*number);
  complain(name, "is not between 0 and " + std::to_string(most));
  return otherwise;
}

std::optional<double> JsonMembers::number(std::string_view name) {
  const element* const found = value(name);
  double number = 0;
  if (found == nullptr) return std::nullopt;
  if (found->get(number) == SUCCESS) return number;
  complain(name, "is no number");
  return std::nullopt;
}

bool JsonMembers::flag(std::string_view name, bool otherwise) {
  const element* const found = value(name);
  bool truth = otherwise;
  if (found != nullptr && found->get(truth) != SUCCESS) complain(name, "is neither true nor false");
  return truth;
}

std::string JsonMembers::text(std::string_view name, std::string_view otherwise) {
  const element* const found = value(name);
  std::string_view text = otherwise;
  if (found != nullptr && found->get(text) != SUCCESS) complain(name, "is no text");
  return std::string(text);
}

std::vector<std::uint32_t> JsonMembers::indexes(std::string_view name) {
  std::vector<std::uint32_t> all;
  const element* const found = value(name);
  if (found == nullptr) return all;
  simdjson::dom::array items;
  if (found->get(items) != SUCCESS || items.size() > kMostJsonItems) {
    complain(name, "is no list of at most 100,000 numbers");
    return all;
  }
  for (const element item : items) {
    std::uint64_t number = 0;
    if (item.get(number) != SUCCESS || number > std::numeric_limits<std::uint32_t>::max()) {
      complain(name, "has an item that is no number from 0 on");
      return all;
    }
    all.push_back(static_cast<std::uint32_t>(number));
  }
  return all;
}

std::vector<std::string> JsonMembers::texts(std::string_view name) {
  std::vector<std::string> all;
  const element* const found = value(name);
  if (found == nullptr) return all;
  simdjson::dom::array items;
  if (found->get(items) != SUCCESS || items.size() > kMostJsonItems) {
    complain(name, "is no list of at most 100,000 texts");
    return all;
  }
  for (const element item : items) {
    std::string_view text;
    if (item.get(text) != SUCCESS) {
      complain(name, "has an item that is no text");
      return all;
    }
    all.emplace_back(text);
  }
  return all;
}

std::string JsonMembers::json(std::string_view name) {
  const element* const found = value(name);
  return found == nullptr ? std::string() : simdjson::minify(*found);
}

std::optional<JsonMembers> JsonMembers::object(std::string_view name) {
  const element* const found = value(name);
  if (found == nullptr) return std::nullopt;
  return JsonMembers(*body_, found, where_ + std::string(name) + ".");
}

std::vector<JsonMembers> JsonMembers::objects(std::string_view name) {
  std::vector<JsonMembers> all;
  const element* const found = value(name);
  if (found == nullptr) return all;
  simdjson::dom::array items;
  if (found->get(items) != SUCCESS || items.size() > kMostJsonItems) {
    complain(name, "is no list of at most 100,000 objects");
    return all;
  }
  for (const element item : items) {
    // Each copy stands in the document as long as the parser.
    all.emplace_back(*body_, &item, where_ + std::string(name) + ".");
  }
  return all;
}

}  // namespace polytrace::service
