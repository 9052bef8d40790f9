// SPDX-License-Identifier: Apache-2.0
// Streams that many threads share: what each thread says is in order of time, so that their pieces
// wait in a spool to be merged at the end. One thread at a time.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::exports::ctf {

// Of events as they stand in a stream, without the thread that is told of each.
class SharedStream {
 public:
  // Frames one event behind `framed`: its length, then what `write(framed)` appends.
  template <class Write>
  static void append(std::string& framed, const Write& write) {
    const std::size_t start = framed.size();
    framed.append(kLength, '\0');
    write(framed);
    set_length(framed, start);
  }
  // Takes framed events of a thread, which come in order of time. Errors: the spool's.
  base::result<void> add(std::uint32_t thread, std::string_view framed, const std::string& folder);
  bool empty() const { return spool_ == nullptr; }
  // All events in order of time, of one time in order of threads. Once.
  using See = std::function<base::result<void>(std::uint32_t thread, std::string_view event)>;
  base::result<void> merge(const See& see);

 private:
  static constexpr std::size_t kLength = sizeof(std::uint32_t);
  struct Piece {
    std::int64_t at;
    std::size_t bytes;
  };
  struct Source {
    std::uint32_t thread = 0;
    std::vector<Piece> pieces{};
    std::size_t next = 0;  // piece
    std::string text{};
    std::size_t at = 0;
    std::string_view event() const;
  };
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  static void set_length(std::string& framed, std::size_t start);
  Source& source_of(std::uint32_t thread);
  // Whether there is an event; its piece is in memory then.
  base::result<bool> load(Source& source);

  std::unique_ptr<std::FILE, Closer> spool_;  // has no name
  std::int64_t size_ = 0;
  std::vector<Source> sources_;  // by thread
};

}  // namespace polytrace::exports::ctf
