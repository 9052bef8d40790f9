// SPDX-License-Identifier: Apache-2.0
#include "history/files/json_document.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "history/files/json_mend.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using simdjson::error_code;

struct Attempt {
  JsonElement root{};
  error_code fault = simdjson::SUCCESS;
};

Attempt attempt(simdjson::dom::parser& parser, std::string_view text) {
  const simdjson::padded_string padded(text);
  Attempt made;
  made.fault = parser.parse(padded).get(made.root);
  return made;
}

base::Unexpected refusal(error_code fault) {
  if (fault == simdjson::DEPTH_ERROR)
    return base::fail(Code::limit_exceeded,
                      fmt::format("nested deeper than {} brackets", JsonDocument::kMostDepth));
  if (fault == simdjson::CAPACITY || fault == simdjson::MEMALLOC)
    return base::fail(Code::limit_exceeded, simdjson::error_message(fault));
  return malformed(simdjson::error_message(fault));
}

bool can_be_mended(error_code fault) {
  return fault != simdjson::DEPTH_ERROR && fault != simdjson::CAPACITY &&
         fault != simdjson::MEMALLOC && fault != simdjson::EMPTY;
}

// Texts that are not UTF-8 are told once: where they are, the parser does not say.
std::string as_utf8(std::string_view text, base::Notices& notices) {
  notices.add(Code::text_ill_formed, {}, 0, "bytes that are not UTF-8");
  return base::repaired(text);
}

}  // namespace

base::Unexpected malformed(std::string detail, std::string frame) {
  return base::fail(Code::json_malformed, std::move(detail), {.frame = std::move(frame)});
}

base::result<JsonDocument> JsonDocument::parse(std::string_view text, base::Notices& notices) {
  if (text.starts_with(base::kByteOrderMark)) text.remove_prefix(base::kByteOrderMark.size());
  JsonDocument document;
  document.parser_ = std::make_unique<simdjson::dom::parser>();
  auto& parser = *document.parser_;
  if (const auto fault = parser.allocate(text.size() + 1, kMostDepth); fault != simdjson::SUCCESS)
    return refusal(fault);
  Attempt made = attempt(parser, text);
  std::string utf8;
  if (made.fault == simdjson::UTF8_ERROR) {
    text = utf8 = as_utf8(text, notices);
    made = attempt(parser, text);
  }
  if (made.fault != simdjson::SUCCESS && can_be_mended(made.fault)) {
    const auto mended = mend_json(text, notices);
    if (!mended) return base::Unexpected(mended.error());
    made = attempt(parser, *mended);
  }
  if (made.fault != simdjson::SUCCESS) return refusal(made.fault);
  document.root_ = made.root;
  return document;
}

base::result<void> pick(JsonObject object, std::span<const std::string_view> names,
                        std::span<std::optional<JsonElement>> into, const std::string& frame) {
  for (const auto& [name, element] : object) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != name) continue;
      if (into[i]) return malformed(fmt::format("\"{}\" twice", name), frame);
      into[i] = element;
    }
  }
  return {};
}

std::optional<std::int64_t> as_int64(JsonElement element) {
  std::int64_t number = 0;
  if (element.type() != simdjson::dom::element_type::INT64 ||
      element.get(number) != simdjson::SUCCESS)
    return std::nullopt;
  return number;
}

std::optional<Key> as_key(JsonElement element) {
  const auto number = as_int64(element);
  if (!number || *number < 0 || *number >= kNoKey) return std::nullopt;
  return static_cast<Key>(*number);
}

std::optional<std::string_view> as_text(JsonElement element) {
  std::string_view text;
  if (element.get(text) != simdjson::SUCCESS) return std::nullopt;
  return text;
}

base::result<std::string> text_or_empty(const std::optional<JsonElement>& member,
                                        std::string_view name, const std::string& frame) {
  if (!member) return std::string();
  const auto text = as_text(*member);
  if (!text) return malformed(fmt::format("\"{}\" is no string", name), frame);
  return std::string(*text);
}

}  // namespace polytrace::history
