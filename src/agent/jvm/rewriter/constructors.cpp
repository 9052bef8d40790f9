// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/constructors.hpp"

#include "agent/jvm/rewriter/classfile/instructions.hpp"

namespace polytrace::agent::jvm::rewriter {

// Objects made for the arguments are initialised before `this` is: the first constructor's call
// that no `new` waits for is the one.
std::uint32_t initialized_from(View code, const Constants& constants, std::string_view this_class,
                               std::string_view super_class) {
  std::size_t waiting = 0;
  for (std::uint32_t at = 0; at < code.size();) {
    const Instruction instruction = instruction_at(code, at);
    at = instruction.end();
    if (instruction.opcode == kNew) ++waiting;
    if (instruction.opcode != kInvokeSpecial) continue;
    const Constants::Member called = constants.member(load_u2(code, instruction.at + 1));
    if (called.name != "<init>") continue;
    if (waiting-- > 0) continue;
    const bool own = called.class_name == this_class || called.class_name == super_class;
    return own ? at : 0;
  }
  return 0;
}

}  // namespace polytrace::agent::jvm::rewriter
