// SPDX-License-Identifier: Apache-2.0
// Gives texts ids while a history is built (docs/formats/state-history.md, "STRS"). When it has
// grown beyond its limit it forgets everything but what is asked to stay: an epoch ends. Ids go on
// from there, and a text that comes again gets a second one. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "base/io/appender.hpp"
#include "base/seeded_hash.hpp"
#include "base/types.hpp"

namespace polytrace::base {

class Dictionary {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostText = (std::size_t{1} << 31) - 1;

  explicit Dictionary(std::size_t most = kMostBytes) : most_(most) {}

  // The text's id; a new one on first sight in this epoch. REQUIRES: at most kMostText bytes.
  std::uint64_t id(std::string_view text) {
    std::uint64_t& latest = latest_[place_of(text)];
    if (latest < first_ || latest >= count() || this->text(latest) != text)
      latest = known_or_new(text);
    return latest;
  }
  // REQUIRES: an id of this epoch. Lives until the epoch ends.
  std::string_view text(std::uint64_t id) const { return texts_[id - first_]; }
  std::uint64_t count() const { return first_ + texts_.size(); }
  // The first id of this epoch.
  std::uint64_t first() const { return first_; }

  // True when the epoch should end.
  bool full() const { return bytes_ > most_; }
  void start_epoch();

  // Writes the payloads of STRS frames for the ids not written yet, each through `write`, a
  // callable bool(Bytes). False when one of them failed.
  template <class Write>
  bool write_new(Write write);

 private:
  static constexpr std::size_t kFrameBytes = std::size_t{1} << 20;
  static constexpr std::size_t kChunk = std::size_t{64} << 10;

  std::uint64_t known_or_new(std::string_view text);
  std::string_view keep(std::string_view text);
  // The ids that fill the next frame: from written_ to the one behind the last.
  std::uint64_t next_frame_end() const;

  // Whoever writes states mostly has each text at a place of its own: what came from there last is
  // looked at first, which spares the hash of its bytes.
  static constexpr unsigned kPlaceBits = 10;
  static std::size_t place_of(std::string_view text) {
    const auto at = std::uint64_t{reinterpret_cast<std::uintptr_t>(text.data())};
    return (at * 0x9e3779b97f4a7c15U) >> (64 - kPlaceBits);
  }

  std::size_t most_;
  std::size_t bytes_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t written_ = 0;
  tsl::robin_map<std::string_view, std::uint64_t, SeededHash> ids_;
  std::vector<std::string_view> texts_;
  std::array<std::uint64_t, std::size_t{1} << kPlaceBits> latest_{};  // ids, by place_of()
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* free_ = nullptr;
  std::size_t free_size_ = 0;
};

template <class Write>
bool Dictionary::write_new(Write write) {
  while (written_ < count()) {
    const std::uint64_t end = next_frame_end();
    Appender payload;
    payload.uleb(written_);
    payload.uleb(end - written_);
    for (std::uint64_t id = written_; id < end; ++id) {
      payload.uleb(text(id).size());
      payload.text(text(id));
    }
    if (!write(payload.view())) return false;
    written_ = end;
  }
  return true;
}

}  // namespace polytrace::base
