// SPDX-License-Identifier: Apache-2.0
// A GET over HTTP, whole, with a bearer token. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::warehouse {

struct FetchOrder {
  std::string url;
  std::string token;
  std::string ca{};  // whom to believe, in PEM; empty: whom the system believes
  std::chrono::milliseconds within{60'000};
  std::uint64_t most_bytes = std::uint64_t{256} << 20;
  std::string field{};                      // of the answer's head, that is wanted, too
  const std::atomic<bool>* stop = nullptr;  // once true, nobody waits any more; null: never
};

struct Fetched {
  std::vector<std::byte> bytes{};
  std::string field{};  // empty: it is not there
};

// Errors: open_failed (nobody answers, or with another status than 200: what was
// said is in the detail, the token never), limit_exceeded, library_missing.
base::result<Fetched> fetch(const FetchOrder& order);

}  // namespace polytrace::warehouse
