// SPDX-License-Identifier: Apache-2.0
// A profile that was cut to what a page can draw, as JSON in columns. Pure; thread-safe.
#pragma once

#include <functional>
#include <optional>

#include "analysis/profile/profile.hpp"
#include "base/text/json_writer.hpp"

namespace polytrace::server {

// "ns", "bytes", "count"
std::string_view unit_word(const analysis::Weight& weight);

// Members: "nodes" with columns, "total", and the same before where it is compared.
void write_pruned(base::JsonWriter& json, const analysis::Pruned& pruned);

// The member "frames". `id` is what addresses call a frame by, or nothing.
using FrameId = std::function<std::optional<std::uint32_t>(const analysis::Profile::Frame&)>;
void write_frames(base::JsonWriter& json, const analysis::Profile& profile, const FrameId& id);

}  // namespace polytrace::server
