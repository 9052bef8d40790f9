// SPDX-License-Identifier: Apache-2.0
#include "warehouse/ids.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "base/io/appender.hpp"

namespace polytrace::warehouse {
namespace {

// Lengths stand before texts: no two lists of texts are the same bytes.
void append_text(base::Appender& out, std::string_view text) {
  out.uleb(text.size());
  out.text(text);
}

std::uint64_t hash_of(const base::Appender& bytes, std::uint64_t seed) {
  const std::uint64_t hash = XXH3_64bits_withSeed(bytes.view().data(), bytes.size(), seed);
  return hash == 0 ? 1 : hash;
}

std::uint64_t hash_of_labels(const Labels& labels, bool with_place, std::uint64_t seed) {
  base::Appender bytes;
  for (const std::string* text : {&labels.service, &labels.version, &labels.runtime, &labels.agent})
    append_text(bytes, *text);
  bytes.byte(with_place);
  if (with_place) {
    append_text(bytes, labels.host);
    append_text(bytes, labels.instance);
  }
  auto free = labels.free;
  std::ranges::sort(free);
  for (const auto& [name, value] : free) {
    append_text(bytes, name);
    append_text(bytes, value);
  }
  return hash_of(bytes, seed);
}

Id128 id_of(const XXH128_hash_t& hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  Id128 id;
  static_assert(sizeof id == sizeof bytes);
  std::memcpy(id.data(), &bytes, sizeof id);
  return id;
}

}  // namespace

std::uint64_t frame_id(FrameKind kind, std::string_view name, std::string_view file,
                       std::uint32_t line, std::uint64_t seed) {
  base::Appender bytes;
  bytes.byte(static_cast<std::uint8_t>(kind));
  append_text(bytes, name);
  append_text(bytes, file);
  bytes.fixed(line);
  return hash_of(bytes, seed);
}

Id128 stack_id(std::span<const std::uint64_t> frames, std::uint64_t seed) {
  return id_of(XXH3_128bits_withSeed(frames.data(), frames.size_bytes(), seed));
}

Id128 digest_of(base::Bytes bytes) { return id_of(XXH3_128bits(bytes.data(), bytes.size())); }

std::uint64_t service_id(std::string_view name, std::uint64_t seed) {
  base::Appender bytes;
  append_text(bytes, name);
  return hash_of(bytes, seed);
}

std::uint64_t series_id(const Labels& labels, std::uint64_t seed) {
  return hash_of_labels(labels, true, seed);
}

std::uint64_t group_id(const Labels& labels, std::uint64_t seed) {
  return hash_of_labels(labels, false, seed);
}

}  // namespace polytrace::warehouse
