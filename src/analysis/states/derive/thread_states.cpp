// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/thread_states.hpp"

#include <algorithm>

namespace polytrace::analysis::states {
namespace {

using OfThread = ThreadAttribute;

constexpr std::array<std::string_view, kThreadAttributes> kThreadNames{
    "Name",      "Status",      "Method",    "Stack",      "Sampled",
    "Waits for", "Allocations", "Allocated", "Exceptions", "CPU"};

}  // namespace

Key ThreadStates::key(Thread& thread, ThreadAttribute attribute) {
  return thread.attributes.key(world_.writer, kThreadNames, attribute);
}

// On first sight its place, name and status are made. What belongs to no thread has no status.
ThreadStates::Thread& ThreadStates::live(std::uint32_t number) {
  Thread& thread = threads_[number];
  if (thread.begun) [[likely]]
    return thread;
  if (parent_ == kNoKey) parent_ = world_.writer.key(kRoot, "Threads");
  const ThreadName& name = world_.threads()[number];
  thread.begun = true;
  thread.attributes =
      Attributes<ThreadAttribute, kThreadAttributes>(world_.writer.key(parent_, name.path));
  if (name.first_name != kNone) this->name(number, name.first_name);
  if (name.id == base::kNoId) return thread;
  living_.push_back(number);
  show_status(thread);
  return thread;
}

void ThreadStates::show_status(Thread& thread) {
  const char* const status = thread.ended        ? "ended"
                             : paused_           ? "paused"
                             : thread.blocked_by ? "blocked"
                             : thread.waits_for  ? "waiting"
                                                 : "running";
  world_.writer.set(key(thread, OfThread::status), Value::text(status));
}

void ThreadStates::show_wait(Thread& thread) {
  const auto object = thread.blocked_by ? thread.blocked_by : thread.waits_for;
  const Key at = key(thread, OfThread::waits_for);
  if (object && *object != base::kNoId) world_.writer.set(at, Value::text(hex(*object)));
  else world_.writer.set(at, Value::null());
}

void ThreadStates::name(std::uint32_t number, std::uint32_t text) {
  Thread& thread = live(number);
  world_.writer.set(key(thread, OfThread::name), Value::text(world_.text(text)));
}

void ThreadStates::end(std::uint32_t number) {
  Thread& thread = live(number);
  if (thread.ended) return;
  thread.ended = true;
  show_status(thread);
  wait(number, {});
  block(number, {});
  if (thread.sampled.has_key()) thread.sampled.become(world_, {});
  if (thread.open.empty()) return;
  account_.open -= thread.open.depth();
  thread.open.clear();
  thread.calls.cut(world_, 0);
  show_method(thread);
}

void ThreadStates::show_method(Thread& thread) {
  const std::uint32_t top = thread.calls.top();
  world_.writer.set(key(thread, OfThread::method),
                    top == kNone ? Value::null() : Value::text(world_.method_name(top)));
}

void ThreadStates::enter(std::uint32_t number, const event::OpenCall& call) {
  Thread& thread = live(number);
  if (!thread.open.enter(call, account_)) return;
  if (!thread.calls.has_key()) thread.calls = StackStates(key(thread, OfThread::stack));
  thread.calls.push(world_, static_cast<std::uint32_t>(call.id));
  show_method(thread);
}

void ThreadStates::leave(std::uint32_t number, const event::OpenCall& call) {
  Thread& thread = live(number);
  if (thread.open.leave(call, account_) == nullptr) return;
  thread.calls.cut(world_, thread.open.depth());
  show_method(thread);
}

void ThreadStates::sample(std::uint32_t number, std::uint32_t node) {
  Thread& thread = live(number);
  if (!thread.sampled.has_key()) thread.sampled = StackStates(key(thread, OfThread::sampled));
  const StackTree& stacks = world_.gathered().stacks;
  frames_.clear();
  for (; node != StackTree::kRoot; node = stacks.parent(node))
    if (stacks.method(node) != Names::kOtherPaths) frames_.push_back(stacks.method(node));
  std::ranges::reverse(frames_);
  thread.sampled.become(world_, frames_);
}

void ThreadStates::allocate(std::uint32_t number, std::uint64_t count, std::uint64_t bytes) {
  Thread& thread = live(number);
  thread.allocations = saturated_sum(thread.allocations, count);
  thread.allocated = saturated_sum(thread.allocated, bytes);
  world_.writer.set_number(key(thread, OfThread::allocations), thread.allocations);
  world_.writer.set_number(key(thread, OfThread::allocated), thread.allocated);
}

void ThreadStates::throws(std::uint32_t number) {
  Thread& thread = live(number);
  world_.writer.set_number(key(thread, OfThread::exceptions), ++thread.exceptions);
}

void ThreadStates::cpu_total(std::uint32_t number, std::uint64_t total) {
  Thread& thread = live(number);
  thread.cpu = total;
  world_.writer.set_number(key(thread, OfThread::cpu), total);
}

void ThreadStates::cpu_more(std::uint32_t number, std::uint64_t used) {
  cpu_total(number, saturated_sum(live(number).cpu, used));
}

void ThreadStates::wait(std::uint32_t number, std::optional<base::Id> object) {
  Thread& thread = live(number);
  if (thread.waits_for == object) return;
  thread.waits_for = object;
  show_wait(thread);
  show_status(thread);
}

void ThreadStates::block(std::uint32_t number, std::optional<base::Id> object) {
  Thread& thread = live(number);
  if (thread.blocked_by == object) return;
  thread.blocked_by = object;
  show_wait(thread);
  show_status(thread);
}

void ThreadStates::pause(bool paused) {
  if (paused == paused_) return;
  std::erase_if(living_, [&](std::uint32_t thread) { return threads_[thread].ended; });
  if (paused && pause_changes_ + 2 * living_.size() > kMostPauseChanges)
    return world_.writer.note(base::Code::limit_exceeded, parent_, "pause not told to the threads");
  pause_changes_ += living_.size();
  paused_ = paused;
  for (const std::uint32_t thread : living_) show_status(threads_[thread]);
}

}  // namespace polytrace::analysis::states
