// SPDX-License-Identifier: Apache-2.0
// The index of a trace, as far as there is one: found and judged, never made. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/notices.hpp"
#include "format/format.hpp"
#include "store/file/cache_folder.hpp"
#include "store/file/commits.hpp"
#include "store/source/source_identity.hpp"

namespace polytrace::store {
class IndexFrames;
class Store;
}  // namespace polytrace::store

namespace polytrace::service {

struct IndexOptions {
  bool offered = false;  // answers may come from one
  bool none = false;     // and shall not
  std::string folder{};  // of the index; empty: in the cache
  // That of this trace, which is open already: answers come from it, and nobody looks for another.
  std::shared_ptr<const store::Store> held{};
};

enum class IndexStanding : std::uint8_t {
  none,      // nobody made one, or not to its end
  current,   // whole, and of the trace as it is now
  stale,     // of another content, or made by other rules
  damaged,   // a checksum does not hold
  building,  // its file is still being made, or its build was stopped
};

struct FoundIndex {
  std::string file{};  // the trace
  store::SourceIdentity source{};
  store::IndexPlace place{};  // where it is, or would be; without a folder where no cache is
  IndexStanding standing = IndexStanding::none;
  std::string detail{};                            // why it is stale or damaged
  std::shared_ptr<const store::IndexView> view{};  // as far as it can be opened

  // What an answer says of an index that it does not come from.
  std::optional<base::Notice> notice() const;
};

// What the trace's own reader finds beside the trace is in no index that is kept: whether it would
// find something, or said so among its notices.
bool depends_on_neighbours(const std::string& file, const base::Notices& notices);

// Reads all of the index once, to test its checksums, and all of the trace if its size and times do
// not tell whether it is the same; *stop ends that (null: nothing does). Errors: those of
// store::identify().
base::result<FoundIndex> find_index(const std::string& file, const std::string& folder,
                                    const std::atomic<bool>* stop = nullptr);

// The first frame that does not hold; nothing when all do.
struct BrokenFrame {
  std::size_t entry;
  base::Error error;
};
std::optional<BrokenFrame> first_broken(const store::IndexView& view, std::size_t from = 0);

// A reader that gives what the trace's own reader gives, as often as it is asked.
class CurrentIndex {
 public:
  CurrentIndex(const format::Format* format, std::shared_ptr<const store::IndexFrames> frames,
               std::optional<store::FolderLock> use);
  format::Opened open() const;

 private:
  const format::Format* format_;
  std::shared_ptr<const store::IndexFrames> frames_;
  std::optional<store::FolderLock> use_;  // nobody removes it meanwhile
};

struct IndexChoice {
  std::optional<CurrentIndex> index{};
  std::optional<base::Notice> notice{};  // why not, where one is there
};
// Never an error: without a current index the trace itself is read.
IndexChoice open_if_current(const std::string& file, const std::string& folder,
                            const std::atomic<bool>* stop = nullptr);

}  // namespace polytrace::service
