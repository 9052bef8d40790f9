// SPDX-License-Identifier: Apache-2.0
// How the streams of a CTF 1.8 trace are laid out, and the text in it that says so, from the
// catalogue of events.
#pragma once

#include <array>
#include <string>

#include "exports/job/job.hpp"
#include "slice/names.hpp"

namespace polytrace::exports::ctf {

inline constexpr std::uint32_t kMagic = 0xC1FC1FC1;
// The classes of streams: the thread stands in each packet's context, or in each event's.
inline constexpr std::uint32_t kOfThread = 0, kShared = 1;
// An event begins with an id of one byte and the time.
inline constexpr std::size_t kEventHeader = 9;
std::uint64_t time_of(std::string_view event);
using Uuid = std::array<std::uint8_t, 16>;

// Everything is aligned to bytes; little-endian.
// Names are those of the end: numbers of methods and classes are values of two enumerations.
std::string metadata_text(const Uuid& uuid, const Origin& origin, base::Time shift,
                          const slice::Names& names, const std::vector<std::string>& remarks,
                          bool has_shared);

}  // namespace polytrace::exports::ctf
