// SPDX-License-Identifier: Apache-2.0
// POSTs, or PUTs, over HTTP to one server, on a connection that may stay open between them. Nothing
// is tried twice: that is the caller's, who knows what may be sent again. One thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::warehouse {

struct PostOptions {
  std::string url;
  std::string method = "POST";
  std::vector<std::string> fields{};  // "Content-Type: application/proto"
  std::string token{};                // shown as bearer; empty: none
  std::string ca{};                   // whom to believe, in PEM; empty: whom the system believes
  std::string certificate{}, key{};   // who we are, in PEM; empty: nobody
  bool needs_tls13 = false;
  std::chrono::seconds asks_every{0};  // a server that says nothing, whether it is there; 0: never
  std::chrono::milliseconds connect_within{5'000};
  std::chrono::milliseconds within{60'000};  // the whole request
  std::uint64_t most_answer = std::uint64_t{1} << 20;
  // On a connection that was kept and is gone, libcurl itself sends again: not where that counts
  // twice. Then each has one of its own.
  bool keeps_connection = true;
  // Once true, answers are not waited for any more. Null, or it outlives the poster.
  const std::atomic<bool>* stop = nullptr;
};

// Of one POST: behind the url, and beside the fields of all.
struct Posting {
  std::string path{};
  std::vector<std::string> fields{};
  std::string wanted{};  // a field of the answer; empty: none
};

struct Posted {
  int status = 0;
  std::chrono::seconds retry_after{0};  // as it asks
  std::vector<std::byte> answer{};
  std::string field{};  // the one that was wanted; empty: the answer has it not
};

// Of an answer that says why not: its first line, as far as people read it, and printable.
std::string first_line(base::Bytes answer);

class Poster {
 public:
  // Connects to nothing. Errors: library_missing; store_unreachable, where libcurl does not start.
  static base::result<Poster> open(PostOptions options);
  Poster(Poster&&) noexcept;
  Poster& operator=(Poster&&) noexcept;
  ~Poster();

  // Any status is an answer. Errors: store_unreachable; limit_exceeded, of an answer. The token is
  // in none of them.
  base::result<Posted> post(base::Bytes body, const Posting& more = {});
  // Of a post() that failed: whether the server may have the body all the same.
  bool may_have_arrived() const;

 private:
  struct State;
  explicit Poster(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace polytrace::warehouse
