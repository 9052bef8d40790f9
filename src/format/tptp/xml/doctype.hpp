// SPDX-License-Identifier: Apache-2.0
// A document type declaration is read only to be sure that it declares no entities: nothing that
// it names is ever fetched.
#pragma once

#include <string_view>

namespace polytrace::format::tptp::xml {

// `doctype` is the declaration as a whole, from `<` to `>`.
bool is_harmless_doctype(std::string_view doctype);

}  // namespace polytrace::format::tptp::xml
