// SPDX-License-Identifier: Apache-2.0
// The smallest format: a first line that names it, one line of canonical text per event, a last
// line that says it is whole. It holds everything.
#pragma once

#include "format/format.hpp"

namespace polytrace::format::drill {

inline constexpr std::string_view kFirstLine = "polytrace drill 1\n";
inline constexpr std::string_view kLastLine = "end\n";

base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                  const event::ReadOptions& options);
base::result<std::unique_ptr<event::Writer>> create(std::unique_ptr<base::Sink> sink,
                                                    const WriteOptions& options);

}  // namespace polytrace::format::drill
