// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/spool_look.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/image.hpp"
#include "collector/keep/append_file.hpp"
#include "collector/keep/spool_index.hpp"

namespace polytrace::collector {
namespace {

// What is looked for, and what of it was found.
struct Search {
  std::uint64_t stream;
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t most_bytes;
  std::uint64_t bytes = 0;
  Looked found{};

  base::result<void> take(std::uint64_t index, base::Bytes block);
  base::result<bool> take_file(const std::filesystem::path& path);
};

base::result<void> Search::take(std::uint64_t index, base::Bytes block) {
  if (index < first) {
    found.last_before = std::max(index, found.last_before.value_or(index));
  } else if (index > last) {
    found.first_behind = std::min(index, found.first_behind.value_or(index));
  } else if (is_whole(block)) {
    bytes += block.size();
    if (bytes > most_bytes)
      return base::fail(base::Code::limit_exceeded,
                        fmt::format("blocks of more than {} MiB: ask for fewer", most_bytes >> 20));
    found.blocks[index].assign(block.begin(), block.end());
  }
  return {};
}

// Whether older files can have more of it.
base::result<bool> Search::take_file(const std::filesystem::path& path) {
  const auto image = base::Image::map(path.string());
  std::error_code fault;
  if (!image && !std::filesystem::exists(path, fault)) return true;  // dropped since it was found
  if (!image) return base::Unexpected(image.error());
  Records records(image->bytes());
  bool reaches_first = false;
  while (image->intact() && records.next()) {
    if (records.head().key != stream) continue;
    const auto index = index_of(records.payload());
    if (!index || *index == BlockCutter::kHeader) continue;
    reaches_first = reaches_first || *index <= first;
    if (auto taken = take(*index, records.payload()); !taken)
      return base::Unexpected(taken.error());
  }
  return !reaches_first;
}

}  // namespace

// From the newest file back: what is asked for happened a short while ago. Of a file that is in
// both the pinned one: it does not go while it is looked at.
base::result<Looked> look_into_spool(const std::filesystem::path& folder,
                                     const std::filesystem::path& pinned, std::uint64_t stream,
                                     std::uint64_t first, std::uint64_t last,
                                     std::uint64_t most_bytes) {
  std::error_code fault;
  if (!std::filesystem::is_directory(folder, fault))
    return base::fail(base::Code::open_failed, folder.string() + " is no folder of a collector");
  std::map<std::uint64_t, std::filesystem::path> files;
  for (const auto* const place : {&pinned, &folder}) {
    if (!std::filesystem::is_directory(*place, fault)) continue;
    const auto found = kSpoolFiles.find(*place);
    if (!found) return base::Unexpected(found.error());
    for (const NumberedFiles::Found& file : *found) files.try_emplace(file.number, file.path);
  }
  Search search{stream, first, last, most_bytes};
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    const auto goes_on = search.take_file(file->second);
    if (!goes_on) return base::Unexpected(goes_on.error());
    if (!*goes_on) break;
  }
  return std::move(search.found);
}

}  // namespace polytrace::collector
