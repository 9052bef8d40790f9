// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/chunks.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"
#include "event/reader.hpp"

namespace polytrace::sql {

base::result<std::uint64_t> Chunks::rows() const {
  std::call_once(once_, [this] {
    if (auto done = load(); !done) fault_ = done.error();
  });
  if (fault_) return tl::unexpected(*fault_);
  return offsets_.size();
}

base::result<void> Chunks::load() const {
  const store::IndexView& view = trace_->store().frames().view();
  for (std::size_t i = 0; i < view.entries().size(); ++i)
    if (view.entries()[i].kind == store::frame::chunks)
      if (auto done = take(view, i); !done) return done;
  ordinals_.push_back(view.totals().events);
  return {};
}

base::result<void> Chunks::take(const store::IndexView& view, std::size_t entry) const {
  base::RawArray<std::byte> room;
  const auto payload = view.payload(entry, room);
  if (!payload) return tl::unexpected(payload.error());
  base::Bytes bytes = *payload;
  std::vector<std::uint64_t> offsets, ordinals;
  if (auto done = base::read_svb(bytes, offsets); !done) return done;
  if (auto done = base::read_svb(bytes, ordinals); !done) return done;
  if (offsets.size() != ordinals.size())
    return base::fail(base::Code::value_unexpected, "pieces of the source");
  offsets_.insert(offsets_.end(), offsets.begin(), offsets.end());
  ordinals_.insert(ordinals_.end(), ordinals.begin(), ordinals.end());
  return {};
}

std::optional<std::uint64_t> Chunks::with_event(std::uint64_t ordinal) const {
  if (offsets_.empty() || ordinal < ordinals_.front() || ordinal >= ordinals_.back()) return {};
  const auto behind = std::ranges::upper_bound(ordinals_, ordinal);
  return static_cast<std::uint64_t>(behind - ordinals_.begin()) - 1;
}

base::result<void> Chunks::find_times(const std::atomic<bool>* stop) const {
  const std::lock_guard lock(mutex_);
  const auto count = rows();
  if (!count) return tl::unexpected(count.error());
  if (!spans_.empty() || *count == 0) return {};
  std::vector<Span> spans(*count);
  const auto reader = trace_->store().reader();
  event::Batch batch;
  std::uint64_t ordinal = 0, chunk = 0;
  for (;;) {
    if (stop != nullptr && *stop) return base::fail(base::Code::query_timeout, "stopped");
    const auto more = reader->next(batch);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    for (const event::Event& event : batch.events) {
      while (chunk + 1 < *count && ordinal >= ordinals_[chunk + 1]) ++chunk;
      ++ordinal;
      if (event.time == base::kNoTime) continue;
      if (spans[chunk].first == base::kNoTime) spans[chunk].first = event.time;
      spans[chunk].last = event.time;
    }
  }
  spans_ = std::move(spans);
  return {};
}

}  // namespace polytrace::sql
