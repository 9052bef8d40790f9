// SPDX-License-Identifier: Apache-2.0
// Signatures of methods (ECMA-335, II.23.2), as text: what a method returns, and its parameters in
// parentheses, by full name: "System.Void", "(System.Int32, ref System.Int64)".
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace polytrace::agent::coreclr {

// Who knows the names behind tokens.
class TokenNames {
 public:
  // Of a TypeDef or TypeRef, as metadata has it (type_name.hpp); "" where it is not known.
  virtual std::string name_of(std::uint32_t token) const = 0;

 protected:
  ~TokenNames() = default;
};

struct MethodText {
  std::string returns;
  std::string parameters;
};

// Any bytes: what cannot be read gives "<UNKNOWN>" and "(?)". Depth and length of the text are
// bounded.
MethodText method_text(std::span<const std::uint8_t> signature, const TokenNames& names);

}  // namespace polytrace::agent::coreclr
