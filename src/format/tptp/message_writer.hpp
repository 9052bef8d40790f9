// SPDX-License-Identifier: Apache-2.0
// Writes common events in either spelling of the family. One thread at a time.
#pragma once

#include <memory>

#include "format/format.hpp"
#include "format/tptp/messages/spelling.hpp"

namespace polytrace::format::tptp {

inline constexpr std::string_view kTbfVersion = "1.0";
inline constexpr std::string_view kXmlVersion = "utf-8";  // its encoding is all that differs

base::result<std::unique_ptr<event::Writer>> create_tbf(std::unique_ptr<base::Sink> sink,
                                                        const WriteOptions& options);
base::result<std::unique_ptr<event::Writer>> create_xml(std::unique_ptr<base::Sink> sink,
                                                        const WriteOptions& options);
// The same kinds in both.
bool holds(event::Kind kind, std::string_view version);

}  // namespace polytrace::format::tptp
