// SPDX-License-Identifier: Apache-2.0
// Where bytes come from. Input is streamed, never held: a file of any size is read in pieces
// through one call, and a pipe, a compressed or a growing file look the same.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/raw_array.hpp"
#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::base {

class ContentHash;

// One thread at a time.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // Reads 1 to into.size() bytes and says how many; 0 is the end. REQUIRES: into not empty.
  virtual result<std::size_t> read(std::span<std::byte> into) = 0;
  // Once read() gave 0: why the end came too early (a cut or damaged compressed stream), if so.
  virtual std::optional<Error> end_fault() const { return std::nullopt; }
  // Size in bytes as stored, for progress; nothing when unknown.
  virtual std::optional<std::uint64_t> stored_size() const { return std::nullopt; }
  // Stored bytes consumed so far, on the scale of stored_size().
  virtual std::uint64_t stored_position() const { return 0; }
  // Of the regular file that is read as it is stored; empty where there is none.
  virtual std::string path() const { return {}; }
};

// Fills `into` as far as the source goes; fewer bytes than asked for means the end.
result<std::size_t> read_fully(Source& source, std::span<std::byte> into);

// Appends what one read of at most `room` bytes gives, and says how much; 0 is the end.
result<std::size_t> append_from(Source& source, RawArray<std::byte>& to, std::size_t room);

struct SourceOptions {
  // Not null: keep waiting at the end of the file for more until *stop_following is true.
  const std::atomic<bool>* stop_following = nullptr;
  // Not null: all bytes that are read are added to it, as they are stored. Outlives the source.
  ContentHash* content = nullptr;
  Limits limits{};
};

// "-" is standard input. gzip and zstd are recognised by their first bytes and unwrapped.
result<std::unique_ptr<Source>> open_source(const std::string& path, const SourceOptions& = {});
// The same unwrapping for any source.
result<std::unique_ptr<Source>> unwrap(std::unique_ptr<Source> source, const Limits& limits = {});

// Bytes in memory; with `step` > 0 at most that many come per read (for tests of chunking).
std::unique_ptr<Source> memory_source(std::vector<std::byte> bytes, std::size_t step = 0);

// A source that gives `head` before what is left in `rest`.
std::unique_ptr<Source> prepend(std::vector<std::byte> head, std::unique_ptr<Source> rest);

}  // namespace polytrace::base
