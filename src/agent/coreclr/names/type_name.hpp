// SPDX-License-Identifier: Apache-2.0
// How types of .NET are written in events: with their namespace, a dot before a nested type, no
// arity, and arguments by their formal letter:
//
//   Acme.Outer`1/Inner`1 of int and string   Acme.Outer<T=System.Int32>.Inner<U=System.String>
//
// An argument that is not known is its letter alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace polytrace::agent::coreclr {

inline constexpr std::string_view kUnknownName = "<UNKNOWN>";

// T, U, V, W, X, Y, Z, T7, T8 ... of types; M, N, O, P, Q, R, S, M7 ... of methods.
std::string formal_of_type(std::size_t index);
std::string formal_of_method(std::size_t index);

// `metadata`: names as metadata has them, a '/' between a type and what is nested in it.
// `arguments`: of all levels, outermost first; an empty one, or one that is missing, is not known.
std::string type_name(std::string_view metadata, std::span<const std::string> arguments);

// "<M=System.Int32, N>"; "" for none.
std::string method_arguments(std::span<const std::string> arguments);

// Behind the name of the elements: "[]", "[,]", "[,,]".
std::string array_suffix(std::size_t rank);

}  // namespace polytrace::agent::coreclr
