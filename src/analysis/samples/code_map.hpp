// SPDX-License-Identifier: Apache-2.0
// What lies at an instruction pointer: compiled methods, runtime code, native symbols, binaries.
// Definitions may come after the pointers they explain: ask at the end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.hpp"

namespace polytrace::analysis {

enum class CodeOwner : std::uint8_t { unknown, method, native };

struct CodePlace {
  CodeOwner owner = CodeOwner::unknown;
  std::string name;
};

// Where in a method an instruction pointer stands.
struct IlPlace {
  std::uint32_t method = NameTable::kNone;  // index in Names::methods()
  // IL offset, or one of these.
  std::uint32_t il = kNoMapping;
  static constexpr std::uint32_t kNoMapping = 0xffffffffU;
  static constexpr std::uint32_t kPrologue = 0xfffffffeU;
  static constexpr std::uint32_t kEpilogue = 0xfffffffdU;
};

class CodeMap {
 public:
  // Nearer to a symbol of unknown size than this, an address is taken to be its.
  static constexpr std::uint64_t kNear = 4096;

  // Takes Method (with code), Code, NativeSymbol and NativeBinary events; ignores others.
  void learn(const event::Batch& batch, const event::Event& event, const Names& names);
  // Once, before find().
  void finish();
  // A compiled method or runtime code that covers `ip`; else the symbol with the greatest address
  // not above it: "name", or "?+<offset> in name", unknown, when it is too far below to be it; else
  // the binary it lies in.
  CodePlace find(std::uint64_t ip, const Names& names) const;
  // The compiled method that covers `ip`; kNoMapping where the trace has no IL map of that code, or
  // none of that part. Of a frame that called another one, ask for the byte before its pointer.
  std::optional<IlPlace> il_place(std::uint64_t ip) const;

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t size;  // 0 = not known
    std::uint32_t method = NameTable::kNone;
    std::string name{};
    std::uint32_t map = kNoMap;  // index in maps_
    std::uint64_t before = 0;    // bytes of the method's blocks that were told before this one
  };
  static constexpr std::uint32_t kNoMap = ~std::uint32_t{0};

  void learn_code(const event::Batch& batch, const event::Event& event, const Names& names);
  static const Range* last_before(const std::vector<Range>& ranges, std::uint64_t ip);
  static bool covers(const Range& range, std::uint64_t ip) { return ip - range.begin < range.size; }

  std::vector<Range> methods_;
  std::vector<Range> code_;
  std::vector<Range> symbols_;
  std::vector<Range> binaries_;
  std::vector<std::vector<event::IlRange>> maps_;  // each in order of native offsets
  base::Time last_time_ = base::kNoTime;           // of the last block in code_
};

}  // namespace polytrace::analysis
