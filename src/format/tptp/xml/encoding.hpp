// SPDX-License-Identifier: Apache-2.0
// XML in any encoding as UTF-8. By the byte order mark, else by the XML declaration, else UTF-8.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/io/source.hpp"

namespace polytrace::format::tptp {

// The encoding of a document that begins like this, by its name: small letters.
std::string encoding_of(std::string_view head);

struct Decoded {
  std::unique_ptr<base::Source> source;  // in UTF-8
  std::string encoding;
  bool known = true;        // false: nothing is converted; what is no UTF-8 is not well-formed
  std::string converted{};  // the encoding when it was converted, for a Ruler; else empty
};
// A zip file is unpacked first; its entries are in the encoding of the first one.
// Errors: of the source; not_recognised where a page, a picture or a zip file of other things
// begins. Bytes that the encoding does not know become kNoCharacter, so that the element they stand
// in is found to be ill-formed.
base::result<Decoded> decode_text(std::unique_ptr<base::Source> source);

}  // namespace polytrace::format::tptp
