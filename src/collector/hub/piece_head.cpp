// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/piece_head.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "collector/push/upload.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

constexpr std::string_view kRangeField = "Content-Range";
constexpr std::string_view kBytesUnit = "bytes ", kAnyRange = "*";
constexpr std::size_t kIdDigits = 32;

base::Unexpected wrong_range(std::string why) {
  return base::fail(base::Code::usage, fmt::format("{}: {}", kRangeField, why));
}

bool is_upload_id(std::string_view text) {
  return text.size() == kIdDigits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// "8-15" of a body of 8 bytes.
base::result<std::uint64_t> first_of(std::string_view range, std::uint64_t total,
                                     std::uint64_t size) {
  const auto first = service::take_number<std::uint64_t>(range);
  const bool has_dash = range.starts_with('-');
  const auto last = has_dash ? service::parse_number<std::uint64_t>(range.substr(1)) : std::nullopt;
  if (!first || !last || *last < *first)
    return wrong_range("it is bytes FIRST-LAST/TOTAL, or bytes */TOTAL");
  if (*last >= total) return wrong_range(fmt::format("{} is beyond the end at {}", *last, total));
  if (*last - *first + 1 == size) return *first;
  return wrong_range(fmt::format("the body has {} bytes, not {}", size, *last - *first + 1));
}

}  // namespace

bool is_piece(const http::Request& request) {
  return !request.all(kRangeField).empty() || !request.all(kUploadField).empty();
}

base::result<PieceHead> parse_piece(const http::Request& request) {
  PieceHead head{.id = std::string(request.only(kUploadField))};
  if (!is_upload_id(head.id))
    return base::fail(base::Code::usage,
                      fmt::format("{} is 32 hexadecimal digits, once", kUploadField));
  std::string_view range = request.only(kRangeField);
  if (!range.starts_with(kBytesUnit)) return wrong_range("it is told once, in bytes");
  range.remove_prefix(kBytesUnit.size());
  const std::size_t slash = range.find('/');
  const auto total = slash == range.npos
                         ? std::nullopt
                         : service::parse_number<std::uint64_t>(range.substr(slash + 1));
  if (!total || *total == 0) return wrong_range("it tells no size of the whole");
  head.total = *total;
  range = range.substr(0, slash);
  if (range == kAnyRange && request.body.empty()) return head;
  auto first = first_of(range, head.total, request.body.size());
  if (!first) return base::Unexpected(first.error());
  head.first = *first;
  return head;
}

}  // namespace polytrace::collector
