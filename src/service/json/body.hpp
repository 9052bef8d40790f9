// SPDX-License-Identifier: Apache-2.0
// The members of a request's body. Who reads an object names all that it may have: another one is a
// fault, since a misspelt filter must not widen an answer. Nesting is at most 16 deep. One thread
// at a time; what is read is good as long as the JsonBody.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simdjson::dom {
class element;
class parser;
}  // namespace simdjson::dom

namespace polytrace::service {

inline constexpr std::uint64_t kMostJsonItems = 100'000;  // of rows, of names

class JsonMembers;

// Faults are gathered: the first one counts, what is read behind it is empty.
class JsonBody {
 public:
  // "" is an empty object.
  explicit JsonBody(const std::string& text);
  ~JsonBody();
  JsonBody(const JsonBody&) = delete;
  JsonBody& operator=(const JsonBody&) = delete;

  JsonMembers members();
  // Empty: none so far.
  const std::string& fault() const { return fault_; }
  void complain(std::string fault) {
    if (fault_.empty()) fault_ = std::move(fault);
  }

 private:
  friend class JsonMembers;
  std::unique_ptr<simdjson::dom::parser> parser_;
  std::unique_ptr<simdjson::dom::element> root_;
  std::string fault_;
};

// Of one object. What nobody asked for is complained of when it goes.
class JsonMembers {
 public:
  JsonMembers(JsonBody& body, const simdjson::dom::element* object, std::string where);
  ~JsonMembers();
  JsonMembers(JsonMembers&&) noexcept;
  JsonMembers& operator=(JsonMembers&&) = delete;

  bool has(std::string_view name) const;
  // Absent, where it is not there or null.
  std::optional<std::int64_t> integer(std::string_view name);
  std::uint64_t count(std::string_view name, std::uint64_t otherwise,
                      std::uint64_t most = kMostJsonItems);
  std::optional<double> number(std::string_view name);
  bool flag(std::string_view name, bool otherwise = false);
  std::string text(std::string_view name, std::string_view otherwise = {});
  // Numbers below 2^32, at most kMostJsonItems of them.
  std::vector<std::uint32_t> indexes(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  // Whatever it is, as JSON without blanks; empty where it is not there or null.
  std::string json(std::string_view name);
  std::optional<JsonMembers> object(std::string_view name);
  std::vector<JsonMembers> objects(std::string_view name);

  void complain(std::string_view name, std::string_view what) const;

 private:
  struct Member;
  Member* find(std::string_view name);
  // Its value, unless it is not there, or null.
  const simdjson::dom::element* value(std::string_view name);

  JsonBody* body_;
  std::string where_;
  std::vector<Member> members_;
};

}  // namespace polytrace::service
