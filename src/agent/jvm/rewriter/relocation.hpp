// SPDX-License-Identifier: Apache-2.0
// Where each instruction of a method's code comes to lie when probes are inserted, and the code
// with them. Places are told as labels: where a branch to the old offset goes. The label of offset
// 0 lies behind the entry's probe, that of a return before its probe.
#pragma once

#include <vector>

#include "agent/jvm/rewriter/classfile/instructions.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"
#include "agent/jvm/rewriter/snippets.hpp"

namespace polytrace::agent::jvm::rewriter {

struct Probes {
  struct Tail {
    std::uint32_t at;  // old offset of the instruction it follows
    Snippet code;
  };
  Snippet enter;            // empty: none
  Snippet exit;             // empty: none
  Snippet unwind;           // for the handler; empty: none
  std::vector<Tail> tails;  // in order of `at`
};

class Relocation {
 public:
  // Lays the code out. code_malformed when it is no sequence of instructions.
  Reason place(View code, const Probes& probes);
  // Appends the code at the start of `output`, relocated. After place(), with the same arguments.
  Reason emit(View code, const Probes& probes, Output& output) const;

  std::size_t old_size() const { return labels_.size() - 1; }
  std::uint32_t new_size() const { return labels_.back(); }
  bool starts(std::size_t old) const { return old < old_size() && labels_[old] < kInside; }
  // Of the instruction that holds the byte; the new size for the old. REQUIRES: old <= old_size().
  std::uint32_t label(std::size_t old) const { return labels_[old] & ~kInside; }

 private:
  static constexpr std::uint32_t kInside = std::uint32_t{1} << 31;

  Reason emit_branches(View code, const Instruction& instruction, Output& output) const;
  Reason emit_branch(View code, const Instruction& instruction, Output& output) const;
  Reason emit_switch(View code, const Instruction& instruction, Output& output) const;
  bool distance(std::int64_t target, std::size_t from, std::int64_t& distance) const;

  std::vector<std::uint32_t> labels_;
};

// The tables of a method's code that hold places in it, relocated. False when a table cannot be
// parsed or names a place where no instruction starts.

// The entries of an exception table.
bool relocate_handlers(View entries, const Relocation& relocation, Output& output);

// LineNumberTable. What starts at 0 still does.
bool relocate_lines(View body, const Relocation& relocation, Output& output);

// LocalVariableTable and LocalVariableTypeTable.
bool relocate_variables(View body, const Relocation& relocation, Output& output);

}  // namespace polytrace::agent::jvm::rewriter
