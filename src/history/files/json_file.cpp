// SPDX-License-Identifier: Apache-2.0
#include "history/files/json_file.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "base/io/piece.hpp"
#include "base/io/sink.hpp"
#include "base/io/source.hpp"

namespace polytrace::history {

base::result<std::string> load_text(const std::string& path, base::Notices& notices,
                                    const base::Limits& limits) {
  auto source = base::open_source(path, {.limits = limits});
  if (!source) return base::Unexpected(source.error());
  std::string text;
  base::Piece piece(std::size_t{1} << 20);
  for (;;) {
    const std::size_t have = text.size();
    if (have > limits.merge_bytes)
      return base::fail(base::Code::limit_exceeded,
                        fmt::format("{}: more than {} bytes", path, limits.merge_bytes));
    text.resize(have + piece.next());
    const auto got =
        base::read_fully(**source, std::as_writable_bytes(std::span(text).subspan(have)));
    if (!got) return base::Unexpected(got.error());
    const bool end = have + *got < text.size();
    text.resize(have + *got);
    if (end) break;
  }
  if (const auto fault = (*source)->end_fault())
    notices.add(fault->code, fault->place, 0, fault->detail);
  return text;
}

base::result<void> save_text(const std::string& path, std::string_view text, bool replace) {
  auto sink = base::create_sink(path, replace);
  if (!sink) return base::Unexpected(sink.error());
  if (auto written = (*sink)->write(std::as_bytes(std::span(text))); !written) return written;
  return (*sink)->commit();
}

}  // namespace polytrace::history
