// SPDX-License-Identifier: Apache-2.0
// Names in the stream what was chosen and could not get its probes (event/missing.hpp). Any
// thread.
#pragma once

#include <string_view>

#include "agent/jvm/facts/settings.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"

namespace polytrace::agent::jvm {

// A new recording names all of them again.
void forget_left_out();

// `method` as reports show it. Each is told once, although classes are transformed again; behind
// the first 10,000 only the counts of all tell (instrument.hpp).
void tell_left_out(rewriter::Part part, std::string_view method, rewriter::Reason reason);
// All methods of a class; `name` has dots.
void tell_class_left_out(const Plan& plan, std::string_view name, std::string_view reason);

}  // namespace polytrace::agent::jvm
