// SPDX-License-Identifier: Apache-2.0
#include "fleet/frames.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polytrace::fleet {
namespace {

// Each once.
template <class Id>
void make_distinct(std::vector<Id>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

base::result<void> Frames::load_frames(std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t id : ids)
    if (!frames_.contains(id)) missing.push_back(id);
  if (missing.empty()) return {};
  make_distinct(missing);
  auto rows = store_.rows<std::uint64_t, std::string, std::string, std::uint32_t>(
      fmt::format("SELECT id, any(name), any(file), any(line) FROM {} WHERE id IN ids GROUP BY id",
                  store_.name_of("frames")),
      {"UInt64", std::as_bytes(std::span(missing))});
  if (!rows) return base::Unexpected(rows.error());
  for (auto& [id, name, file, line] : *rows)
    frames_.try_emplace(id, FrameText{std::move(name), std::move(file), line});
  return {};
}

base::result<void> Frames::load_stacks(std::span<const warehouse::Id128> ids) {
  std::vector<warehouse::Id128> missing;
  for (const warehouse::Id128& id : ids)
    if (!stacks_.contains(id)) missing.push_back(id);
  if (missing.empty()) return {};
  make_distinct(missing);
  auto rows = store_.rows<warehouse::Id128, std::vector<std::uint64_t>>(
      fmt::format("SELECT id, any(frames) FROM {} WHERE id IN ids GROUP BY id",
                  store_.name_of("stacks")),
      {"FixedString(16)", std::as_bytes(std::span(missing))});
  if (!rows) return base::Unexpected(rows.error());
  base::IdSet frames;
  for (auto& [id, of_stack] : *rows) {
    frames.insert(of_stack.begin(), of_stack.end());
    stacks_.try_emplace(id, std::move(of_stack));
  }
  const std::vector<std::uint64_t> of_all(frames.begin(), frames.end());
  return load_frames(of_all);
}

const FrameText* Frames::find(std::uint64_t id) const {
  const auto found = frames_.find(id);
  return found == frames_.end() ? nullptr : &found->second;
}

std::string Frames::name(std::uint64_t id) const {
  const FrameText* const frame = find(id);
  return frame != nullptr ? frame->name : fmt::format("(unknown {:#018x})", id);
}

const std::vector<std::uint64_t>* Frames::stack(const warehouse::Id128& id) const {
  const auto found = stacks_.find(id);
  return found == stacks_.end() ? nullptr : &found->second;
}

}  // namespace polytrace::fleet
