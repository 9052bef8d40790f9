// SPDX-License-Identifier: Apache-2.0
#include "format/native/native.hpp"

#include <array>

#include "format/native/read/records.hpp"
#include "format/native/reader.hpp"

namespace polytrace::format::native {
namespace {

bool recognise(base::Bytes head) {
  return head.size() >= sizeof kStreamMagic &&
         base::load_le<std::uint64_t>(head.data()) == kStreamMagic;
}

bool holds_all(event::Kind, std::string_view) { return true; }

constexpr std::array<std::string_view, 1> kVersions{"1"};

}  // namespace

const Format kFormat{
    .name = "native",
    .title = "polytrace's own stream",
    .suffix = ".ptrace",
    .read_versions = kVersions[0],
    .write_versions = kVersions,
    .recognise = recognise,
    .open = NativeReader::open,
    .create = create_writer,
    .record_name = record_name,
    .has_end = true,
    .holds = holds_all,
};

}  // namespace polytrace::format::native
