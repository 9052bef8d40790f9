// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/thread_states.hpp"

#include <algorithm>

#include "base/codes.hpp"

namespace polytrace::analysis {
namespace {

using OfThread = ThreadAttribute;

constexpr std::array<std::string_view, kThreadAttributes> kThreadNames{
    "Name",      "Status",      "Method",    "Stack",      "Sampled",
    "Waits for", "Allocations", "Allocated", "Exceptions", "CPU"};

}  // namespace

history::Key StackStates::level(World& world, std::size_t depth) {
  if (depth == levels_.size()) levels_.push_back(world.writer.key(key_, std::to_string(depth + 1)));
  return levels_[depth];
}

void StackStates::show_depth(World& world) {
  const auto depth = static_cast<std::int64_t>(methods_.size());
  world.writer.set(key_, depth == 0 ? history::Value::null() : history::Value::of(depth));
}

void StackStates::push(World& world, std::uint32_t method) {
  const std::size_t depth = methods_.size();
  methods_.push_back(method);
  show_depth(world);
  if (depth < kDeepest)
    world.writer.set(level(world, depth), history::Value::text(world.method_name(method)));
}

void StackStates::cut(World& world, std::size_t depth) {
  if (depth >= methods_.size()) return;
  for (std::size_t i = std::min(methods_.size(), kDeepest); i > depth; --i)
    world.writer.set(levels_[i - 1], history::Value::null());
  methods_.resize(depth);
  show_depth(world);
}

void StackStates::become(World& world, std::span<const std::uint32_t> methods) {
  const auto same = std::ranges::mismatch(methods_, methods);
  const auto kept = static_cast<std::size_t>(same.in1 - methods_.begin());
  for (std::size_t i = kept; i < std::min(methods.size(), kDeepest); ++i)
    world.writer.set(level(world, i), history::Value::text(world.method_name(methods[i])));
  for (std::size_t i = methods.size(); i < std::min(methods_.size(), kDeepest); ++i)
    world.writer.set(levels_[i], history::Value::null());
  if (kept == methods.size() && kept == methods_.size()) return;
  methods_.assign(methods.begin(), methods.end());
  show_depth(world);
}

history::Key ThreadStates::key(Thread& thread, ThreadAttribute attribute) {
  return thread.attributes.key(world_.writer, kThreadNames, attribute);
}

// On first sight its place, name and status are made. What belongs to no thread has no status.
ThreadStates::Thread& ThreadStates::live(std::uint32_t number) {
  Thread& thread = threads_[number];
  if (thread.begun) [[likely]]
    return thread;
  if (parent_ == history::kNoKey) parent_ = world_.writer.key(history::kRoot, "Threads");
  const ThreadName& name = world_.threads()[number];
  thread.begun = true;
  thread.attributes =
      Attributes<ThreadAttribute, kThreadAttributes>(world_.writer.key(parent_, name.path));
  if (name.first_name != kNothing) this->name(number, name.first_name);
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
                             : thread.runs       ? "running"
                                                 : "unknown";
  world_.writer.set(key(thread, OfThread::status), history::Value::text(status));
}

void ThreadStates::show_wait(Thread& thread) {
  const auto object = thread.blocked_by ? thread.blocked_by : thread.waits_for;
  const history::Key at = key(thread, OfThread::waits_for);
  if (object && *object != base::kNoId)
    world_.writer.set(at, history::Value::text(hex_text(*object)));
  else world_.writer.set(at, history::Value::null());
}

void ThreadStates::name(std::uint32_t number, std::uint32_t text) {
  Thread& thread = live(number);
  world_.writer.set(key(thread, OfThread::name), history::Value::text(world_.text(text)));
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
  world_.writer.set(
      key(thread, OfThread::method),
      top == kNothing ? history::Value::null() : history::Value::text(world_.method_name(top)));
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

void ThreadStates::run(std::uint32_t number, bool runs) {
  Thread& thread = live(number);
  if (thread.runs == runs) return;
  thread.runs = runs;
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

}  // namespace polytrace::analysis
