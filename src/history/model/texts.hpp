// SPDX-License-Identifier: Apache-2.0
// Keeps the texts that values are views of. Moving it leaves the views valid. One thread at a time.
#pragma once

#include <deque>
#include <string>
#include <string_view>

namespace polytrace::history {

class Texts {
 public:
  Texts() = default;
  Texts(Texts&&) = default;
  Texts& operator=(Texts&&) = default;
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;
  ~Texts() = default;

  // Valid as long as this object, or what it was moved to, lives.
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  void clear() { texts_.clear(); }

 private:
  std::deque<std::string> texts_;
};

}  // namespace polytrace::history
