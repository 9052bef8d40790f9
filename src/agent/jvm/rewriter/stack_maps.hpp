// SPDX-License-Identifier: Apache-2.0
// The StackMapTable of a method: its frames with their places relocated, and one more for the
// probe's handler.
#pragma once

#include "agent/jvm/rewriter/relocation.hpp"

namespace polytrace::agent::jvm::rewriter {

// What the frames hold in the local variables, as far as it matters: which is an uninitialised
// `this`. A long or double is one item.
class Locals {
 public:
  Locals(std::string_view method_name, std::string_view descriptor, bool is_static);
  std::size_t size() const { return is_this_.size(); }
  bool hold_uninitialized_this() const { return uninitialized_ != 0; }
  void push(bool is_uninitialized_this);
  void cut(std::size_t size);

 private:
  std::vector<bool> is_this_;
  std::size_t uninitialized_ = 0;
};

class StackMaps {
 public:
  StackMaps(const Relocation& relocation, Locals at_entry)
      : relocation_(relocation), locals_(std::move(at_entry)) {}

  // Reads the attribute's body and keeps its frames relocated. False when it cannot be parsed.
  bool read(View body);
  // Whether a frame at the old offset or later holds an uninitialised `this`.
  bool uninitialized_from(std::uint32_t old) const { return last_uninitialized_ >= old; }

  // A frame with no locals and one object of that class on the stack. REQUIRES: behind all others.
  void append_handler(std::uint32_t place, std::uint16_t class_index);
  // The attribute's body.
  void write(Output& output) const;

 private:
  bool read_frame(Input& input);
  bool read_long_frame(Input& input, std::uint8_t type);
  bool read_full(Input& input);
  bool read_type(Input& input, std::uint8_t& tag);
  bool read_locals(Input& input, std::size_t count);
  void place_frame(std::uint32_t old, std::uint8_t type);
  std::uint32_t delta_to(std::uint32_t place) const {
    return count_ == 0 ? place : place - last_new_ - 1;
  }

  const Relocation& relocation_;
  Locals locals_;
  Output frames_;
  std::uint32_t count_ = 0;
  std::uint32_t last_old_ = 0;
  std::uint32_t last_new_ = 0;
  std::int64_t last_uninitialized_ = -1;
};

}  // namespace polytrace::agent::jvm::rewriter
