// SPDX-License-Identifier: Apache-2.0
#include "store/read/paths.hpp"

#include "base/codes.hpp"
#include "base/frames/svb.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::store {

base::result<void> Paths::add(base::Bytes payload) {
  base::Cursor cursor(payload, 0);
  const std::uint64_t first = cursor.uleb();
  const std::uint64_t count = cursor.uleb();
  if (!cursor.ok()) return base::fail(cursor.fault_code());
  if (first != size()) return base::fail(base::Code::value_unexpected, "paths that do not follow");
  base::Bytes rest(cursor.at(), cursor.left());
  std::vector<std::uint64_t> up, methods;
  if (auto read = base::read_svb(rest, up); !read) return read;
  if (auto read = base::read_svb(rest, methods); !read) return read;
  if (up.size() != count || methods.size() != count)
    return base::fail(base::Code::count_too_large, "paths");
  if (count > kNoPath - first) return base::fail(base::Code::count_too_large, "paths");
  Node* node = nodes_.room(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto path = static_cast<std::uint32_t>(first + i);
    if (up[i] == 0 || up[i] > path || methods[i] > kNoMethod)
      return base::fail(base::Code::value_unexpected, "path without a place in the tree");
    *node++ = {path - static_cast<std::uint32_t>(up[i]),
               static_cast<std::uint32_t>(methods[i] - 1)};  // of 0: kNoMethod
  }
  nodes_.grew_to(node);
  return {};
}

base::result<void> read_sums(base::Bytes payload, std::uint32_t paths, std::vector<PathSum>& into) {
  std::vector<std::uint64_t> column;
  if (payload.empty()) return base::fail(base::Code::field_past_end);
  const auto told = static_cast<unsigned>(payload[0]);
  payload = payload.subspan(1);
  if (auto read = base::read_svb(payload, column); !read) return read;
  const std::size_t before = into.size();
  into.resize(before + column.size());
  const std::span sums = std::span(into).subspan(before);
  std::uint64_t path = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    path += column[i];
    if (column[i] >= paths || path >= paths)
      return base::fail(base::Code::value_unexpected, "path of sums");
    sums[i].path = static_cast<std::uint32_t>(path);
  }
  for (std::size_t k = 0; k < kSumMeasures.size(); ++k) {
    if ((told >> k & 1) == 0) continue;
    if (auto read = base::read_svb(payload, column); !read) return read;
    if (column.size() != sums.size())
      return base::fail(base::Code::count_too_large, "columns of sums");
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i].*kSumMeasures[k] = column[i];
  }
  return {};
}

base::result<void> read_pause_part(base::Bytes payload, std::uint32_t place, std::uint32_t paths,
                                   std::vector<PathSum>& into) {
  std::vector<std::uint64_t> lengths;
  if (auto read = base::read_svb(payload, lengths); !read) return read;
  if (place >= lengths.size()) return base::fail(base::Code::value_unexpected, "part of pauses");
  std::uint64_t before = 0;
  for (std::uint32_t i = 0; i < place; ++i) {
    if (lengths[i] > payload.size() - before) return base::fail(base::Code::field_past_end);
    before += lengths[i];
  }
  if (lengths[place] > payload.size() - before) return base::fail(base::Code::field_past_end);
  if (lengths[place] == 0) return {};
  return read_sums(payload.subspan(before, lengths[place]), paths, into);
}

}  // namespace polytrace::store
