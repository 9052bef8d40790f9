// SPDX-License-Identifier: Apache-2.0
#include "service/ask/event_stream.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "event/text/text.hpp"
#include "sql/trace/trace.hpp"

namespace polytrace::service {

base::result<bool> EventStream::next() {
  text_.clear();
  if (has_next()) {
    ++at_;
    return true;
  }
  if (reader_ == nullptr) {
    auto opened = input_.open_live();
    if (!opened) return base::Unexpected(opened.error());
    origin_ = origin_of(input_, *opened);
    reader_ = std::move(opened->reader);
    slicer_.as_told();
  }
  for (;;) {
    const auto more = read_batch();
    if (!more || !*more || !batch_.events.empty()) return more;
  }
}

base::result<bool> EventStream::read_batch() {
  read_ += batch_.events.size();
  at_ = 0;
  const auto more = reader_->next(batch_);
  if (!more || !*more) {
    batch_.clear();
    return more;
  }
  notices_.merge(batch_.notices);
  threads_.assign(batch_.events.size(), slice::Names::kNone);
  slicer_.slice(batch_, [this](const slice::Slice& slice) {
    for (const slice::Run& run : slice.runs)
      std::fill(threads_.begin() + run.begin, threads_.begin() + run.end, run.thread);
  });
  return true;
}

sql::Value EventStream::value(int column) const {
  using At = sql::EventColumns;
  const event::Event& event = batch_.events[at_];
  switch (column) {
    case At::id: return sql::Value::of(read_ + at_);
    case At::ts: return sql::time_value(event.time);
    case At::utid: return sql::index_value(threads_[at_]);
    case At::kind: return sql::Value::name(event::describe(event.kind).name);
    case At::subject:
      if (event.id == base::kNoId) return {};
      subject_ = sql::id_text(event.id);
      return sql::Value::of(std::string_view(subject_));
    default: return sql::Value::of(detail());
  }
}

// What stands behind time, thread and kind.
std::string_view EventStream::detail() const {
  if (text_.empty()) event::append_text(text_, batch_, batch_.events[at_]);
  std::size_t at = 0;
  for (int words = 0; words < 3 && at < text_.size(); ++words)
    at = std::min(text_.find(' ', at), text_.size() - 1) + 1;
  return std::string_view(text_).substr(at);
}

Reading EventStream::reading() const {
  Reading reading{.origin = origin_, .passed = {}};
  base::Notices all = notices_;
  if (reader_ != nullptr) all.merge(reader_->notices());
  reading.passed.notices = all.sorted();
  // A growing file ends inside a frame that is still being written.
  if (input_.options().follow)
    std::erase_if(reading.passed.notices, [](const base::Notice& notice) {
      return notice.code == base::Code::frame_truncated;
    });
  reading.passed.interrupted = input_.asking().is_stopped() && !input_.options().follow;
  return reading;
}

}  // namespace polytrace::service
