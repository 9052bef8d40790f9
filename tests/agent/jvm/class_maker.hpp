// SPDX-License-Identifier: Apache-2.0
// Class files made by hand, and what is in one: for tests of the rewriter, which shares no code
// with this.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace polytrace::agent::jvm::test {

using Bytes = std::vector<std::uint8_t>;

Bytes u2(std::size_t value);
Bytes u4(std::size_t value);
Bytes joined(std::initializer_list<Bytes> parts);

struct MadeMethod {
  std::string name;
  std::string descriptor;
  std::uint16_t access = 0x0009;  // public static
  std::uint16_t max_stack = 0;
  std::uint16_t max_locals = 0;
  Bytes code;        // empty: no Code attribute
  Bytes handlers;    // entries of the exception table
  Bytes attributes;  // of the code, behind their count
  std::uint16_t attribute_count = 0;

  MadeMethod& attribute(Bytes name_index, const Bytes& body);
};

class ClassMaker {
 public:
  explicit ClassMaker(std::string_view name = "demo/Main", std::uint16_t version = 52);

  std::size_t utf8(std::string_view text);
  std::size_t class_entry(std::string_view name);
  std::size_t method_entry(std::string_view type, std::string_view name,
                           std::string_view descriptor);
  std::size_t long_entry(std::uint64_t value);
  void fill_constants(std::size_t count);  // up to so many entries
  void source(std::string_view name) { source_ = name; }
  void interface(std::string_view name) { interfaces_.push_back(class_entry(name)); }

  // A LineNumberTable of pairs (place, line).
  void lines(MadeMethod& method, std::initializer_list<std::pair<int, int>> pairs);
  void frames(MadeMethod& method, std::size_t count, const Bytes& frames);

  Bytes make(std::vector<MadeMethod> methods);

 private:
  std::size_t add(Bytes entry, std::size_t slots = 1);

  std::uint16_t version_;
  Bytes constants_;
  std::size_t count_ = 1;
  std::map<std::string, std::size_t, std::less<>> texts_;
  std::size_t this_;
  std::size_t super_;
  std::vector<std::size_t> interfaces_;
  std::string source_;
};

// A method as it is found in a class file.
struct FoundMethod {
  std::string name;
  std::uint16_t max_stack = 0;
  std::uint16_t max_locals = 0;
  Bytes code;
  Bytes handlers;
  std::map<std::string, Bytes> attributes;  // of the code
};

// Reads a class file without checks: for files known to be whole. Text entries of its constant pool
// and the methods they name are looked up by what they say.
class ClassReader {
 public:
  explicit ClassReader(Bytes file);

  const FoundMethod& method(std::string_view name) const;
  // "java/lang/$TraceProbe.enter(I)V" of a Methodref, the name of a Class, the text of an integer.
  std::string constant(std::size_t index) const;
  const std::vector<FoundMethod>& methods() const { return methods_; }

 private:
  std::size_t at(std::size_t index) const { return entries_.at(index); }
  std::string utf8(std::size_t index) const;

  Bytes file_;
  std::vector<std::size_t> entries_;
  std::vector<FoundMethod> methods_;
};

}  // namespace polytrace::agent::jvm::test
