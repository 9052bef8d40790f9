// SPDX-License-Identifier: Apache-2.0
// The metadata of a module: what its tokens are called. Any thread of the runtime.
#pragma once

#include <span>
#include <string>

#include "agent/coreclr/names/signature.hpp"
#include "agent/coreclr/runtime/runtime.hpp"

namespace polytrace::agent::coreclr {

class Metadata final : public TokenNames {
 public:
  // A module without metadata has no names.
  explicit Metadata(RuntimeId module);

  struct MethodFacts {
    std::string name;
    std::uint32_t type = 0;  // token of its class
    MethodText text;
  };
  MethodFacts method(std::uint32_t token) const;
  // Of a TypeDef or TypeRef; "" where it is not known.
  std::string name_of(std::uint32_t token) const override;
  // "01234567-89AB-CDEF-0123-456789ABCDEF"; "" where it is not known.
  std::string version_id() const;

 private:
  std::string definition(std::uint32_t token, unsigned depth) const;
  std::string reference(std::uint32_t token, unsigned depth) const;

  Held import_;
};

}  // namespace polytrace::agent::coreclr
