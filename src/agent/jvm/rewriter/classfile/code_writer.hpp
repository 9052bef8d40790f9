// SPDX-License-Identifier: Apache-2.0
// Writes the Code attribute of a method that gets probes.
#pragma once

#include "agent/jvm/rewriter/classfile/methods.hpp"
#include "agent/jvm/rewriter/relocation.hpp"

namespace polytrace::agent::jvm::rewriter {

// Appends the attribute's body. Any reason but none: `output` holds rubbish behind its old end.
Reason write_code(ClassWork& work, const MethodFacts& facts, const Code& code, const Probes& probes,
                  Output& output);

}  // namespace polytrace::agent::jvm::rewriter
