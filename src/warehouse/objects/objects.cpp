// SPDX-License-Identifier: Apache-2.0
#include "warehouse/objects/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/codes.hpp"
#include "warehouse/link.hpp"
#include "warehouse/objects/objects_impl.hpp"

namespace polytrace::warehouse {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kLongestObjectName = 512;
constexpr std::string_view kPlaces =
    "objects are in \"folder:/srv/traces\" or \"s3:https://HOST/BUCKET\"";

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

bool is_word(std::string_view part) {
  return !part.empty() && part[0] != '.' && std::ranges::all_of(part, is_of_word);
}

// What is sent is signed, and read by whoever stands between: only this machine may do without TLS.
bool is_reached_well(std::string_view server, std::string_view host) {
  return server.starts_with("https://") || is_this_machine(host);
}

}  // namespace

bool is_object_name(std::string_view name) {
  if (name.size() > kLongestObjectName) return false;
  for (;;) {
    const std::size_t end = name.find('/');
    if (!is_word(name.substr(0, end))) return false;
    if (end == name.npos) return true;
    name.remove_prefix(end + 1);
  }
}

std::string object_word(std::string_view text) {
  std::string word(text.substr(0, kLongestWord));
  std::ranges::replace_if(word, [](char c) { return !is_of_word(c); }, '_');
  if (word.empty()) return "_";
  if (word[0] == '.') word[0] = '_';
  return word;
}

std::string object_name(const PieceName& name) {
  const std::time_t time = name.time;
  std::tm day{};
  gmtime_r(&time, &day);
  return fmt::format("{}/{:04}-{:02}-{:02}/{}/{:016x}/{}-{}.ptrace.zst", object_word(name.tenant),
                     day.tm_year + 1900, day.tm_mon + 1, day.tm_mday, object_word(name.service),
                     name.stream, name.first, name.last);
}

base::result<ObjectsPlace> parse_objects(std::string_view to) {
  constexpr std::string_view kFolder = "folder:", kBucket = "s3:";
  const auto wrong = [] { return base::fail(base::Code::usage, std::string(kPlaces)); };
  if (to.starts_with(kFolder)) {
    to.remove_prefix(kFolder.size());
    if (!to.starts_with('/')) return wrong();
    return ObjectsPlace{.root = std::string(to.substr(0, to.find_last_not_of('/') + 1))};
  }
  if (!to.starts_with(kBucket)) return wrong();
  to.remove_prefix(kBucket.size());
  const std::size_t scheme = to.find("://");
  const std::size_t slash = scheme == to.npos ? to.npos : to.find('/', scheme + 3);
  if (slash == to.npos) return wrong();
  const auto address = parse_address(to.substr(0, slash));
  const std::string_view bucket = to.substr(slash + 1, to.find_last_not_of('/') - slash);
  if (!address || !is_object_name(bucket)) return wrong();
  if (!is_reached_well(address->server, address->host))
    return base::fail(base::Code::usage, "objects: http:// is for this machine, write https://");
  return ObjectsPlace{true, address->server, "/" + std::string(bucket)};
}

base::result<void> check_objects(std::string_view to) {
  if (auto place = parse_objects(to); !place) return base::Unexpected(place.error());
  return {};
}

base::result<std::unique_ptr<Objects>> Objects::open(ObjectsOptions options) {
  auto place = parse_objects(options.to);
  if (!place) return base::Unexpected(place.error());
  if (place->is_s3) return s3_objects(*place, std::move(options));
  return folder_objects(std::move(place->root));
}

}  // namespace polytrace::warehouse
