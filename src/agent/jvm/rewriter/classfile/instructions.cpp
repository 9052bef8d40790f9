// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/classfile/instructions.hpp"

namespace polytrace::agent::jvm::rewriter {

namespace {

constexpr std::uint8_t kIinc = 0x84;
constexpr std::uint8_t kWide = 0xc4;

struct Form {
  std::uint8_t length = 0;
  Shape shape = Shape::illegal;
};

struct FormRange {
  std::uint8_t first;
  std::uint8_t last;
  Form form;
};

constexpr FormRange kForms[] = {
    {0x00, 0x0f, {1, Shape::plain}},         // constants
    {0x10, 0x10, {2, Shape::plain}},         // bipush
    {0x11, 0x11, {3, Shape::plain}},         // sipush
    {0x12, 0x12, {2, Shape::plain}},         // ldc
    {0x13, 0x14, {3, Shape::plain}},         // ldc_w, ldc2_w
    {0x15, 0x19, {2, Shape::plain}},         // loads
    {0x1a, 0x35, {1, Shape::plain}},         //
    {0x36, 0x3a, {2, Shape::plain}},         // stores
    {0x3b, 0x83, {1, Shape::plain}},         // and stack, arithmetic
    {kIinc, kIinc, {3, Shape::plain}},       //
    {0x85, 0x98, {1, Shape::plain}},         // conversions, comparisons
    {0x99, 0xa8, {3, Shape::branch}},        // if.., goto, jsr
    {kRet, kRet, {2, Shape::plain}},         //
    {0xaa, 0xaa, {0, Shape::table_switch}},  //
    {0xab, 0xab, {0, Shape::lookup_switch}}, {0xac, 0xb1, {1, Shape::plain}},  // returns
    {0xb2, 0xb8, {3, Shape::plain}},                                           // fields, calls
    {0xb9, 0xba, {5, Shape::plain}},        // invokeinterface, invokedynamic
    {kNew, kNew, {3, Shape::plain}},        //
    {0xbc, 0xbc, {2, Shape::plain}},        // newarray
    {0xbd, 0xbd, {3, Shape::plain}},        // anewarray
    {0xbe, 0xbf, {1, Shape::plain}},        // arraylength, athrow
    {0xc0, 0xc1, {3, Shape::plain}},        // checkcast, instanceof
    {0xc2, 0xc3, {1, Shape::plain}},        // monitors
    {kWide, kWide, {0, Shape::wide}},       //
    {0xc5, 0xc5, {4, Shape::plain}},        // multianewarray
    {0xc6, 0xc7, {3, Shape::branch}},       // ifnull, ifnonnull
    {0xc8, 0xc9, {5, Shape::wide_branch}},  // goto_w, jsr_w
};

constexpr auto kFormOf = [] {
  std::array<Form, 256> table{};
  for (const FormRange& range : kForms)
    for (unsigned opcode = range.first; opcode <= range.last; ++opcode) table[opcode] = range.form;
  return table;
}();

constexpr bool is_load_or_store(std::uint8_t opcode) {
  return (opcode >= 0x15 && opcode <= 0x19) || (opcode >= 0x36 && opcode <= 0x3a);
}

// 0 when the switch does not fit into the code.
std::uint64_t switch_length(View code, std::uint32_t at, Shape shape) {
  const std::uint64_t operands = at + 1 + switch_padding(at);
  const std::uint64_t fixed = shape == Shape::table_switch ? 12 : 8;
  if (operands + fixed > code.size()) return 0;
  const auto signed_word = [&](std::uint64_t place) {
    return std::int64_t{static_cast<std::int32_t>(load_u4(code, place))};
  };
  std::int64_t count = signed_word(operands + 4);
  std::uint64_t size = 8;
  if (shape == Shape::table_switch) {
    count = signed_word(operands + 8) - count + 1;
    size = 4;
    if (count < 1) return 0;
  }
  if (count < 0) return 0;
  return operands + fixed + static_cast<std::uint64_t>(count) * size - at;
}

std::uint32_t wide_length(View code, std::uint32_t at) {
  if (at + 2 > code.size()) return 0;
  const std::uint8_t opcode = code[at + 1];
  if (opcode == kIinc) return 6;
  return is_load_or_store(opcode) || opcode == kRet ? 4 : 0;
}

}  // namespace

Instruction instruction_at(View code, std::uint32_t at) {
  if (at >= code.size()) return {};
  const Form form = kFormOf[code[at]];
  Instruction instruction{at, form.length, code[at], form.shape};
  if (instruction.switches()) {
    const std::uint64_t length = switch_length(code, at, form.shape);
    if (length > code.size()) return {};
    instruction.length = static_cast<std::uint32_t>(length);
  } else if (form.shape == Shape::wide) {
    instruction.length = wide_length(code, at);
  }
  if (instruction.length > code.size() - at) return {};
  return instruction;
}

SwitchOffsets switch_offsets(const Instruction& instruction) {
  const std::uint32_t words = (instruction.length - 1 - switch_padding(instruction.at)) / 4;
  if (instruction.shape == Shape::table_switch) return {words, 3, 1};
  return {words, 3, 2};
}

}  // namespace polytrace::agent::jvm::rewriter
