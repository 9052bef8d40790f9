// SPDX-License-Identifier: Apache-2.0
// The texts of an index while it is built. One thread at a time.
#pragma once

#include <functional>
#include <string>

#include "base/frames/dictionary.hpp"
#include "base/io/cursor.hpp"
#include "store/build/row_encoder.hpp"

namespace polytrace::store {

class TextLog final : public TextIds {
 public:
  // Payloads of frames of texts, each with the number of its first one.
  using Take = std::function<void(std::uint64_t first, std::uint32_t count, std::string payload)>;

  explicit TextLog(Take take) : take_(std::move(take)) {}

  std::uint32_t id(std::string_view text) override {
    if (texts_.full()) {
      put();
      texts_.start_epoch();
    }
    return static_cast<std::uint32_t>(texts_.id(text));
  }
  // All that was not put yet.
  void put() {
    texts_.write_new([this](base::Bytes payload) {
      base::Cursor in(payload, 0);
      const std::uint64_t first = in.uleb();
      const std::uint64_t count = in.uleb();
      take_(first, static_cast<std::uint32_t>(count),
            std::string(reinterpret_cast<const char*>(payload.data()), payload.size()));
      return true;
    });
  }
  std::uint64_t count() const { return texts_.count(); }

 private:
  static constexpr std::size_t kMostText = std::size_t{32} << 20;  // bytes of memory

  Take take_;
  base::Dictionary texts_{kMostText};
};

}  // namespace polytrace::store
