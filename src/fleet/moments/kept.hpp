// SPDX-License-Identifier: Apache-2.0
// Moments whose blocks were kept as an object (collector: [[rule]], [objects]), read from there.
#pragma once

#include <optional>

#include "fleet/moments/piece.hpp"
#include "warehouse/objects/objects.hpp"

namespace polytrace::fleet {

// A row of the table `traces` whose trace has the moment's block.
struct KeptObject {
  std::string place{};  // the object's name
  std::uint64_t first_block = 0, last_block = 0;
  std::string digest{};  // of the trace: XXH3-128, hexadecimal
  std::string why{};
};
// The longest of several; nothing: none was kept, or not as an object. Errors: the store's.
base::result<std::optional<KeptObject>> find_kept(Store& store, const Moment& moment);

// Errors: those of Objects::get; block_damaged, where it is not what was kept.
base::result<Piece> get_kept(const Moment& moment, const KeptObject& kept,
                             warehouse::Objects& objects);

// Where the events of a moment may be had.
struct Sources {
  warehouse::Objects* objects = nullptr;  // null: none
  FetchBlocks blocks{};                   // empty: nobody is asked for them
};
// From the objects, where they have it with its beginning, else from who keeps blocks. Errors: of
// both, where neither has it; usage, where there is nobody to ask for what is not kept, or what is
// kept is in objects and nobody said where these are.
base::result<Piece> get_piece(Store& store, const Moment& moment, const Sources& sources);

}  // namespace polytrace::fleet
