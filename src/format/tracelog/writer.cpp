// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "format/tracelog/held.hpp"
#include "format/tracelog/lines/names.hpp"
#include "format/tracelog/lines/watch.hpp"

namespace polytrace::format::tracelog {

base::result<std::unique_ptr<event::Writer>> TraceLogWriter::create(
    std::unique_ptr<base::Sink> sink, const WriteOptions& options) {
  const auto wanted =
      options.version.empty() ? kDialects.begin() : std::ranges::find(kDialects, options.version);
  if (wanted == kDialects.end())
    return base::fail(
        base::Code::version_unsupported,
        fmt::format("tracelog is written as seed, later or early, not {}", options.version));
  const auto dialect = static_cast<Dialect>(wanted - kDialects.begin());
  return std::make_unique<TraceLogWriter>(std::move(sink), dialect);
}

bool TraceLogWriter::holds(event::Kind kind, std::string_view version) {
  const auto found = std::ranges::find(kDialects, version);
  return found != kDialects.end() && is_held(kind, static_cast<Dialect>(found - kDialects.begin()));
}

base::result<void> TraceLogWriter::write(const event::Batch& batch) {
  batch_ = &batch;
  const event::Event* event = batch.events.begin();
  const event::Event* const end = batch.events.end();
  while (event != end) {
    const std::size_t calls = put_calls({event, end});
    if (calls == 0) put(*event);
    event += std::max<std::size_t>(calls, 1);
  }
  lost_of_calls_.tell(loss_);
  return out_.flush(*sink_, false);
}

base::result<void> TraceLogWriter::finish() {
  end_list();
  close_function();
  put_table();
  end_threads(INT64_MAX);
  if (open_) out_.break_off();
  if (auto done = out_.flush(*sink_, true); !done) return done;
  return sink_->commit();
}

void TraceLogWriter::put(const event::Event& event) {
  constexpr base::Duration kLate = 1'000 * kMillisecond;
  const bool has_rows = event.kind == event::Kind::Census || event.kind == event::Kind::HeapSize;
  if (!has_rows && table_.collection != base::kNoId && batch_->thread(event) == table_.thread)
    put_table();
  if (!is_held(event.kind, dialect_)) return lose(event);
  if (!endings_.empty() && now_ > endings_.front().time + kLate) end_threads(now_ - kLate);
  event::with_details(*batch_, event, [&](const auto& details) {
    using T = std::remove_cvref_t<decltype(details)>;
    if constexpr (!std::is_same_v<T, event::Code> && !std::is_same_v<T, event::Jit>)
      close_function();
    tell(event, details);
  });
}

Line& TraceLogWriter::start(Key key) {
  end_list();
  line_ = {};
  line_.record = &record(key);
  return line_;
}

void TraceLogWriter::put_line() {
  print_line(out_.printer(), line_);
  out_.printer().end();
}

bool TraceLogWriter::continues_list(Key key, const event::Event& event) {
  const base::Id thread = batch_->thread(event);
  const base::Time time = key == Key::sam_mem ? now_ : event.time;
  const bool same = list_open_ && list_key_ == key && list_time_ == time && list_thread_ == thread;
  if (same) return true;
  end_list();
  list_open_ = true;
  list_key_ = key;
  list_time_ = time;
  list_thread_ = thread;
  return false;
}

void TraceLogWriter::end_list() {
  if (!std::exchange(list_open_, false)) return;
  put_allocated();
  out_.printer().end();
}

void TraceLogWriter::untimed(const event::Event& event) {
  lose(event, shifted(event) != now_, "time");
}

// The time on the log's clock.
base::Time TraceLogWriter::shifted(const event::Event& event) const {
  base::Time time = 0;
  return __builtin_sub_overflow(event.time, origin_, &time) ? INT64_MIN : time;
}

std::uint64_t TraceLogWriter::timestamp(const event::Event& event) {
  const base::Time time = shifted(event);
  const std::uint64_t told = time < 0 ? 0 : static_cast<std::uint64_t>(time / kMillisecond);
  now_ = to_time(told);
  lose(event, time != now_, "time");
  return told;
}

void TraceLogWriter::no_thread(const event::Event& event) {
  lose(event, batch_->thread(event) != base::kNoId, "thread");
}

// Later logs name it by the system's id where they can.
void TraceLogWriter::name_thread(base::Id thread) {
  line_.numbers[0] = thread;
  if (dialect_ != Dialect::later) return;
  const auto os = os_threads_.find(thread);
  if (os == os_threads_.end() || os_owners_[os->second] != thread) return;
  line_.os_thread = true;
  line_.numbers[0] = os->second;
}

// What one line can hold of `text`; in `keep` where that is something else.
std::string_view TraceLogWriter::one_line(const event::Event& event, std::string_view text,
                                          std::string_view field, std::string& keep) {
  constexpr std::string_view kBreaks("\n\r\0", 3);
  const bool whole = is_utf8(text);
  if (whole && text.find_first_of(kBreaks) == std::string_view::npos) return text;
  loss_.field(event.kind, field);
  keep.clear();
  append_one_line(keep, whole ? text : base::repaired(text));
  return keep;
}

}  // namespace polytrace::format::tracelog
