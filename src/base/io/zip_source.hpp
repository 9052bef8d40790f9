// SPDX-License-Identifier: Apache-2.0
// The entries of a zip file one after the other, as they stand in the file: one trace in parts, or
// in one entry. Streamed, so that it works on a pipe; stored and deflated entries, also those whose
// sizes come behind their data, also zip64.
#pragma once

#include <functional>
#include <memory>

#include "base/codes.hpp"
#include "base/io/source.hpp"

namespace polytrace::base {

bool is_zip(Bytes head);

// Which entries are read.
struct ZipEntries {
  // Of an entry's first bytes, and how many entries were read before it.
  std::function<bool(Bytes first, std::size_t before)> is_read;
  Code left_out;  // says that there are others
};

// What can be unpacked before a cut or a damage is delivered; end_fault() then tells which it was,
// else how much follows the file, else the first entry that was left out.
std::unique_ptr<Source> zip_source(std::unique_ptr<Source> from, ZipEntries entries);

}  // namespace polytrace::base
