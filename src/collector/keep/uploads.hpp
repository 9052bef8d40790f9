// SPDX-License-Identifier: Apache-2.0
// Files that somebody sends in pieces: of each what has come so far, on the disk, until it is whole
// and was taken. A piece begins where the one before it ended. Who sends is known by a name: what
// others send is not there for it. One thread at a time.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::collector {

struct UploadLimits {
  std::filesystem::path folder{};
  std::uint64_t bytes = 0;           // that all may have together when they are whole
  std::uint64_t bytes_of_owner = 0;  // likewise, of one
  std::uint64_t min_free = 0;        // that the disk keeps for others
  std::chrono::seconds age{0};       // without a piece, then it goes
  std::size_t most = 64, most_of_owner = 16;
};

struct UploadName {
  std::string owner{};  // letters, digits, "_" and "-"
  std::string id{};     // 32 hexadecimal digits
  std::uint64_t total = 0;

  auto operator<=>(const UploadName&) const = default;
};

enum class UploadFault : std::uint8_t {
  order,      // the piece does not begin where the last one ended
  too_large,  // for what one may have
  room,       // not now: others have it
  disk,
};
struct UploadRefusal {
  UploadFault fault{};
  std::string text{};
};

class Uploads {
 public:
  // Finds what is there. Errors: open_failed.
  static base::result<Uploads> open(UploadLimits limits);

  // Bytes of it that are here and on the medium.
  std::uint64_t size_of(const UploadName& name) const;
  // What is here then. Of a file of another size by the same id nothing is known.
  tl::expected<std::uint64_t, UploadRefusal> append(const UploadName& name, std::uint64_t first,
                                                    base::Bytes piece);
  std::filesystem::path path_of(const UploadName& name) const;
  void remove(const UploadName& name);
  // Those that had no piece for too long go, but for what `is_held`; how many did.
  std::size_t drop_old(const std::function<bool(const UploadName&)>& is_held);
  std::uint64_t bytes() const;  // of what is here
  std::size_t count() const { return known_.size(); }

 private:
  struct Upload {
    std::uint64_t size = 0;
    std::filesystem::file_time_type touched{};
  };
  explicit Uploads(UploadLimits limits) : limits_(std::move(limits)) {}
  void find_of(const std::filesystem::path& folder);
  std::string missing_room(const UploadName& name) const;
  base::result<void> write(const UploadName& name, std::uint64_t first, base::Bytes piece);

  UploadLimits limits_;
  std::map<UploadName, Upload> known_{};
};

}  // namespace polytrace::collector
