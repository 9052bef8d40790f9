// SPDX-License-Identifier: Apache-2.0
// The maker of JDK Flight Recorder's files: chunks that stand alone, each with the events of a part
// of the trace and the constants that they use. What Java's viewers know goes into events of the
// JDK's names, every call into one of ours, all other events of the catalogue into events of their
// own names. One thread at a time.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <vector>

#include "exports/jfr/bytes.hpp"
#include "exports/jfr/collections.hpp"
#include "exports/jfr/metadata.hpp"
#include "exports/jfr/pools.hpp"
#include "exports/timelines/caps.hpp"
#include "exports/timelines/timeline_walk.hpp"

namespace polytrace::exports {

class JfrMaker : public MakerParts {
 public:
  static constexpr bool kTellsFacts = true;
  using Track = CallTrack;

  explicit JfrMaker(const TimelineJob& job) : MakerParts(job), pools_(methods_) {
    jfr::write_metadata(metadata_);
  }

  void settle() {
    if (out_.size() >= kChunk && !failure_) keep(end_chunk(*names_));
  }
  base::result<void> end_slice() {
    settle();
    return state();
  }
  base::result<void> complete(const Names& names);

  // For CallSpans.
  Track& track(std::uint32_t thread) { return track_of(tracks_, thread); }
  bool shows(Track&, std::uint32_t method, const Names& names) { return shown_.has(method, names); }
  bool begin(Track&, Time, std::uint32_t) { return cap_.admit(); }
  void end(Track& track, std::uint32_t method, Time start, Time end) {
    start = std::max(start, job_.request.selection.from);
    reach(start, end);
    char* const event = out_.room(64);
    char* at = event + 1;  // shorter than 128 bytes: one for the size
    at = jfr::Bytes::put(at, jfr::type::call_t);
    at = jfr::Bytes::put(at, static_cast<std::uint64_t>(start));
    at = jfr::Bytes::put(at, length(start, end));
    at = jfr::Bytes::put(at, pools_.thread(track.thread));
    at = jfr::Bytes::put(at, pools_.method(method));
    *event = static_cast<char>(at - event);
    out_.take(at);
  }

  // For SpanWalk. A span keeps the stack that it began with.
  void open_span(Lane lane, std::uint32_t thread, Span& span, const Slice& slice,
                 const Event& event);
  void close_span(Lane lane, std::uint32_t thread, const Span& span, Time end, bool failed,
                  const Names& names);
  // For TimelineWalk.
  void define(const Slice& slice, const Event& event) {
    if (selects(job_.request.selection, slice.batch, event)) other(slice, event);
  }
  void sample(const Slice& slice, const Event& event);
  void allocation(const Slice& slice, const Event& event);
  void throwing(const Slice& slice, const Event& event);
  void clause(const Slice& slice, const Event& event) { other(slice, event); }
  void counter(const Slice& slice, const Event& event) { other(slice, event); }
  void heap_size(const Slice& slice, const Event& event);
  void remark(const Slice& slice, const Event& event) { other(slice, event); }
  void other(const Slice& slice, const Event& event);

 private:
  static constexpr std::size_t kChunk = std::size_t{8} << 20;  // bytes of events

  static std::uint64_t length(Time start, Time end) {
    return end < start ? 0 : static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(start);
  }
  void reach(Time start, Time end) {
    first_ = std::min(first_, start);
    last_ = std::max(last_, end);
  }
  // The last time of the chunk so far.
  Time latest() const { return first_ > last_ ? 0 : last_; }
  std::size_t begin_event(std::uint64_t type, Time start) {
    reach(start, start);
    const std::size_t event = out_.begin(type);
    out_.number(start);
    return event;
  }
  std::uint64_t thread_of(Id id, const Names& names) {
    if (id == base::kNoId) return 0;
    const std::uint32_t index = names.thread_index(id);
    return index == Names::kNone ? pools_.stranger(id) : pools_.thread(index);
  }
  base::result<void> end_chunk(const Names& names);
  void write_collections(const std::vector<jfr::Collection>& collections, const Names& names);
  void write_heap(Time time, std::string_view when);
  void write_allocated();

  SampleCopies copies_;
  ShownMethods shown_{methods_};
  jfr::Pools pools_;
  jfr::Bytes metadata_;
  jfr::Bytes out_;                                 // the events of the chunk
  std::deque<Track> tracks_;                       // by thread index
  Time first_ = std::numeric_limits<Time>::max();  // of the chunk
  Time last_ = std::numeric_limits<Time>::min();
  std::uint64_t chunks_ = 0;
  jfr::Collections collections_;
  std::uint64_t heap_ = 0;                // bytes, as last told; 0 = not told
  std::uint32_t measured_ = 0;            // the collection whose heap was told afterwards
  std::vector<std::uint64_t> allocated_;  // bytes, by thread index
};

}  // namespace polytrace::exports
