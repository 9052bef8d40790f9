// SPDX-License-Identifier: Apache-2.0
// The real recordings under tests/data/<format>.
#pragma once

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/source.hpp"

namespace polytrace::format::test {

struct Sample {
  std::string name;  // "older/v01"
  std::string path;
  friend std::ostream& operator<<(std::ostream& out, const Sample& sample) {
    return out << sample.name;
  }
};

// Every file below tests/data/<format> that ends like the format's files, maybe with .gz.
inline std::vector<Sample> samples(std::string_view format, std::string_view suffix) {
  const std::filesystem::path folder = std::filesystem::path(POLYTRACE_TEST_DATA) / format;
  std::vector<Sample> all;
  if (!exists(folder)) return all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    std::string name = relative(entry.path(), folder).string();
    for (const std::string_view ending : {std::string_view(".gz"), suffix}) {
      if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    }
    const std::string path = entry.path().string();
    if (path.ends_with(suffix) || path.ends_with(std::string(suffix) + ".gz"))
      all.push_back({name, path});
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

// The decompressed content.
inline std::vector<std::byte> content(const Sample& sample) {
  const auto source = base::open_source(sample.path);
  std::vector<std::byte> all;
  std::vector<std::byte> piece(256 * 1024);
  while (const std::size_t got = *(*source)->read(piece))
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
  return all;
}

// A name as GoogleTest wants it for a parameter.
inline std::string test_name(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

}  // namespace polytrace::format::test
