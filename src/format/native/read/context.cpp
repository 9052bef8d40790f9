// SPDX-License-Identifier: Apache-2.0
#include "format/native/read/context.hpp"

#include "format/native/read/byte_input.hpp"

namespace polytrace::format::native {

Site read_site(base::Cursor& in) {
  Site site;
  site.number = in.uleb();
  site.class_id = take_id(in);
  site.size = in.uleb();
  site.element_size = in.uleb();
  site.method = take_id(in);
  site.byte_code = static_cast<std::int64_t>(take_zig(in) - 1);
  site.line = static_cast<std::int64_t>(take_zig(in) - 1);
  return site;
}

ClockLine read_line(base::Cursor& in) { return in.fixed<ClockLine>(); }

void Context::learn(Content content, base::Bytes payload) {
  base::Cursor in(payload, 0);
  if (content == Content::clock) {
    const ClockLine line = read_line(in);
    if (in.ok()) lines.add({{static_cast<std::int64_t>(line.tick0), line}});
  } else if (content == Content::sites) {
    decltype(sites)::Layer told;
    for (std::uint64_t left = in.uleb(); in.ok() && left != 0; --left) {
      const Site site = read_site(in);
      if (in.ok()) told.emplace_back(site.number, site);
    }
    sites.add(std::move(told));
  }
}

}  // namespace polytrace::format::native
