// SPDX-License-Identifier: Apache-2.0
// The texts of a history by id, out of its STRS frames. A frame is inflated and indexed when the
// first of its texts is asked for, and kept: texts live as long as this. Any number of threads.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "base/frames/dictionary.hpp"
#include "base/result.hpp"
#include "history/layout/container.hpp"

namespace polytrace::history {

class Strings {
 public:
  Strings() = default;
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;
  ~Strings();

  // Adds a frame, in order of ids; the bytes must outlive this. Before any text is asked for, or
  // while nobody asks. Errors: those of content(), value_unexpected when ids are not in a row.
  base::result<void> add(const base::Frame& frame, std::uint64_t most_inflated);
  // For ids from dictionary's first() on, which no frame holds yet.
  void set_recent(const base::Dictionary* dictionary) { recent_ = dictionary; }

  // Nothing for an id that there is not, or in a damaged frame.
  std::optional<std::string_view> text(std::uint64_t id) const;
  std::uint64_t count() const { return count_; }

 private:
  struct Texts {
    base::RawArray<std::byte> room;
    std::vector<std::string_view> all;
  };
  struct Part {
    base::Frame frame{};
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    mutable std::atomic<const Texts*> texts = nullptr;
  };
  const Texts& load(const Part& part) const;

  std::vector<std::unique_ptr<Part>> parts_;
  std::uint64_t count_ = 0;
  std::uint64_t most_inflated_ = 0;
  const base::Dictionary* recent_ = nullptr;
  mutable std::mutex loading_;
};

}  // namespace polytrace::history
