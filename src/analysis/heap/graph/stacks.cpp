// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/stacks.hpp"

#include <fmt/format.h>

namespace polytrace::analysis {

using event::Kind;

void ThreadStacks::take(const Slice& slice, const event::Event& event) {
  const event::Batch& batch = slice.batch;
  if (event.kind == Kind::Method) {
    const std::string_view source = batch.details_or<event::Method>(event, {}).source;
    if (!source.empty()) sources_[slice.names.methods().index(event.id)] = source;
    return;
  }
  const auto sample = batch.details_or<event::Sample>(event, {});
  const auto stack = batch.list(sample.stack);
  const auto places = batch.places(sample.stack);
  if (sample.mode != event::SampleMode::unknown || places.size() != stack.size()) return;
  std::vector<Frame>& frames = stacks_[event.id];
  frames.clear();
  for (std::size_t i = 0; i < stack.size(); ++i)
    frames.push_back({slice.names.methods().index(stack[i]), places[i].native});
}

std::string ThreadStacks::owner_text(const RootOwner& owner, const Names& names) const {
  const std::uint32_t thread =
      owner.thread == base::kNoId ? Names::kNone : names.thread_index(owner.thread);
  if (thread == Names::kNone) return {};
  std::string text = "thread " + names.thread_name(thread);
  const auto stack = stacks_.find(owner.thread);
  if (stack == stacks_.end() || owner.frame >= stack->second.size()) return text;
  return fmt::format(
      "{}, in {}", text,
      frame_text(stack->second.rbegin()[static_cast<std::ptrdiff_t>(owner.frame)], names));
}

// Without the parameters: the line tells which of several it is.
std::string ThreadStacks::frame_text(const Frame& frame, const Names& names) const {
  std::string name = names.method_name(frame.method);
  name.resize(std::min(name.size(), name.find(" (")));
  const auto source = sources_.find(frame.method);
  if (source == sources_.end()) return name;
  return frame.line < 0 ? fmt::format("{} ({})", name, source->second)
                        : fmt::format("{} ({}:{})", name, source->second, frame.line);
}

}  // namespace polytrace::analysis
