// SPDX-License-Identifier: Apache-2.0
// Functions of one value, of times and sizes and of a trace, as every engine offers them. Without a
// value for each parameter they have none themselves. Any number of threads.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "sql/model/value.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::sql {

struct ScalarCall {
  std::span<const Value> values;  // none of them NULL, of the types that the function has
  const Trace* trace = nullptr;   // of functions of a trace
  std::string text{};             // what the answer's text may be of
};

struct Scalar {
  const char* name;
  std::span<const Type> parameters;  // null: whole numbers as well as texts
  Type answers;
  // Errors: query_wrong, limit_exceeded.
  base::result<Value> (*answer)(ScalarCall& call);
  bool is_of_trace;
  std::string_view parameter_words;
  std::string_view meaning;
};
// In the order in which people are told of them.
std::span<const Scalar> scalars();

}  // namespace polytrace::sql
