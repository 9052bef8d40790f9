// SPDX-License-Identifier: Apache-2.0
// Bytecode, one instruction at a time.
#pragma once

#include "agent/jvm/rewriter/classfile/big_endian.hpp"

namespace polytrace::agent::jvm::rewriter {

enum Opcode : std::uint8_t {
  kIconst0 = 0x03,
  kBipush = 0x10,
  kSipush = 0x11,
  kLdcWide = 0x13,
  kIload0 = 0x1a,
  kAload0 = 0x2a,
  kDup = 0x59,
  kIfeq = 0x99,
  kGoto = 0xa7,
  kRet = 0xa9,
  kReturnFirst = 0xac,  // ireturn
  kReturnLast = 0xb1,   // return
  kGetStatic = 0xb2,
  kInvokeFirst = 0xb6,  // invokevirtual
  kInvokeSpecial = 0xb7,
  kInvokeStatic = 0xb8,
  kInvokeLast = 0xba,  // invokedynamic
  kNew = 0xbb,
  kNewArray = 0xbc,
  kNewObjectArray = 0xbd,
  kArrayLength = 0xbe,
  kThrow = 0xbf,
  kCheckCast = 0xc0,
  kMultiNewArray = 0xc5,
  kGotoWide = 0xc8,
};

enum class Shape : std::uint8_t {
  illegal,
  plain,
  branch,       // 16-bit offset behind the opcode
  wide_branch,  // 32-bit offset
  table_switch,
  lookup_switch,
  wide,  // a prefix
};

struct Instruction {
  std::uint32_t at = 0;
  std::uint32_t length = 0;
  std::uint8_t opcode = 0;
  Shape shape = Shape::illegal;

  std::uint32_t end() const { return at + length; }
  bool returns() const { return opcode >= kReturnFirst && opcode <= kReturnLast; }
  bool invokes() const { return opcode >= kInvokeFirst && opcode <= kInvokeLast; }
  bool switches() const { return shape == Shape::table_switch || shape == Shape::lookup_switch; }
  bool allocates() const {
    return (opcode >= kNew && opcode <= kNewObjectArray) || opcode == kMultiNewArray;
  }
};

// The instruction at `at`, complete within the code; length 0 when there is none.
Instruction instruction_at(View code, std::uint32_t at);

// Zero bytes between a switch's opcode at `at` and its operands.
inline std::uint32_t switch_padding(std::uint32_t at) { return 3 - at % 4; }

// A switch's operands are words: of them, the first is the default's offset, and `stride` apart
// from `first` on come the others. Before them lie what is no offset (bounds, counts, keys).
struct SwitchOffsets {
  std::uint32_t words;  // in all
  std::uint32_t first;
  std::uint32_t stride;
};
SwitchOffsets switch_offsets(const Instruction& instruction);

// Calls use(target) with the absolute target of each way out of a branch or switch, which may lie
// outside of the code.
template <class Use>
void each_target(View code, const Instruction& instruction, Use&& use) {
  const auto at = static_cast<std::int64_t>(instruction.at);
  const auto word = [&](std::size_t place) {
    return at + static_cast<std::int32_t>(load_u4(code, place));
  };
  if (instruction.shape == Shape::branch) {
    use(at + static_cast<std::int16_t>(load_u2(code, instruction.at + 1)));
  } else if (instruction.shape == Shape::wide_branch) {
    use(word(instruction.at + 1));
  } else if (instruction.switches()) {
    const std::size_t operands = instruction.at + 1 + switch_padding(instruction.at);
    const SwitchOffsets offsets = switch_offsets(instruction);
    use(word(operands));
    for (std::uint32_t i = offsets.first; i < offsets.words; i += offsets.stride)
      use(word(operands + 4 * std::size_t{i}));
  }
}

}  // namespace polytrace::agent::jvm::rewriter
