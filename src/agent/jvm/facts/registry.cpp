// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/facts/registry.hpp"

#include <functional>

namespace polytrace::agent::jvm {

namespace {

// Keys are hashes of 64 bits, not the texts: half a million methods meet by chance once in a
// hundred million programs, and the texts would take a hundred bytes each.
constexpr std::size_t kMostClasses = 4'000'000;
constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

std::uint64_t mixed(std::uint64_t seed, std::string_view text) {
  std::uint64_t value = seed ^ (std::hash<std::string_view>{}(text)*kStep);
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93;
  return value ^ value >> 29;
}

}  // namespace

Registry& Registry::the() {
  static Registry& registry = *new Registry;  // for ever: threads use it while the program ends
  return registry;
}

void Registry::clear() {
  const std::lock_guard guard(mutex_);
  for (ClassState& state : classes_) state.defined = false;
  method_ids_.clear();
  methods_.resize(1);
  sites_ = 0;
}

std::uint32_t Registry::add_class(std::uint64_t key) {
  if (classes_.size() >= kMostClasses) return 0;
  const auto id = static_cast<std::uint32_t>(classes_.size());
  classes_.emplace_back();
  return class_ids_[key] = id;
}

std::uint32_t Registry::class_of(std::uint64_t loader, std::string_view name) {
  const std::uint64_t name_key = mixed(0, name);
  const std::uint64_t key = mixed(loader + 1, name);
  const std::lock_guard guard(mutex_);
  if (const auto known = class_ids_.find(key); known != class_ids_.end()) return known->second;
  if (loader == kAnyLoader) {
    if (const auto first = name_ids_.find(name_key); first != name_ids_.end()) return first->second;
    const std::uint32_t id = add_class(key);
    if (id != 0) unclaimed_[name_key] = name_ids_[name_key] = id;
    return id;
  }
  if (const auto free = unclaimed_.find(name_key); free != unclaimed_.end()) {
    const std::uint32_t id = class_ids_[key] = free->second;
    unclaimed_.erase(free);
    return id;
  }
  const std::uint32_t id = add_class(key);
  if (id != 0) name_ids_.try_emplace(name_key, id);
  return id;
}

std::uint32_t Registry::known_class(std::uint64_t loader, std::string_view name) const {
  const std::lock_guard guard(mutex_);
  const auto known = class_ids_.find(mixed(loader + 1, name));
  return known == class_ids_.end() ? 0 : known->second;
}

bool Registry::is_defined(std::uint32_t class_id) const {
  const std::lock_guard guard(mutex_);
  return classes_[class_id].defined;
}

void Registry::define_class(std::uint32_t class_id, const event::Class& details) {
  const std::lock_guard guard(mutex_);
  if (class_id == 0 || classes_[class_id].defined) return;
  classes_[class_id].defined = define(details, class_id);
}

bool Registry::is_rewritten(std::uint32_t class_id) const {
  const std::lock_guard guard(mutex_);
  return classes_[class_id].rewritten;
}

void Registry::set_rewritten(std::uint32_t class_id, bool rewritten) {
  const std::lock_guard guard(mutex_);
  classes_[class_id].rewritten = rewritten;
}

std::uint32_t Registry::method_of(const event::Method& details) {
  const std::uint64_t key = mixed(mixed(details.class_id, details.name), details.signature);
  const std::lock_guard guard(mutex_);
  const auto [at, is_new] = method_ids_.try_emplace(key, 0);
  if (is_new) {
    if (methods_.size() > format::native::kMaxMethod) {
      method_ids_.erase(at);
      return 0;
    }
    at->second = static_cast<std::uint32_t>(methods_.size());
    methods_.emplace_back();
  }
  Lines& lines = methods_[at->second];
  const bool others = lines.first != details.first_line || lines.last != details.last_line;
  lines = {details.first_line, details.last_line};
  if (is_new || others) define(details, at->second);
  return at->second;
}

std::uint32_t Registry::next_sites(std::uint32_t count) {
  const std::lock_guard guard(mutex_);
  if (sites_ + count > format::native::kMaxArgument) return 0;
  sites_ += count;
  return sites_ - count + 1;
}

std::uint64_t Registry::classes() const {
  const std::lock_guard guard(mutex_);
  return classes_.size() - 1;
}

std::uint64_t Registry::methods() const {
  const std::lock_guard guard(mutex_);
  return methods_.size() - 1;
}

}  // namespace polytrace::agent::jvm
