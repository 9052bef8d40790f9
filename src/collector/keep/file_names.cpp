// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/file_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kDigits = 16;
constexpr int kHexadecimal = 16;

}  // namespace

base::result<std::vector<NumberedFiles::Found>> NumberedFiles::find(
    const std::filesystem::path& folder) const {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  std::vector<Found> all;
  for (std::filesystem::directory_iterator at(folder, fault), end; !fault && at != end;
       at.increment(fault)) {
    const std::string name = at->path().filename().string();
    if (name.size() != prefix.size() + kDigits + suffix.size() || !name.starts_with(prefix) ||
        !name.ends_with(suffix))
      continue;
    std::uint64_t number = 0;
    const char* const digits = name.data() + prefix.size();
    const auto read = std::from_chars(digits, digits + kDigits, number, kHexadecimal);
    if (read.ptr == digits + kDigits) all.push_back({at->path(), number});
  }
  if (fault) return base::fail(base::Code::open_failed, fault.message());
  std::ranges::sort(all, {}, &Found::number);
  return all;
}

std::filesystem::path NumberedFiles::path(const std::filesystem::path& folder,
                                          std::uint64_t number) const {
  return folder / fmt::format("{}{:016x}{}", prefix, number, suffix);
}

}  // namespace polytrace::collector
