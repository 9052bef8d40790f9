// SPDX-License-Identifier: Apache-2.0
// A part of a trace that is a valid trace, on the way to a writer: what happened in [from, to), of
// one thread's stream, or about some methods and classes.
//
// Headings stay as they are, definitions stay with their times moved into the part. Calls keep
// their nesting: those that are open at `from` are entered there, those that are open at `to` are
// left there if anything comes later, and exits of calls nobody entered are dropped. A note
// behind such events says that they are made. An order of calls that goes back in time follows
// the order of its thread.
//
// Memory grows with threads and open calls, not with the trace. One thread at a time.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/id_table.hpp"
#include "base/seeded_hash.hpp"
#include "event/choice/thread_choice.hpp"
#include "event/open_calls.hpp"
#include "event/pump.hpp"
#include "event/writer.hpp"

namespace polytrace::transform {

// Which events are about methods and classes whose names contain a text. Definitions may come later
// than the events, so the whole trace is read for its names first.
//
// As a consumer it learns the names; after finish() it can be asked. Asking is thread-safe.
class Subjects final : public event::Consumer {
 public:
  // An empty text is no condition. Methods have to meet both, by their name as reports show it and
  // by their class.
  Subjects(std::string method, std::string in_class)
      : method_text_(std::move(method)), class_text_(std::move(in_class)) {}

  bool consume(const event::Batch& batch) override;
  void finish();

  // Whether the event's subject, its class or a frame of its stack is one of them. A call is only
  // about its method.
  bool fit(const event::Batch& batch, const event::Event& event) const;

 private:
  struct Method {
    base::Id id;
    base::Id class_id;
    std::string name;
  };
  bool fits(const Method& method) const;
  void learn(const event::Batch& batch, const event::Event& event);

  std::string method_text_;
  std::string class_text_;
  std::vector<Method> defined_;
  base::IdMap<std::string> class_names_;
  base::IdMap<base::Id> vtables_;
  base::IdSet methods_;
  base::IdSet classes_;
};

struct CutOptions {
  base::Time from = std::numeric_limits<base::Time>::min();  // included
  base::Time to = std::numeric_limits<base::Time>::max();    // not included; this = no end
  event::ThreadChoice threads{};
  const Subjects* subjects = nullptr;  // what it is about; null = everything
};

struct CutCounts {
  event::u64 entered = 0;  // calls that began before the cut
  event::u64 left = 0;     // calls that end after it
  event::u64 dropped = 0;  // exits without an entry
};

class Cut final : public event::Writer {
 public:
  // `counts` tells what had to be made; it outlives the cut.
  Cut(std::unique_ptr<event::Writer> to, const CutOptions& options, CutCounts& counts)
      : to_(std::move(to)), options_(options), counts_(counts) {}

  base::result<void> write(const event::Batch& batch) override;
  void leave_open() override { to_->leave_open(); }
  base::result<void> finish() override;
  const event::Loss& loss() const override { return to_->loss(); }

 private:
  using Event = event::Event;
  struct Call : event::OpenCall {
    event::Enter details;
  };
  struct Stream {
    base::Id thread = base::kNoId;
    base::Time now = std::numeric_limits<base::Time>::min();  // the latest so far
    bool begun = false;                                       // it has come to `from`
    bool ended = false;                                       // it has come to `to`
    event::OpenCalls<Call> open{};
  };

  base::result<void> make_room();
  void take(const event::Batch& batch, const Event& event);
  void take_call(const event::Batch& batch, const Event& event, Stream& stream);
  void enter(const event::Batch& batch, const Event& event, Stream& stream);
  void leave(const event::Batch& batch, const Event& event, Stream& stream);
  bool is_after(base::Time time) const {
    return time >= options_.to && options_.to != CutOptions{}.to;
  }
  bool selects(const event::Batch& batch, const Event& event) const;
  Stream& stream(base::Id thread);
  void advance(Stream& stream, base::Time now);
  void begin(Stream& stream);
  void end(Stream& stream);
  void mark(base::Time time, const Stream& stream, std::string_view what);
  void copy(const event::Batch& batch, const Event& event, base::Time time);

  std::unique_ptr<event::Writer> to_;
  CutOptions options_;
  CutCounts& counts_;
  event::Batch out_;
  base::IdTable thread_ids_;
  std::vector<Stream> streams_;
  event::CallAccount calls_;
  base::Time last_ = std::numeric_limits<base::Time>::min();  // of all events, in the cut or not
};

}  // namespace polytrace::transform
