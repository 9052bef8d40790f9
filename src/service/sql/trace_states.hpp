// SPDX-License-Identifier: Apache-2.0
// The states of a trace for SQL: those that are kept of it, else they are made, and kept where the
// trace could be read whole. Any thread.
#pragma once

#include <memory>
#include <mutex>

#include "service/input/input.hpp"
#include "service/states/state_cache.hpp"
#include "sql/trace/derived.hpp"

namespace polytrace::service {

class TraceStates final : public sql::Derived {
 public:
  // Of the trace that the options name; what they lend is asked for no longer than the question.
  explicit TraceStates(const InputOptions& options);

  base::result<std::shared_ptr<const history::History>> states(
      const std::atomic<bool>* stop) const override;

 private:
  base::result<history::History> make(const std::atomic<bool>* stop) const;

  InputOptions options_;
  mutable std::mutex mutex_;  // guards what follows
  mutable StateCache cache_;
  mutable std::shared_ptr<const history::History> history_;
};

}  // namespace polytrace::service
