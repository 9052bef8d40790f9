// SPDX-License-Identifier: Apache-2.0
// What a handler does with the exception it is given, as far as its code tells. Compilers make
// handlers of `finally`, `synchronized` and resources: they keep the exception in a local variable
// and throw it again from there. So does `catch (E e) { throw e; }`, which looks the same.
#pragma once

#include "agent/jvm/rewriter/classfile/big_endian.hpp"

namespace polytrace::agent::jvm::rewriter {

enum class HandlerKind : std::uint8_t {
  probe,      // the rewriter's own: it calls the probe and passes on
  passes_on,  // no way leads out of it but to pass on, or to throw another exception
  catches     // the method may go on, or return
};

struct Handler {
  HandlerKind kind = HandlerKind::catches;
  std::vector<std::uint32_t> exits;  // the throws that pass on what it was given
};

Handler handler_at(View code, std::uint32_t at);

}  // namespace polytrace::agent::jvm::rewriter
