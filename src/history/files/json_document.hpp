// SPDX-License-Identifier: Apache-2.0
// A JSON text as a tree of simdjson's, and the few steps through it that all exchange files share.
// Inside the room only: who includes it compiles simdjson. One thread at a time.
#pragma once

#include <simdjson.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/notices.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {

using JsonElement = simdjson::dom::element;
using JsonObject = simdjson::dom::object;

class JsonDocument {
 public:
  // Levels of brackets that are followed: 10,000 nodes of a tree, two each, and some around them.
  static constexpr std::size_t kMostDepth = 20'100;

  // Strict JSON first; what is none, mended (json_mend.hpp). Errors: json_malformed, and
  // limit_exceeded for deeper nesting. Notices as mend_json has them; a byte order mark is skipped.
  static base::result<JsonDocument> parse(std::string_view text, base::Notices& notices);

  JsonElement root() const { return root_; }

 private:
  std::unique_ptr<simdjson::dom::parser> parser_{};
  JsonElement root_{};
};

base::Unexpected malformed(std::string detail, std::string frame = {});

// The members of these names, in their order; others are ignored. A name twice is json_malformed.
// REQUIRES: as many places in `into` as names.
base::result<void> pick(JsonObject object, std::span<const std::string_view> names,
                        std::span<std::optional<JsonElement>> into, const std::string& frame);

template <std::size_t N>
base::result<std::array<std::optional<JsonElement>, N>> members(
    JsonObject object, const std::array<std::string_view, N>& names, const std::string& frame) {
  std::array<std::optional<JsonElement>, N> found{};
  if (auto done = pick(object, names, found, frame); !done) return base::Unexpected(done.error());
  return found;
}

// Exactly, never through a double. Nothing for other elements and what int64 cannot hold.
std::optional<std::int64_t> as_int64(JsonElement element);
std::optional<Key> as_key(JsonElement element);
std::optional<std::string_view> as_text(JsonElement element);
// Of an optional member: its text, or "". Another type is json_malformed.
base::result<std::string> text_or_empty(const std::optional<JsonElement>& member,
                                        std::string_view name, const std::string& frame);

}  // namespace polytrace::history
