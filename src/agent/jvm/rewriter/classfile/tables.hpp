// SPDX-License-Identifier: Apache-2.0
// The tables of a method's code that hold places in it, with their places relocated. False when a
// table cannot be parsed or names a place where no instruction starts.
#pragma once

#include "agent/jvm/rewriter/relocation.hpp"

namespace polytrace::agent::jvm::rewriter {

// The entries of an exception table.
bool relocate_handlers(View entries, const Relocation& relocation, Output& output);

// LineNumberTable. What starts at 0 still does.
bool relocate_lines(View body, const Relocation& relocation, Output& output);

// LocalVariableTable and LocalVariableTypeTable.
bool relocate_variables(View body, const Relocation& relocation, Output& output);

}  // namespace polytrace::agent::jvm::rewriter
