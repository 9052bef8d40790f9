// SPDX-License-Identifier: Apache-2.0
// What readers of a profile show beside its stacks: collections, pauses, waits and exceptions, each
// at its own time. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "exports/job/account.hpp"
#include "exports/timelines/names.hpp"
#include "exports/timelines/spans.hpp"

namespace polytrace::exports {

enum class MarkerKind : std::uint8_t { collection, pause, lock, wait, exception };
inline constexpr std::size_t kMarkerKinds = 5;

struct Marker {
  MarkerKind kind{};
  bool failed = false;  // the lock was not had in the end
  std::uint32_t thread = 0;
  std::uint32_t what = 0;   // index in Markers::texts(): generation, object, class
  std::uint32_t owner = 0;  // the thread that had the lock, 0 = not told
  base::Time start = 0;
  base::Time end = 0;  // of an exception, its start
};

class Markers {
 public:
  using Names = slice::Names;
  using Slice = slice::Slice;
  struct Thread {
    base::Id id;
    std::string name;
    base::Time first;  // as in analysis::Profile::Thread
  };

  explicit Markers(const slice::Selection& selection)
      : selection_(selection), spans_(selection, *this) {}

  void consume(const Slice& slice);
  // Once, after the last slice.
  void finish(const Names& names);
  // What it holds is not left out; what it does not hold is told. After finish().
  void tell(Account& account) const;

  // After finish(); by thread, in the order they ended.
  const std::vector<Marker>& all() const { return all_; }
  const std::vector<Thread>& threads() const { return threads_; }  // by Marker::thread
  const std::vector<std::string>& texts() const { return texts_; }

  // For SpanWalk.
  void open_span(Lane, std::uint32_t, Span&, const Slice&, const event::Event&) {}
  void close_span(Lane lane, std::uint32_t thread, const Span& span, base::Time end, bool failed,
                  const Names& names);

 private:
  static constexpr std::size_t kMost = 100000;  // what the reader shows without delay

  void add(Marker marker, std::string_view what, std::string_view owner);
  std::uint32_t text(std::string_view text);

  slice::Selection selection_;
  SpanWalk<Markers> spans_;
  ObjectClasses classes_;
  std::vector<Marker> all_;
  std::vector<Thread> threads_;
  std::vector<std::string> texts_{""};
  std::map<std::string, std::uint32_t, std::less<>> known_;
  Account::Kinds taken_{};  // events that markers are made from
  std::uint64_t cut_ = 0;
};

}  // namespace polytrace::exports
