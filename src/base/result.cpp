// SPDX-License-Identifier: Apache-2.0
// Agents are linked with this source and no other of this folder: it needs the C++ library only.
#include "base/result.hpp"

#include <cerrno>
#include <cstring>

namespace polytrace::base {

Error::Error() = default;
Error::Error(Code what, Place where, std::string why)
    : code(what), place(std::move(where)), detail(std::move(why)) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Unexpected fail(Code code, std::string detail, Place place) {
  return Unexpected(Error(code, std::move(place), std::move(detail)));
}

Unexpected system_fault(Code code) { return fail(code, std::strerror(errno)); }

}  // namespace polytrace::base
