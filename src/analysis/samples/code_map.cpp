// SPDX-License-Identifier: Apache-2.0
#include "analysis/samples/code_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "slice/code_range.hpp"

namespace polytrace::analysis {

using event::Kind;

void CodeMap::learn(const event::Batch& batch, const event::Event& event, const Names& names) {
  if (event.kind == Kind::Method) {
    const auto method = batch.details_or<event::Method>(event, {});
    if (method.code != base::kNoId && method.code_size != 0 &&
        can_be_code(method.code, method.code_size))
      methods_.push_back({method.code, method.code_size, names.methods().index(event.id)});
  } else if (event.kind == Kind::Code) {
    learn_code(batch, event, names);
  } else if (event.kind == Kind::NativeSymbol) {
    const auto symbol = batch.details_or<event::NativeSymbol>(event, {});
    symbols_.push_back({event.id, symbol.size, NameTable::kNone, std::string(symbol.name)});
  } else if (event.kind == Kind::NativeBinary) {
    const auto binary = batch.details_or<event::NativeBinary>(event, {});
    binaries_.push_back({event.id, binary.size, NameTable::kNone, std::string(binary.name)});
  }
}

// The blocks of one compilation follow each other; its IL map comes with the first and counts
// native offsets through all of them.
void CodeMap::learn_code(const event::Batch& batch, const event::Event& event, const Names& names) {
  const auto code = batch.details_or<event::Code>(event, {});
  if (code.size == 0 || !can_be_code(event.id, code.size)) return;
  const bool named = code.method != base::kNoId && code.method != 0;
  Range range{event.id, code.size, named ? names.methods().index(code.method) : NameTable::kNone,
              std::string(code.name.empty() ? name(code.type) : code.name)};
  const auto map = batch.list(code.il_map);
  if (!map.empty()) {
    range.map = static_cast<std::uint32_t>(maps_.size());
    maps_.emplace_back(map.begin(), map.end());
    std::ranges::stable_sort(maps_.back(), {}, &event::IlRange::begin);
  } else if (named && !code_.empty() && code_.back().method == range.method &&
             last_time_ == event.time) {
    range.map = code_.back().map;
    range.before = code_.back().before + code_.back().size;
  }
  last_time_ = event.time;
  code_.push_back(std::move(range));
}

void CodeMap::finish() {
  for (auto* ranges : {&methods_, &code_, &symbols_, &binaries_}) {
    std::ranges::stable_sort(*ranges, {}, &Range::begin);
  }
}

const CodeMap::Range* CodeMap::last_before(const std::vector<Range>& ranges, std::uint64_t ip) {
  const auto behind = std::ranges::upper_bound(ranges, ip, {}, &Range::begin);
  return behind == ranges.begin() ? nullptr : &*(behind - 1);
}

std::optional<IlPlace> CodeMap::il_place(std::uint64_t ip) const {
  const Range* code = last_before(code_, ip);
  if (code == nullptr || !covers(*code, ip) || code->method == NameTable::kNone) {
    const Range* method = last_before(methods_, ip);
    if (method == nullptr || !covers(*method, ip)) return std::nullopt;
    return IlPlace{.method = method->method};
  }
  IlPlace place{.method = code->method};
  if (code->map == kNoMap) return place;
  const std::uint64_t offset = code->before + (ip - code->begin);
  const auto& map = maps_[code->map];
  auto at = std::ranges::upper_bound(map, offset, {}, &event::IlRange::begin);
  if (at != map.begin() && offset < (--at)->end) place.il = at->il;
  return place;
}

CodePlace CodeMap::find(std::uint64_t ip, const Names& names) const {
  // Methods first: pieces of code that tell no more may begin within one.
  for (const auto* ranges : {&methods_, &code_}) {
    const Range* code = last_before(*ranges, ip);
    if (code == nullptr || !covers(*code, ip)) continue;
    if (code->method == NameTable::kNone) return {CodeOwner::native, code->name};
    return {CodeOwner::method, names.method_name(code->method)};
  }
  if (const Range* symbol = last_before(symbols_, ip); symbol != nullptr) {
    const std::uint64_t distance = ip - symbol->begin;
    if (distance <= kNear || covers(*symbol, ip)) return {CodeOwner::native, symbol->name};
    return {CodeOwner::unknown, fmt::format("?+{:#x} in {}", distance, symbol->name)};
  }
  if (const Range* binary = last_before(binaries_, ip); binary != nullptr && covers(*binary, ip)) {
    return {CodeOwner::native, fmt::format("?+{:#x} in {}", ip - binary->begin, binary->name)};
  }
  return {CodeOwner::unknown, "?"};
}

}  // namespace polytrace::analysis
