// SPDX-License-Identifier: Apache-2.0
// Rewrites one method of a class.
#pragma once

#include "agent/jvm/rewriter/classfile/attributes.hpp"
#include "agent/jvm/rewriter/relocation.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"
#include "agent/jvm/rewriter/snippets.hpp"

namespace polytrace::agent::jvm::rewriter {

// What the methods of a class share.
struct ClassWork {
  ClassFacts facts;
  Constants constants;
  Snippets snippets{constants};
  std::uint16_t frames_name = 0;  // entry "StackMapTable"; 0: not yet there
  Judge& judge;
  Outcome& outcome;
};

// Appends the method_info that `input` stands at to `output`, rewritten or as it was, and counts
// what happened. False when it cannot be parsed as a method at all.
bool rewrite_method(ClassWork& work, Input& input, Output& output);

// Appends the body of the Code attribute with its probes. Any reason but none: `output` holds
// rubbish behind its old end.
Reason write_code(ClassWork& work, const MethodFacts& facts, const Code& code, const Probes& probes,
                  Output& output);

}  // namespace polytrace::agent::jvm::rewriter
