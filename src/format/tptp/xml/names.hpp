// SPDX-License-Identifier: Apache-2.0
// What TPTP XML calls things beyond the catalogue of messages.
#pragma once

#include <string_view>

#include "format/tptp/messages/catalogue.hpp"

namespace polytrace::format::tptp {

inline constexpr std::string_view kRoot = "TRACE";             // as written; read under any name
inline constexpr std::string_view kAnnotation = "annotation";  // an item of a list
inline constexpr std::string_view kStackFrame = "stackFrame";  // the name of one that is a frame

// Whether an element has a message of its own.
bool is_event(std::string_view name);
// Whether an element is known to the format's DTD but has no message: it is carried as it stands.
bool is_carried(std::string_view name);
// Whether the content of an event is text, so that any elements may stand in it.
bool holds_anything(std::string_view name);
// Whether an attribute of an event is known to have no place in its message.
bool is_lost(std::string_view element, std::string_view attribute);

// The attribute that is an element's content; attributes.size() when there is none.
unsigned body_of(const MessageInfo& info);

}  // namespace polytrace::format::tptp
