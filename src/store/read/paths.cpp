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
  nodes_.reserve(nodes_.size() + count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t path = size();
    if (up[i] == 0 || up[i] > path || methods[i] > kNoMethod)
      return base::fail(base::Code::value_unexpected, "path without a place in the tree");
    nodes_.push_back({path - static_cast<std::uint32_t>(up[i]),
                      static_cast<std::uint32_t>(methods[i] - 1)});  // of 0: kNoMethod
  }
  return {};
}

}  // namespace polytrace::store
