// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/handlers.hpp"

#include <algorithm>

#include "agent/jvm/rewriter/classfile/instructions.hpp"

namespace polytrace::agent::jvm::rewriter {

namespace {

// A group of instructions on local variables: one with a number behind it, or behind `wide`, and
// four for each type that have theirs in the opcode.
struct LocalForms {
  std::uint8_t first;  // with a number: of ints, longs, floats, doubles, references
  std::uint8_t short_first;
};
constexpr LocalForms kLoads{0x15, kIload0};
constexpr LocalForms kStores{0x36, 0x3b};
constexpr unsigned kReference = 4;  // of the types
constexpr std::int32_t kNoLocal = -1;

struct LocalAccess {
  unsigned type = 0;
  std::int32_t local = kNoLocal;  // none: no such instruction
};

LocalAccess access_of(View code, const Instruction& instruction, LocalForms forms) {
  const bool wide = instruction.shape == Shape::wide;
  const std::uint8_t opcode = wide ? code[instruction.at + 1] : instruction.opcode;
  if (opcode >= forms.first && opcode <= forms.first + kReference) {
    const std::uint32_t at = instruction.at + (wide ? 2U : 1U);
    return {opcode - unsigned{forms.first}, wide ? load_u2(code, at) : code[at]};
  }
  const unsigned number = opcode - unsigned{forms.short_first};
  if (wide || opcode < forms.short_first || number >= 4 * (kReference + 1)) return {};
  return {number / 4, static_cast<std::int32_t>(number % 4)};
}

std::int32_t stored_reference(View code, const Instruction& instruction) {
  const LocalAccess access = access_of(code, instruction, kStores);
  return access.type == kReference ? access.local : kNoLocal;
}

bool overwrites(View code, const Instruction& instruction, std::int32_t local) {
  const LocalAccess access = access_of(code, instruction, kStores);
  const bool is_wide_type = access.type == 1 || access.type == 3;
  return access.local != kNoLocal &&
         (access.local == local || (is_wide_type && access.local + 1 == local));
}

bool goes_on(const Instruction& instruction) {
  return instruction.opcode != kGoto && instruction.opcode != kGotoWide &&
         instruction.opcode != kRet && !instruction.switches();
}

// Follows the code from the handler on, for as long as the local variable holds the exception.
class Follower {
 public:
  Follower(View code, std::int32_t local) : code_(code), local_(local), seen_(code.size()) {}

  Handler follow(std::uint32_t from) {
    meet(from);
    while (!waiting_.empty()) {
      const std::uint32_t at = waiting_.back();
      waiting_.pop_back();
      step(instruction_at(code_, at));
    }
    add_exit_behind_handlers(from);
    std::ranges::sort(handler_.exits);
    const bool passes_on = !leaves_ && !handler_.exits.empty();
    handler_.kind = passes_on ? HandlerKind::passes_on : HandlerKind::catches;
    return std::move(handler_);
  }

 private:
  void meet(std::int64_t at) {
    if (at < 0 || static_cast<std::size_t>(at) >= seen_.size()) return;
    const auto place = static_cast<std::uint32_t>(at);
    if (seen_[place]) return;
    seen_[place] = true;
    waiting_.push_back(place);
  }

  void step(const Instruction& instruction) {
    if (instruction.length == 0 || instruction.returns() ||
        overwrites(code_, instruction, local_)) {
      leaves_ = true;
      return;
    }
    if (const std::uint32_t place = exit_behind(instruction); place != 0) {
      handler_.exits.push_back(place);
      return;
    }
    each_target(code_, instruction, [this](std::int64_t target) { meet(target); });
    if (instruction.opcode != kThrow && goes_on(instruction)) meet(instruction.end());
  }

  // What a handler within this one leads to is not met on the way; compilers put it behind.
  void add_exit_behind_handlers(std::uint32_t at) {
    for (Instruction next = instruction_at(code_, at); next.length != 0;
         next = instruction_at(code_, next.end())) {
      if (overwrites(code_, next, local_)) return;
      const std::uint32_t place = exit_behind(next);
      if (place == 0) continue;
      if (std::ranges::find(handler_.exits, place) == handler_.exits.end())
        handler_.exits.push_back(place);
      return;
    }
  }

  // The throw of what this loads. Some compilers cast it before.
  std::uint32_t exit_behind(const Instruction& load) const {
    const LocalAccess access = access_of(code_, load, kLoads);
    if (access.type != kReference || access.local != local_) return 0;
    Instruction next = instruction_at(code_, load.end());
    if (next.opcode == kCheckCast) next = instruction_at(code_, next.end());
    return next.opcode == kThrow ? next.at : 0;
  }

  View code_;
  std::int32_t local_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> waiting_;
  bool leaves_ = false;
  Handler handler_;
};

// `push id; invokestatic; athrow`, the end of the code.
bool is_probe(View code, const Instruction& push) {
  const bool pushes = (push.opcode >= kIconst0 && push.opcode <= kIconst0 + 5) ||
                      push.opcode == kBipush || push.opcode == kSipush || push.opcode == kLdcWide;
  const Instruction call = instruction_at(code, push.end());
  return pushes && call.opcode == kInvokeStatic && call.end() + 1 == code.size() &&
         code[call.end()] == kThrow;
}

}  // namespace

Handler handler_at(View code, std::uint32_t at) {
  const Instruction first = instruction_at(code, at);
  if (first.length == 0) return {};
  if (first.opcode == kThrow) return {HandlerKind::passes_on, {at}};
  if (is_probe(code, first))
    return {HandlerKind::probe, {static_cast<std::uint32_t>(code.size() - 1)}};
  const std::int32_t local = stored_reference(code, first);
  return local == kNoLocal ? Handler{} : Follower(code, local).follow(first.end());
}

}  // namespace polytrace::agent::jvm::rewriter
