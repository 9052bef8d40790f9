// SPDX-License-Identifier: Apache-2.0
// Faults on their way to C: values, with the texts made at once. No exception passes.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "service/input/pass.hpp"

// What it declares is all that is seen of the library.
#pragma GCC visibility push(default)
#include "capi/polytrace.h"
#pragma GCC visibility pop

struct pt_error {
  std::string code;
  std::string text;
  std::string json;
};

namespace polytrace::capi {

// The status that goes with it. `out` may be null.
pt_status give_error(pt_error** out, const base::Error& error, const std::string& file = {});
pt_status give_refusal(pt_error** out, const service::Refusal& refusal);
// Of the exception that is being handled.
pt_status give_exception(pt_error** out);
pt_status give_usage(pt_error** out, std::string detail);
pt_status give_stopped(pt_error** out);
// PT_CHECK.
pt_status give_check(pt_error** out);

// "code: sentence", for who has a line only.
std::string line_of(const base::Error& error);

// What `work` returns; *out is null before it.
template <class Work>
pt_status guarded(pt_error** out, const Work& work) noexcept {
  if (out != nullptr) *out = nullptr;
  try {
    return work();
  } catch (...) {
    return give_exception(out);
  }
}

// A copy, which pt_text_release() releases. May throw std::bad_alloc.
void give_text(pt_text* out, const std::string& text);
inline pt_text text_of(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace polytrace::capi
