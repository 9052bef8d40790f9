// SPDX-License-Identifier: Apache-2.0
// Makes strict JSON of what people and interrupted programs leave behind
// (docs/formats/state-history-interchange.md, "JSON that is not quite"):
//  - members without the braces around them become an object, several values an array;
//  - closing brackets that are missing before a line are put where its indentation says;
//  - a text that ends early is cut behind its last closing bracket, and the rest closed;
//  - an escaped half of a surrogate pair becomes U+FFFD.
// The first is a form of its own and costs no notice. Never deeper in the machine's stack, however
// deep the text. Pure function.
#pragma once

#include <string>
#include <string_view>

#include "base/notices.hpp"

namespace polytrace::history {

// Errors: json_malformed, with the line, when brackets do not fit together. What it gives is not
// yet proven to be JSON. Notices: json_malformed for what was put right, text_ill_formed.
base::result<std::string> mend_json(std::string_view text, base::Notices& notices);

}  // namespace polytrace::history
