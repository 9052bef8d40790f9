// SPDX-License-Identifier: Apache-2.0
// The entries of a zip file one after the other, as they stand in the file: one trace in parts.
// Streamed, so that it works on a pipe; stored and deflated entries, also those whose sizes come
// behind their data, also zip64. An entry that does not begin like XML is left out.
#pragma once

#include <memory>

#include "base/io/source.hpp"

namespace polytrace::format::tptp {

bool is_zip(base::Bytes head);

// What can be unpacked before a cut or a damage is delivered; end_fault() then tells which it was,
// else how much follows the file, else the first entry that was left out.
std::unique_ptr<base::Source> zip_source(std::unique_ptr<base::Source> from);

}  // namespace polytrace::format::tptp
