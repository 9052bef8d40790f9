// SPDX-License-Identifier: Apache-2.0
#include "server/body.hpp"

#include <simdjson.h>

#include <algorithm>

#include "service/words/numbers.hpp"

namespace polytrace::server {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::element;

constexpr std::size_t kMostDepth = 16;
constexpr std::size_t kMostBodyBytes = (1 << 20) + 64;

}  // namespace

struct Members::Member {
  std::string_view name;
  element value;
  bool asked = false;
};

Body::Body(const std::string& text)
    : parser_(std::make_unique<simdjson::dom::parser>(kMostBodyBytes)),
      root_(std::make_unique<element>()) {
  if (parser_->allocate(kMostBodyBytes, kMostDepth) != SUCCESS) {
    complain("no memory for it");
    return;
  }
  // Copied: it reads some bytes beyond the end.
  const auto parsed = parser_->parse(text.empty() ? std::string("{}") : text);
  if (parsed.get(*root_) != SUCCESS) complain("the body is no JSON, or nested more than 16 deep");
  else if (!root_->is_object()) complain("the body is no object");
}

Body::~Body() = default;

Members Body::members() { return {*this, fault_.empty() ? root_.get() : nullptr, {}}; }

Members::Members(Body& body, const element* object, std::string where)
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

Members::~Members() {
  if (body_ == nullptr) return;
  for (const Member& member : members_)
    if (!member.asked) complain(member.name, "is no member that this request has");
}

Members::Members(Members&& other) noexcept
    : body_(std::exchange(other.body_, nullptr)),
      where_(std::move(other.where_)),
      members_(std::move(other.members_)) {}

void Members::complain(std::string_view name, std::string_view what) const {
  constexpr std::size_t kMostName = 100;
  body_->complain(where_ + "\"" + std::string(name.substr(0, kMostName)) + "\" " +
                  std::string(what));
}

bool Members::has(std::string_view name) const {
  return std::ranges::find(members_, name, &Member::name) != members_.end();
}

Members::Member* Members::find(std::string_view name) {
  const auto found = std::ranges::find(members_, name, &Member::name);
  if (found == members_.end()) return nullptr;
  found->asked = true;
  return &*found;
}

const element* Members::value(std::string_view name) {
  const Member* const member = find(name);
  return member == nullptr || member->value.is_null() ? nullptr : &member->value;
}

std::optional<std::int64_t> Members::integer(std::string_view name) {
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

std::uint64_t Members::count(std::string_view name, std::uint64_t otherwise, std::uint64_t most) {
  const auto number = integer(name);
  if (!number) return otherwise;
  if (*number >= 0 && static_cast<std::uint64_t>(*number) <= most)
    return static_cast<std::uint64_t>(*number);
  complain(name, "is not between 0 and " + std::to_string(most));
  return otherwise;
}

std::optional<double> Members::number(std::string_view name) {
  const element* const found = value(name);
  double number = 0;
  if (found == nullptr) return std::nullopt;
  if (found->get(number) == SUCCESS) return number;
  complain(name, "is no number");
  return std::nullopt;
}

bool Members::flag(std::string_view name, bool otherwise) {
  const element* const found = value(name);
  bool truth = otherwise;
  if (found != nullptr && found->get(truth) != SUCCESS) complain(name, "is neither true nor false");
  return truth;
}

std::string Members::text(std::string_view name, std::string_view otherwise) {
  const element* const found = value(name);
  std::string_view text = otherwise;
  if (found != nullptr && found->get(text) != SUCCESS) complain(name, "is no text");
  return std::string(text);
}

std::vector<std::uint32_t> Members::indexes(std::string_view name) {
  std::vector<std::uint32_t> all;
  const element* const found = value(name);
  if (found == nullptr) return all;
  simdjson::dom::array items;
  if (found->get(items) != SUCCESS || items.size() > kMostLimit) {
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

std::vector<std::string> Members::texts(std::string_view name) {
  std::vector<std::string> all;
  const element* const found = value(name);
  if (found == nullptr) return all;
  simdjson::dom::array items;
  if (found->get(items) != SUCCESS || items.size() > kMostLimit) {
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

std::optional<Members> Members::object(std::string_view name) {
  const element* const found = value(name);
  if (found == nullptr) return std::nullopt;
  return Members(*body_, found, where_ + std::string(name) + ".");
}

std::vector<Members> Members::objects(std::string_view name) {
  std::vector<Members> all;
  const element* const found = value(name);
  if (found == nullptr) return all;
  simdjson::dom::array items;
  if (found->get(items) != SUCCESS || items.size() > kMostLimit) {
    complain(name, "is no list of at most 100,000 objects");
    return all;
  }
  for (const element item : items) {
    // Each copy stands in the document as long as the parser.
    all.emplace_back(*body_, &item, where_ + std::string(name) + ".");
  }
  return all;
}

}  // namespace polytrace::server
