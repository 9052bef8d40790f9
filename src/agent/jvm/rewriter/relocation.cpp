// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/relocation.hpp"

#include <algorithm>

#include "agent/jvm/rewriter/classfile/attributes.hpp"

namespace polytrace::agent::jvm::rewriter {

Reason Relocation::place(View code, const Probes& probes) {
  labels_.assign(code.size() + 1, 0);
  std::size_t now = probes.enter.size();
  auto tail = probes.tails.begin();
  for (std::uint32_t at = 0; at < code.size();) {
    const Instruction instruction = instruction_at(code, at);
    if (instruction.length == 0) return Reason::code_malformed;
    const auto label = static_cast<std::uint32_t>(now);
    labels_[at] = label;
    std::fill_n(labels_.begin() + at + 1, instruction.length - 1, label | kInside);
    if (instruction.returns()) now += probes.exit.size();
    if (instruction.switches())
      now = now - switch_padding(at) + switch_padding(static_cast<std::uint32_t>(now));
    now += instruction.length;
    if (tail != probes.tails.end() && tail->at == at) now += (tail++)->code.size();
    at = instruction.end();
  }
  labels_.back() = static_cast<std::uint32_t>(now);
  return now > kMostCode ? Reason::code_too_large : Reason::none;
}

Reason Relocation::emit(View code, const Probes& probes, Output& output) const {
  output.append(probes.enter.view());
  auto tail = probes.tails.begin();
  for (std::uint32_t at = 0; at < code.size();) {
    const Instruction instruction = instruction_at(code, at);
    if (instruction.returns()) output.append(probes.exit.view());
    const Reason reason = emit_branches(code, instruction, output);
    if (reason != Reason::none) return reason;
    if (tail != probes.tails.end() && tail->at == at) output.append((tail++)->code.view());
    at = instruction.end();
  }
  return output.size() == new_size() ? Reason::none : Reason::code_malformed;
}

Reason Relocation::emit_branches(View code, const Instruction& instruction, Output& output) const {
  if (instruction.switches()) return emit_switch(code, instruction, output);
  if (instruction.shape == Shape::branch || instruction.shape == Shape::wide_branch)
    return emit_branch(code, instruction, output);
  output.append(code.subspan(instruction.at, instruction.length));
  return Reason::none;
}

bool Relocation::distance(std::int64_t target, std::size_t from, std::int64_t& distance) const {
  if (target < 0 || !starts(static_cast<std::size_t>(target))) return false;
  distance =
      std::int64_t{label(static_cast<std::size_t>(target))} - static_cast<std::int64_t>(from);
  return true;
}

Reason Relocation::emit_branch(View code, const Instruction& instruction, Output& output) const {
  std::int64_t offset = 0;
  bool known = false;
  each_target(code, instruction,
              [&](std::int64_t target) { known = distance(target, output.size(), offset); });
  if (!known) return Reason::code_malformed;
  const bool is_short = instruction.shape == Shape::branch;
  if (is_short && offset != static_cast<std::int16_t>(offset)) return Reason::branch_too_far;
  output.u1(instruction.opcode);
  const auto value = static_cast<std::size_t>(offset);
  is_short ? output.u2(value & 0xffff) : output.u4(value & 0xffffffff);
  return Reason::none;
}

Reason Relocation::emit_switch(View code, const Instruction& instruction, Output& output) const {
  const std::size_t at = output.size();
  const std::size_t old_operands = instruction.at + 1 + switch_padding(instruction.at);
  output.u1(instruction.opcode);
  for (std::uint32_t i = switch_padding(static_cast<std::uint32_t>(at)); i > 0; --i) output.u1(0);
  const std::size_t operands = output.size();
  output.append(code.subspan(old_operands, instruction.end() - old_operands));
  const SwitchOffsets offsets = switch_offsets(instruction);
  std::size_t word = 0;
  bool known = true;
  each_target(code, instruction, [&](std::int64_t target) {
    std::int64_t offset = 0;
    known = known && distance(target, at, offset);
    output.put_u4(operands + 4 * word, static_cast<std::size_t>(offset) & 0xffffffff);
    word = word == 0 ? offsets.first : word + offsets.stride;
  });
  return known ? Reason::none : Reason::code_malformed;
}

namespace {

constexpr std::size_t kVariableSize = 10;  // of an entry

std::uint32_t outer_label(const Relocation& relocation, std::size_t old) {
  return old == 0 ? 0 : relocation.label(old);
}

}  // namespace

bool relocate_handlers(View entries, const Relocation& relocation, Output& output) {
  for (Input input(entries); input.left() > 0;) {
    const std::uint16_t start = input.u2();
    const std::uint16_t end = input.u2();
    const std::uint16_t handler = input.u2();
    const bool ends = relocation.starts(end) || end == relocation.old_size();
    if (!relocation.starts(start) || !relocation.starts(handler) || !ends || start >= end)
      return false;
    output.u2(relocation.label(start));
    output.u2(relocation.label(end));
    output.u2(relocation.label(handler));
    output.u2(input.u2());
  }
  return true;
}

bool relocate_lines(View body, const Relocation& relocation, Output& output) {
  Input input(body);
  const std::uint16_t count = input.u2();
  output.u2(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint16_t at = input.u2();
    if (!input.ok() || at >= relocation.old_size()) return false;
    output.u2(outer_label(relocation, at));
    output.u2(input.u2());
  }
  return input.ok() && input.done();
}

bool relocate_variables(View body, const Relocation& relocation, Output& output) {
  Input input(body);
  const std::uint16_t count = input.u2();
  output.u2(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t start = input.u2();
    const std::size_t end = start + input.u2();
    if (!input.ok() || end > relocation.old_size()) return false;
    const std::uint32_t begins = outer_label(relocation, start);
    const std::uint32_t ends = outer_label(relocation, end);
    output.u2(begins);
    output.u2(ends - begins);
    output.append(input.take(kVariableSize - 4));
  }
  return input.ok() && input.done();
}

}  // namespace polytrace::agent::jvm::rewriter
