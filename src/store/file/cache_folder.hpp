// SPDX-License-Identifier: Apache-2.0
// Where indexes are kept, one folder for each trace, named after the fingerprint of its content:
//   <cache>/index/<2 digits>/<32 digits>/  index.pti, index.pti.new while it is built, used, lock
// and while the trace grows in <cache>/index/<2 digits>/live-<16 digits>/.
// Folders are their owner's alone. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/file/page.hpp"

namespace polytrace::store {

// Where all that polytrace keeps for later lies: $POLYTRACE_CACHE, else $XDG_CACHE_HOME/polytrace
// where that is an absolute path, as its standard has it, else ~/.cache/polytrace; empty where
// there is none of them.
std::string cache_root();

// Of all indexes in a cache; empty where there is no cache.
std::string indexes_folder(const std::string& cache);

struct IndexPlace {
  std::string folder;

  std::string file() const { return folder + "/index.pti"; }
  std::string side() const { return folder + "/side"; }
  std::string used() const { return folder + "/used"; }  // its time is that of the last use
  std::string lock() const { return folder + "/lock"; }
};
// Nothing is made.
IndexPlace place_of(const std::string& cache, const base::Fingerprint& fingerprint);
// Of a file while it grows, when no fingerprint of it would stay: by where its content lies.
std::uint64_t live_id(const SourceFacts& facts);
IndexPlace live_place(const std::string& cache, std::uint64_t live_id);
// Whether place_of() or live_place() gives such a name.
bool is_place_name(std::string_view folder);
// Errors: write_failed.
base::result<void> make_folder(const IndexPlace& place);

// A lock that goes with the object, or with the process.
class FolderLock {
 public:
  enum class Share : std::uint8_t { alone, with_others };
  // Nothing when others hold it in a way that forbids. Errors: open_failed.
  static base::result<std::optional<FolderLock>> take(const std::string& file, Share share);
  // Marks the use, too: the file's time is now. For IndexPlace::used().
  static base::result<std::optional<FolderLock>> use(const IndexPlace& place);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace polytrace::store
