// SPDX-License-Identifier: Apache-2.0
// A bundle that travels as one file: a tar, also through gzip or zstd, or a zip. Names inside never
// become names on a disk: what is wanted of it goes into temporary files without any. One thread at
// a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/scratch_file.hpp"
#include "base/notices.hpp"
#include "base/result.hpp"

namespace polytrace::history {

// By its content: the first entry can be found. False for what cannot be read.
bool is_archive(const std::string& path);

struct UnpackedFile {
  std::string_view name{};  // one of those wanted
  std::unique_ptr<base::ScratchFile> content{};
};

struct Unpacked {
  std::vector<UnpackedFile> files{};
  // archive_damaged, once, where it ends early or is damaged; archive_others for what was left.
  base::Notices notices{};
};

struct UnpackLimits {
  std::uint64_t growth = 200;  // what comes out of a byte, beyond `free_growth`
  std::uint64_t free_growth = std::uint64_t{256} << 20;
  std::uint64_t share_of_free = 50;  // percent of what is free in the temporary place
};

// Takes the files of these names out of the one folder inside in which wanted[0] is; of several of
// one name the last. Links, absolute names and names with ".." are not taken. A damaged file is
// kept up to the damage when it is wanted[0], else left. Errors: open_failed; archive_unusable
// (no wanted[0], several of them in different folders, encrypted); limit_exceeded; write_failed.
base::result<Unpacked> unpack(const std::string& path, std::span<const std::string_view> wanted,
                              const UnpackLimits& limits = {});

}  // namespace polytrace::history
