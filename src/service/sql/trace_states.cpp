// SPDX-License-Identifier: Apache-2.0
#include "service/sql/trace_states.hpp"

#include "base/codes.hpp"
#include "history/bundle.hpp"
#include "service/states/ask_state.hpp"
#include "store/file/cache_folder.hpp"

namespace polytrace::service {

TraceStates::TraceStates(const InputOptions& options)
    : options_(options), cache_(options.file, store::cache_root(), !options.index.none) {}

base::result<history::History> TraceStates::make(const std::atomic<bool>* stop) const {
  if (options_.file == "-")
    return base::fail(base::Code::usage, "standard input cannot be read again for its states");
  const Input input(options_, {.stop = stop});
  const auto built = build_states(input, {cache_.draft(), history::Layout::segmented, true});
  if (stop != nullptr && *stop) return base::fail(base::Code::query_timeout, "stopped");
  if (!built) return tl::unexpected(built.error().error);
  auto opened = history::History::open(history::file_in(cache_.draft(), history::kHistoryFile));
  const bool whole = built->reading.passed.is_clean() && built->made.notices.exit_code() == 0;
  if (opened && whole) cache_.fill();
  return opened;
}

base::result<std::shared_ptr<const history::History>> TraceStates::states(
    const std::atomic<bool>* stop) const {
  const std::lock_guard lock(mutex_);
  if (history_ != nullptr) return history_;
  if (auto kept = cache_.find()) {
    history_ = std::make_shared<const history::History>(std::move(*kept));
    return history_;
  }
  auto made = make(stop);
  if (!made) return tl::unexpected(made.error());
  history_ = std::make_shared<const history::History>(std::move(*made));
  return history_;
}

}  // namespace polytrace::service
