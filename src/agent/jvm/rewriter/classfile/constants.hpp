// SPDX-License-Identifier: Apache-2.0
// The constant pool of a class file, and what is appended to it. Every look-up tests the index and
// the entry's kind: what is not there gives "".
#pragma once

#include "agent/jvm/rewriter/classfile/big_endian.hpp"

namespace polytrace::agent::jvm::rewriter {

class Constants {
 public:
  // As it is at first, an empty pool to which entries can be added.
  // Reads the pool, its count first. Texts point into the bytes of `input`.
  bool parse(View class_file, Input& input);

  std::string_view utf8(std::size_t index) const;
  // Of a Class entry.
  std::string_view class_name(std::size_t index) const;

  struct Member {
    std::string_view class_name;
    std::string_view name;
    std::string_view descriptor;
  };
  // Of a Fieldref, Methodref or InterfaceMethodref entry.
  Member member(std::size_t index) const;

  // Appends an entry and gives its index; 0 when the pool is full.
  std::uint16_t add_utf8(std::string_view text);
  std::uint16_t add_class(std::string_view name);
  std::uint16_t add_method(std::uint16_t class_index, std::string_view name,
                           std::string_view descriptor);
  std::uint16_t add_field(std::uint16_t class_index, std::string_view name,
                          std::string_view descriptor);
  std::uint16_t add_integer(std::uint32_t value);
  // True when an add_ gave 0 since the pool was made, or since the last forget_full().
  bool full() const { return full_; }
  void forget_full() { full_ = false; }

  // The pool with what was added, its count first.
  void write(Output& output) const;

 private:
  bool parse_entry(Input& input, std::size_t index);
  // The entry's bytes behind its tag; empty when it is of another kind.
  View entry(std::size_t index, std::uint8_t tag, std::size_t size) const;
  std::uint16_t add(std::uint8_t tag);
  std::uint16_t add_member(std::uint8_t tag, std::uint16_t class_index, std::string_view name,
                           std::string_view descriptor);

  View file_;
  View original_;                       // the entries
  std::vector<std::uint32_t> offsets_;  // of each entry's tag in the file; 0: none
  Output added_;
  std::size_t count_ = 1;
  bool full_ = false;
};

}  // namespace polytrace::agent::jvm::rewriter
