// SPDX-License-Identifier: Apache-2.0
// Replaces the texts that name something of the user's program or machine by stable tokens, on the
// way to a writer. Numbers stay: ids, addresses, sizes, times. One thread at a time.
#pragma once

#include <memory>

#include "event/writer.hpp"
#include "transform/tokens.hpp"

namespace polytrace::transform {

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
