// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/lock_states.hpp"

#include <fmt/format.h>

namespace polytrace::analysis {
namespace {

using OfLock = LockAttribute;

constexpr std::array<std::string_view, kLockAttributes> kLockNames{"Class", "Owner", "Waiters",
                                                                   "Waiting"};

}  // namespace

history::Key LockStates::key(Lock& lock, LockAttribute attribute) {
  return lock.attributes.key(world_.writer, kLockNames, attribute);
}

std::uint32_t LockStates::lock(base::Id object, std::uint32_t told) {
  const auto [at, is_new] = indexes_.try_emplace(object, static_cast<std::uint32_t>(locks_.size()));
  if (is_new) {
    if (parent_ == history::kNoKey) parent_ = world_.writer.key(history::kRoot, "Monitors");
    locks_.emplace_back().attributes =
        Attributes<LockAttribute, kLockAttributes>(world_.writer.key(parent_, hex_text(object)));
  }
  Lock& lock = locks_[at->second];
  if (lock.typed) return at->second;
  const std::uint32_t found = told != kNothing ? told : classes_.find(object);
  lock.typed = found != kNothing;
  if (lock.typed)
    world_.writer.set(key(lock, OfLock::type), history::Value::text(world_.class_name(found)));
  return at->second;
}

void LockStates::show_waiters(Lock& lock) {
  world_.writer.set_number(key(lock, OfLock::waiters), lock.waiters.size());
  std::string text;
  std::size_t named = 0;
  for (auto at = lock.waiters.begin(); at != lock.waiters.end() && named < kMostNamed; ++at) {
    if (named++ != 0) text += ", ";
    text += world_.threads()[at->second].path;
  }
  if (lock.waiters.size() > named) text += fmt::format(", {} more", lock.waiters.size() - named);
  world_.writer.set(key(lock, OfLock::waiting),
                    text.empty() ? history::Value::null() : history::Value::text(text));
}

void LockStates::arrive(std::uint32_t thread, Place& place, std::uint32_t index) {
  if (place.lock == index) return;
  depart(place);
  place = {index, arrivals_++};
  locks_[index].waiters.emplace(place.arrival, thread);
  show_waiters(locks_[index]);
}

void LockStates::depart(Place& place) {
  if (place.lock == kNothing) return;
  Lock& lock = locks_[place.lock];
  lock.waiters.erase(place.arrival);
  place.lock = kNothing;
  show_waiters(lock);
}

void LockStates::set_owner(std::uint32_t index, std::uint32_t thread) {
  Lock& lock = locks_[index];
  if (lock.owner == thread) return;
  if (lock.owner != kNothing) threads_[lock.owner].owned.erase(index);
  if (thread != kNothing) threads_[thread].owned.insert(index);
  lock.owner = thread;
  world_.writer.set(key(lock, OfLock::owner),
                    thread == kNothing ? history::Value::null()
                                       : history::Value::text(world_.threads()[thread].path));
}

void LockStates::contend(std::uint32_t thread, base::Id object, std::uint32_t told) {
  const std::uint32_t index = lock(object, told);
  Place& place = threads_[thread].contends;
  if (place.lock == index) return;
  stop_contending(thread);
  ++locks_[index].contenders;
  arrive(thread, place, index);
}

void LockStates::stop_contending(std::uint32_t thread) {
  Place& place = threads_[thread].contends;
  const std::uint32_t index = place.lock;
  depart(place);
  if (index != kNothing && --locks_[index].contenders == 0) set_owner(index, kNothing);
}

void LockStates::wait(std::uint32_t thread, base::Id object) {
  const std::uint32_t index = lock(object, kNothing);
  if (locks_[index].owner == thread) set_owner(index, kNothing);
  arrive(thread, threads_[thread].waits, index);
}

void LockStates::stop_waiting(std::uint32_t thread) { depart(threads_[thread].waits); }

void LockStates::own(std::uint32_t thread, base::Id object, std::uint32_t told) {
  const std::uint32_t index = lock(object, told);
  set_owner(index, locks_[index].contenders != 0 ? thread : kNothing);
}

void LockStates::end(std::uint32_t number) {
  Thread& thread = threads_[number];
  stop_contending(number);
  stop_waiting(number);
  while (!thread.owned.empty()) set_owner(*thread.owned.begin(), kNothing);
}

}  // namespace polytrace::analysis
