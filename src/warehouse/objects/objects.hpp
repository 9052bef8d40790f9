// SPDX-License-Identifier: Apache-2.0
// Whole, immutable objects by name, in a folder or in a bucket of S3: raw traces are kept so. Who
// writes an object again writes the same bytes. One thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::warehouse {

struct ObjectsOptions {
  std::string to{};        // "folder:/srv/traces", "s3:https://HOST/BUCKET[/PREFIX]"
  std::string region{};    // of S3; empty: us-east-1
  std::string key_file{};  // of S3: a line with the key's name, one with the secret
  std::chrono::milliseconds within{60'000};  // for one request
  const std::atomic<bool>* stop = nullptr;   // once true, nobody waits; null, or it outlives this
};

// Part of an object: from `offset` on, at most so many bytes.
struct ObjectRange {
  std::uint64_t offset = 0;
  std::uint64_t length = ~std::uint64_t{0};
};

// An object that is larger is not read whole.
inline constexpr std::uint64_t kMostObject = std::uint64_t{256} << 20;

class Objects {
 public:
  // Connects to nothing, makes no folder. Errors: usage (`to` is no such place); open_failed (the
  // key's file: it must be ours, of mode 0600, of two lines); library_missing.
  static base::result<std::unique_ptr<Objects>> open(ObjectsOptions options);
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  virtual ~Objects() = default;

  // REQUIRES of each name: is_object_name().
  // Whole or not at all; when it returns, the object is there to stay. Errors: write_failed.
  virtual base::result<void> put(const std::string& name, base::Bytes bytes) = 0;
  // Fewer bytes than asked for where it ends before. Errors: open_failed (it is not there, or
  // cannot be reached), limit_exceeded (more than kMostObject).
  virtual base::result<std::vector<std::byte>> get(const std::string& name,
                                                   ObjectRange range = {}) = 0;
  // Its size; nothing: there is none. Errors: open_failed.
  virtual base::result<std::optional<std::uint64_t>> head(const std::string& name) = 0;
  // One that is not there is removed already. Errors: write_failed.
  virtual base::result<void> remove(const std::string& name) = 0;

 protected:
  Objects() = default;
};

// Whether it is a place as ObjectsOptions::to has them. Errors: usage, with what may stand there.
base::result<void> check_objects(std::string_view to);

// Parts with "/" between: letters, digits, "_", "-" and ".", none of which begins with ".". So no
// name leaves its folder, nor its tenant's part of it.
bool is_object_name(std::string_view name);
// A text of others as one part of a name: what may not stand there becomes "_".
std::string object_word(std::string_view text);

// Blocks of a stream: "shop/2026-11-27/cart/5f2ac01e9d3b4c77/12-40.ptrace.zst".
struct PieceName {
  std::string_view tenant;
  std::int64_t time = 0;  // seconds since 1970, of its day
  std::string_view service;
  std::uint64_t stream = 0;
  std::uint64_t first = 0, last = 0;
};
std::string object_name(const PieceName& name);

}  // namespace polytrace::warehouse
