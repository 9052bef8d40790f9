// SPDX-License-Identifier: Apache-2.0
// Whether an index is of a file as it is now: by the file's times and place if these can be
// trusted, else by the hash of all its bytes. Any thread.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "store/file/page.hpp"

struct stat;

namespace polytrace::store {

SourceFacts facts_of(const struct stat& status);
// Of a file, as it is now. Errors: open_failed, also if it is no plain file.
base::result<SourceFacts> look_up(const std::string& path);

// What a trace is known by.
struct SourceIdentity {
  SourceFacts facts{};
  base::Fingerprint fingerprint{};  // where its index is
  Digest whole{};                   // XXH3-128 of all bytes; zeros: not known
  std::int64_t looked = 0;          // when, before the facts were looked up: ns since 1970
};
// Of the file, or of its first `size` bytes as if they were all; without `whole`. Errors:
// open_failed, read_failed.
base::result<SourceIdentity> identify(const std::string& path,
                                      std::optional<std::uint64_t> size = std::nullopt);

// Whether a file that still has these facts has the content that it had at `looked`. Not if it was
// written to so shortly before that a later write may have left the same times: clocks of file
// systems have ticks, of up to two seconds.
bool are_settled(const SourceFacts& facts, std::int64_t looked);

// The hash of the first `size` bytes of a file. `content` has the first of them already, and gets
// the rest. Errors: open_failed, read_failed if the file is shorter, limit_exceeded once *stop is
// true (which may be null).
base::result<Digest> whole_digest(const std::string& path, std::uint64_t size,
                                  base::ContentHash& content,
                                  const std::atomic<bool>* stop = nullptr);

// How an index stands to the file that is there now.
enum class Staleness : std::uint8_t {
  current,  // its facts are those of the index, and can be trusted
  same,     // its facts are others or cannot be trusted, its bytes are the same
  grown,    // it is larger, and begins as it did
  other,    // of another content, or made by other rules
};
inline bool is_current(Staleness staleness) { return staleness <= Staleness::same; }
// Reads the whole file where its facts do not tell. Errors: as identify() and whole_digest().
base::result<Staleness> compare(const PageHead& head, const SourceIdentity& now,
                                const std::string& path, const std::atomic<bool>* stop = nullptr);

// Whether the file of an open trace is still what its index was made of.
class SourceWatch {
 public:
  // `head` is that of the index.
  SourceWatch(std::string file, PageHead head);

  // What became of the file ("it has grown"); nothing while it has the same content, and if it is
  // gone: then there is no other content. Reads the file only after its size or times changed.
  std::optional<std::string_view> change();
  // Whether another file has the content of the index.
  bool has_content_of(const std::string& other) const;

 private:
  const std::string file_;
  mutable std::mutex mutex_;  // guards what follows
  PageHead head_;
};

}  // namespace polytrace::store
