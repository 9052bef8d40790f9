// SPDX-License-Identifier: Apache-2.0
// Puts probes into class files: bytes in, bytes out, no JVM needed. A method that is chosen calls
// `enter(id)` first, `exit(id)` before it returns and `unwind(id)` when an exception leaves it, by
// a handler behind all others; no local variable is added and no frame changes. Allocations can
// call `site(site)` or, for arrays, `array(length, site)` once the object or array exists; an array
// of arrays that were made with it is handed over, `grid(array, site)`. Where there is no room for
// both, a method keeps the probes of its calls, or else those of its allocations. Never fails:
// bytes that are not understood leave the method or the class as it was, with a reason.
// Thread-safe: no state but the arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "agent/jvm/rewriter/classfile/big_endian.hpp"

namespace polytrace::agent::jvm::rewriter {

enum class Reason : std::uint8_t {
#define REASON(identifier, sentence) identifier,
#include "agent/jvm/rewriter/reasons.def"
#undef REASON
};
inline constexpr std::size_t kReasons = 0
#define REASON(identifier, sentence) +1
#include "agent/jvm/rewriter/reasons.def"
#undef REASON
    ;
std::string_view sentence_of(Reason reason);

// The class that holds the probes, all of them static and void.
inline constexpr std::string_view kProbeClass = "java/lang/$TraceProbe";

// Texts are modified UTF-8 as in the class file and live as long as its bytes.
struct ClassFacts {
  std::string_view name;  // java/lang/String
  std::string_view super;
  std::string_view source;  // "" when not told
  std::vector<std::string_view> interfaces;
  std::uint16_t access = 0;
  std::uint16_t version = 0;  // major
};

struct MethodFacts {
  std::string_view name;
  std::string_view descriptor;
  std::uint16_t access = 0;
  std::uint32_t code_length = 0;  // bytes
  std::uint32_t first_line = 0;   // 0: not told
  std::uint32_t last_line = 0;    // 0: not told
  bool calls = false;             // any method
  bool loops = false;             // a branch backwards
};

// An allocation in a method's code.
struct SiteFacts {
  std::string_view class_name;  // as in the class file: java/lang/String, [I, [[Ljava/util/Map;
  std::uint32_t line = 0;       // 0: not told
  std::uint32_t index = 0;      // of its instruction in the original code
  std::uint8_t dimensions = 0;  // of arrays made; 0: not an array
};

struct Decision {
  std::uint32_t method = 0;  // id told to the probes; 0: no enter and exit
  bool sites = false;        // ask for the allocations of this method
};

// What of a method was asked for.
enum class Part : std::uint8_t { calls, sites };

// Decides, and learns what was asked for. Called in the order of the class file; a part of a method
// may still be left out after it was chosen, and then left_out() follows. Of code that cannot be
// parsed left_out() is called without decide().
class Judge {
 public:
  virtual bool wants(const ClassFacts& facts) = 0;
  virtual Decision decide(const MethodFacts& facts) = 0;
  // Id told to the probe; 0: no probe here.
  virtual std::uint32_t site(const MethodFacts& method, const SiteFacts& facts) = 0;
  virtual void left_out(const MethodFacts& facts, Part part, Reason reason) = 0;

 protected:
  ~Judge() = default;
};

struct Outcome {
  Reason reason = Reason::none;
  std::vector<std::uint8_t> bytes;  // empty unless reason is none
  // Methods by reason; without_handler of those rewritten tell no exit by exception.
  std::array<std::uint32_t, kReasons> methods{};
  std::uint32_t without_handler = 0;
};

Outcome rewrite(View class_file, Judge& judge);

}  // namespace polytrace::agent::jvm::rewriter
