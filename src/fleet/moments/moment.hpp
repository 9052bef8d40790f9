// SPDX-License-Identifier: Apache-2.0
// One moment of a store: how it is called, what is known of it, and where it is in a trace that has
// a part of its stream.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "fleet/store.hpp"

namespace polytrace::fleet {

// As the store numbers them, from 1 on.
inline constexpr std::array<std::string_view, 5> kMomentKinds = {"call", "pause", "lock", "burst",
                                                                 "loss"};
// "call"; the number where it is none of these.
std::string moment_kind(std::uint8_t number);

// What is enough to find it again, "0123456789abcdef-17-1790000400123456789": the stream, its
// block, and the wall time of the beginning in nanoseconds.
struct MomentName {
  std::uint64_t stream = 0;
  std::uint64_t block = 0;
  std::int64_t at = 0;

  bool operator==(const MomentName&) const = default;
};
std::string to_text(const MomentName& name);
// Errors: usage.
base::result<MomentName> parse_moment(std::string_view text);

struct Moment {
  MomentName name{};
  std::uint64_t series = 0;
  std::uint8_t kind = 0;
  std::uint64_t took = 0;    // nanoseconds
  std::uint64_t thread = 0;  // its id
  std::string subject{};     // the method, or the class of the lock; empty: none
  std::string service{};
  std::string host{};
  std::string instance{};
};
// Of several with that name the longest. Errors: usage, where there is none; the store's.
base::result<Moment> find_moment(Store& store, const MomentName& name);

// Where it is in a trace.
struct Sighting {
  bool begins = false;  // its beginning is there
  base::Time at = 0;    // on the trace's clock; 0 where the trace tells no wall time
  std::string note{};   // the first that the trace has
  // Of all that happens in the trace: wall times in nanoseconds, or 0; how much.
  std::int64_t first = 0, last = 0;
  std::uint64_t events = 0, lost = 0;
};
// Errors: those of a trace that cannot be read.
base::result<Sighting> look_for(const Moment& moment, base::Bytes trace);

// A trace of some blocks of the moment's stream that stays: a row of the table `traces`.
struct KeptTrace {
  std::string file;  // its absolute path
  std::uint64_t first_block = 0, last_block = 0;
};
// Errors: the link's.
base::result<void> list_trace(Store& store, const Moment& moment, const Sighting& seen,
                              base::Bytes trace, const KeptTrace& kept);

}  // namespace polytrace::fleet
