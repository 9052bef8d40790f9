// SPDX-License-Identifier: Apache-2.0
#include "fleet/frames.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fleet/where.hpp"

namespace polytrace::fleet {
namespace {

// Of a statement, so that no server finds it too long.
constexpr std::size_t kIdsAtOnce = 8000;

std::string literal(std::uint64_t id) { return fmt::format("{}", id); }
std::string literal(const warehouse::Id128& id) {
  return sql_text({reinterpret_cast<const char*>(id.data()), id.size()});
}

// "1, 2, 3"
template <class Id>
std::string literals(std::span<const Id> ids) {
  std::string text;
  for (const Id& id : ids) {
    if (!text.empty()) text += ", ";
    text += literal(id);
  }
  return text;
}

// Each once.
template <class Id>
void make_distinct(std::vector<Id>& ids) {
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

template <class Id, class Take>
base::result<void> in_parts(std::vector<Id> ids, const Take& take) {
  make_distinct(ids);
  for (std::size_t at = 0; at < ids.size(); at += kIdsAtOnce) {
    const auto part = std::span<const Id>(ids).subspan(at, std::min(kIdsAtOnce, ids.size() - at));
    if (auto done = take(literals(part)); !done) return done;
  }
  return {};
}

}  // namespace

base::result<void> Frames::load_frames(std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t id : ids)
    if (!frames_.contains(id)) missing.push_back(id);
  return in_parts(std::move(missing), [&](const std::string& part) -> base::result<void> {
    auto rows = store_.rows<std::uint64_t, std::string, std::string, std::uint32_t>(fmt::format(
        "SELECT id, any(name), any(file), any(line) FROM {} WHERE id IN ({}) GROUP BY id",
        store_.name_of("frames"), part));
    if (!rows) return base::Unexpected(rows.error());
    for (auto& [id, name, file, line] : *rows)
      frames_.try_emplace(id, FrameText{std::move(name), std::move(file), line});
    return {};
  });
}

base::result<void> Frames::load_stacks(std::span<const warehouse::Id128> ids) {
  std::vector<warehouse::Id128> missing;
  for (const warehouse::Id128& id : ids)
    if (!stacks_.contains(id)) missing.push_back(id);
  std::vector<std::uint64_t> frames;
  const auto take = [&](const std::string& part) -> base::result<void> {
    auto rows = store_.rows<warehouse::Id128, std::vector<std::uint64_t>>(
        fmt::format("SELECT id, any(frames) FROM {} WHERE id IN ({}) GROUP BY id",
                    store_.name_of("stacks"), part));
    if (!rows) return base::Unexpected(rows.error());
    for (auto& [id, of_stack] : *rows) {
      frames.insert(frames.end(), of_stack.begin(), of_stack.end());
      stacks_.try_emplace(id, std::move(of_stack));
    }
    make_distinct(frames);
    return {};
  };
  if (auto done = in_parts(std::move(missing), take); !done) return done;
  return load_frames(frames);
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
