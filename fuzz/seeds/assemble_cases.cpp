// SPDX-License-Identifier: Apache-2.0
// Writes the bytes of every case file of a format into a folder, as seeds of its fuzz targets:
// assemble_cases FORMAT FOLDER.
#include <cstdio>
#include <fstream>

#include "format/case_file.hpp"

int main(int count, char** arguments) {
  namespace test = polytrace::format::test;
  if (count != 3) return 2;
  const std::filesystem::path folder = arguments[2];
  for (const test::CaseFile& file : test::case_files(arguments[1])) {
    const auto loaded = test::load_case(file);
    if (!loaded) {
      std::fprintf(stderr, "%s: %s\n", file.path.c_str(), to_text(loaded.error()).c_str());
      return 1;
    }
    std::ofstream out(folder / (file.name() + ".case-bytes"), std::ios::binary);
    out.write(reinterpret_cast<const char*>(loaded->bytes.data()),
              static_cast<std::streamsize>(loaded->bytes.size()));
  }
}
