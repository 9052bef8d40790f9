// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/code/code.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "agent/common/runtime/note.hpp"

namespace polytrace::agent::coreclr {
namespace {

// All code that a method has: the first, then the newest.
class Codes {
 public:
  explicit Codes(RuntimeId function) {
    if (!ask(info::kGetNativeCodeStartAddresses, function, 0, kMost, &count_, starts_.data()))
      count_ = 0;
    count_ = std::min(count_, kMost);
  }
  std::span<const RuntimeId> starts() const { return {starts_.data(), count_}; }

 private:
  static constexpr std::uint32_t kMost = 16;
  std::array<RuntimeId, kMost> starts_{};
  std::uint32_t count_ = 0;
};

// Of one version; mostly it is one.
class Blocks {
 public:
  explicit Blocks(RuntimeId start) {
    if (!ask(info::kGetCodeInfo4, start, kMost, &count_, ranges_.data())) count_ = 0;
    count_ = std::min(count_, kMost);
  }
  std::span<const CodeRange> ranges() const { return {ranges_.data(), count_}; }

 private:
  static constexpr std::uint32_t kMost = 4;
  std::array<CodeRange, kMost> ranges_{};
  std::uint32_t count_ = 0;
};

std::vector<IlMapping> il_map_of(RuntimeId start) {
  std::uint32_t count = 0;
  std::vector<IlMapping> map;
  if (!ask(info::kGetILToNativeMapping3, start, 0, &count, nullptr)) return map;
  map.resize(count);
  if (!ask(info::kGetILToNativeMapping3, start, count, &count, map.data())) count = 0;
  map.resize(std::min<std::size_t>(map.size(), count));
  return map;
}

// The IL map stands with the first block.
void tell_version(std::uint32_t number, RuntimeId start) {
  const std::vector<IlMapping> map = il_map_of(start);
  Lists lists;
  lists.il_map = map;
  const Blocks blocks(start);
  for (const CodeRange& range : blocks.ranges()) {
    event::Code details;
    details.method = number;
    details.size = range.size;
    if (!lists.il_map.empty()) details.il_map = whole_il_map(lists);
    if (range.size != 0) define(details, range.start, lists);
    lists.il_map = {};
  }
}

}  // namespace

CodeRange first_code(RuntimeId function) {
  const Codes codes(function);
  if (codes.starts().empty()) return {};
  const Blocks blocks(codes.starts()[0]);
  return blocks.ranges().empty() ? CodeRange{} : blocks.ranges()[0];
}

void tell_code(std::uint32_t number, RuntimeId function) {
  const Codes codes(function);
  for (const RuntimeId start : codes.starts()) tell_version(number, start);
}

}  // namespace polytrace::agent::coreclr
