// SPDX-License-Identifier: Apache-2.0
// What earlier blocks decide for later ones: directives, the fixed sizes of classes, the places of
// memory regions. Framing keeps it over the file and hands it to each chunk; decoding goes on from
// there. Value type, cheap to copy.
#pragma once

#include <array>
#include <bit>

#include "base/io/cursor.hpp"
#include "base/layered_map.hpp"
#include "format/monoblock/layout/variant.hpp"

namespace polytrace::format::monoblock {

enum class Directive : std::uint8_t {
#define DIRECTIVE(number, identifier, name) identifier = number,
#include "format/monoblock/layout/directives.def"
#undef DIRECTIVE
};

using LayeredMap = base::LayeredMap<base::Id, std::uint64_t>;

// In a variant of which FileHead says so.
class State {
 public:
  // Whether later blocks can depend on one of this code.
  static bool matters(BlockCode code) {
    return code == BlockCode::mapping || code == BlockCode::statistical ||
           code == BlockCode::directives;
  }
  // Learns from a block what later ones need, as far as it can be read.
  void learn(const FileHead& file, BlockCode code, base::Bytes payload);

  bool has(Directive directive) const {
    return (directives_ >> static_cast<unsigned>(directive) & 1U) != 0;
  }
  void set(std::uint64_t directive) {
    if (directive < 64) directives_ |= std::uint64_t{1} << directive;
  }
  // The size in bytes of all objects of a class; 0 when they differ, or it is not known.
  std::uint64_t fixed_size(base::Id class_id) const {
    return fixed_sizes_.find(class_id).value_or(0);
  }
  void add_fixed_sizes(LayeredMap::Layer sizes) { fixed_sizes_.add(std::move(sizes)); }
  // Nothing when there is no such region.
  std::optional<std::uint64_t> region_start(base::Id region) const {
    const auto found = regions_.find(region);
    return found == kRemoved ? std::nullopt : found;
  }
  void add_regions(LayeredMap::Layer starts) { regions_.add(std::move(starts)); }

  static constexpr std::uint64_t kRemoved = ~std::uint64_t{0};

 private:
  std::uint64_t directives_ = 0;  // bit by number
  LayeredMap fixed_sizes_;
  LayeredMap regions_;
};

}  // namespace polytrace::format::monoblock
