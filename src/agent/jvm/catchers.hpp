// SPDX-License-Identifier: Apache-2.0
// What the handlers of methods do with exceptions, by the code that runs. Any thread.
#pragma once

#include "agent/jvm/facts/vm.hpp"
#include "agent/jvm/rewriter/handlers.hpp"

namespace polytrace::agent::jvm {

// Of the handler that begins there.
rewriter::HandlerKind kind_of_handler(jmethodID method, jlocation at);
// Whether what is thrown there is what a handler was given. The handler was asked for before: the
// VM names it when it is about to run.
bool passes_on(jmethodID method, jlocation at);

}  // namespace polytrace::agent::jvm
