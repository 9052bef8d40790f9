// SPDX-License-Identifier: Apache-2.0
// Replaces the texts that name something of the user's program or machine by stable tokens, on the
// way to a writer: those of type Text word by word, Whole as one; Word stays (event/kinds.def).
// Numbers stay: ids, addresses, sizes, times. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "event/writer.hpp"

namespace polytrace::transform {

struct TokenOptions {
  std::string key{};                // none = tokens that anyone can reproduce
  std::vector<std::string> keep{};  // names that begin with one of these words stay
};

// The prefixes of names that belong to the runtimes: for TokenOptions::keep.
std::vector<std::string> runtime_prefixes();

// Stable tokens for texts: the same word becomes the same token, in every trace and every run with
// the same key. What stands between words stays, so a name keeps the count and form of its parts:
//   Shop.Cart:Add (string,int)  ->  mtgbkwqhvzrd.pfnsxcbkjqtl:hvbdmnzkrwsg (string,int)
// Kept are words that are nobody's names: primitive types, ".ctor" and its like, single letters,
// numbers of up to two digits, and the runtime's mark "(wrapper ...)" in front.
// The hash is fast, not a cipher: who has the key, or none was used, can try out names.
// Const use is thread-safe.
class Tokens {
 public:
  explicit Tokens(TokenOptions options) : options_(std::move(options)) {}

  // Of each word one.
  std::string text(std::string_view text) const;
  // Of all of it: twelve consonants.
  std::string token(std::string_view word) const;

 private:
  void append_words(std::string& out, std::string_view text) const;
  void append_name(std::string& out, std::string_view name) const;
  bool append_descriptor(std::string& out, std::string_view text) const;
  bool is_kept(std::string_view name) const;

  TokenOptions options_;
};

class Anonymizer final : public event::Writer {
 public:
  Anonymizer(std::unique_ptr<event::Writer> to, TokenOptions options)
      : to_(std::move(to)), tokens_(std::move(options)) {}

  base::result<void> write(const event::Batch& batch) override;
  void leave_open() override { to_->leave_open(); }
  base::result<void> finish() override { return to_->finish(); }
  const event::Loss& loss() const override { return to_->loss(); }

 private:
  std::unique_ptr<event::Writer> to_;
  Tokens tokens_;
  event::Batch out_;
};

}  // namespace polytrace::transform
