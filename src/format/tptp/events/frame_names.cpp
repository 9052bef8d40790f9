// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/events/frame_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "event/choice/method_names.hpp"

namespace polytrace::format::tptp {
namespace {

// In the order in which a reader names them: innermost first, each once.
std::vector<base::Id> named_ids(std::span<const base::Id> stack) {
  std::vector<base::Id> ids;
  base::IdSet seen;
  for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
    if (seen.insert(*frame).second) ids.push_back(*frame);
  }
  return ids;
}

}  // namespace

std::string FrameNames::name(base::Id method) const {
  const auto found = methods_.find(method);
  if (found == methods_.end()) return fmt::format("{:#x}", method);
  const auto owner = classes_.find(found->second.class_id);
  const std::string_view of = owner == classes_.end() ? std::string_view() : owner->second;
  return event::whole_method_name(of, found->second.name, found->second.signature);
}

base::Id FrameNames::find_class(base::Id method) {
  if (method == 0) return base::kNoId;  // no method
  const auto found = methods_.find(method);
  const base::Id class_id = found == methods_.end() ? base::kNoId : found->second.class_id;
  known_[place_of(method)] = {method, class_id};
  return class_id;
}

std::vector<NamedFrame> FrameNames::release(std::span<const base::Id> stack, base::Time time) {
  std::vector<NamedFrame> rest = release();
  if (rest.empty()) return rest;
  const auto ids = named_ids(stack);
  if (ids.size() > rest.size()) return rest;
  const auto tail = rest.end() - static_cast<std::ptrdiff_t>(ids.size());
  const bool same = std::equal(
      ids.begin(), ids.end(), tail,
      [time](base::Id id, const auto& frame) { return frame.id == id && frame.time == time; });
  if (same) rest.erase(tail, rest.end());
  return rest;
}

}  // namespace polytrace::format::tptp
