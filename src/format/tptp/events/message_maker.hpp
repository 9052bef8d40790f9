// SPDX-License-Identifier: Apache-2.0
// The common events to messages: the inverse of EventMaker. What a reader of messages tells is
// written as the messages that it came from; what messages cannot hold is counted in loss().
// docs/formats/tbf.md, section 15. Memory grows with definitions and open calls, not with the
// stream. One thread at a time.
#pragma once

#include "base/result.hpp"
#include "base/seeded_hash.hpp"
#include "format/tptp/events/call_tickets.hpp"
#include "format/tptp/events/frame_names.hpp"
#include "format/tptp/events/links.hpp"
#include "format/tptp/messages/call_record.hpp"
#include "format/tptp/messages/message_draft.hpp"

namespace polytrace::format::tptp {

// Where messages go.
class MessageTarget {
 public:
  MessageTarget() = default;
  MessageTarget(const MessageTarget&) = delete;
  MessageTarget& operator=(const MessageTarget&) = delete;
  virtual ~MessageTarget() = default;
  virtual base::result<void> write(const Message& message) = 0;
  virtual base::result<void> write(const CallRecord& call) = 0;
};

class MessageMaker {
 public:
  // The target outlives the maker.
  MessageMaker(MessageTarget& target, Spelling spelling)
      : target_(target), draft_(spelling, loss_) {}
  MessageMaker(const MessageMaker&) = delete;
  MessageMaker& operator=(const MessageMaker&) = delete;

  static bool holds(event::Kind kind);

  // Batches in stream order. Errors are the target's.
  base::result<void> take(const event::Batch& batch);
  // Writes what is held back.
  base::result<void> finish();
  const event::Loss& loss() const { return loss_; }

 private:
  using Event = event::Event;

  static constexpr std::size_t kMostHeld = 1000;

  // Keeps what is told of a session until all of it that comes first is there: clock, processes,
  // traces. False when the event is not of these.
  bool wait_in_prelude(const Event& event);
  void put(const Event& event);
  // Behind the end of a trace, a process or a trace is the first that is told of another session,
  // and waits as well.
  bool begins_anew(const Event& event);
  void release_prelude();
  // What waits for its successor, unless `next` is that.
  void release_before(const Event& next);

  // Whether messages can hold the event, with all or a part of what it says.
  bool tells(const Event& event) const;
  template <class Details>
  bool tells(const Details&) const {
    return true;
  }
  bool tells(const event::Recording& recording) const;
  bool tells(const event::Class& details) const { return details.life == event::Life::begin; }
  bool tells(const event::Gc& gc) const;
  bool tells(const event::HeapSize&) const { return gc_waits_; }
  bool tells(const event::Monitor& monitor) const;
  bool tells(const event::Dump& dump) const { return dump.stage == event::DumpStage::start; }
  bool tells(const event::DumpObject& object) const { return !batch_->list(object.refs).empty(); }

  // One overload for each kind that messages can hold.
  void make(const Event& event, const event::Process& process);
  void make(const Event& event, const event::Clock& clock);
  void make(const Event& event, const event::Setting& setting);
  void make(const Event& event, const event::FilterRule& filter);
  void make(const Event& event, const event::Recording& recording);
  void make(const Event& event, const event::Note& note);
  void make(const Event& event, const event::Thread& thread);
  void make(const Event& event, const event::Class& details);
  void make(const Event& event, const event::Method& method);
  void make(const Event& event, const event::Enter& call);
  void make(const Event& event, const event::Leave& call);
  void make(const Event& event, const event::Unwind& call);
  void make(const Event& event, const event::SummaryBegin& summary);
  void make(const Event& event, const event::SummaryEnd& summary);
  void make(const Event& event, const event::Alloc& alloc);
  void make(const Event& event, const event::Free& free);
  void make(const Event& event, const event::Gc& gc);
  void make(const Event& event, const event::HeapSize& size);
  void make(const Event& event, const event::Wait& wait);
  void make(const Event& event, const event::Monitor& monitor);
  void make(const Event& event, const event::Dump& dump);
  void make(const Event& event, const event::DumpObject& object);
  void make(const Event& event, const event::Root& root);

  // Maker is a parameter because the class is not complete here, which clang minds.
  template <class Details, class Maker = MessageMaker>
  static constexpr bool kHeld = requires(Maker& maker, const Event& event, const Details& details) {
    maker.make(event, details);
  };

  void make_node(const Event& event, const event::Process& process);
  void make_process(const Event& event, const event::Process& process, std::int64_t pid);
  void make_agent(const Event& event, const event::Process& process);
  void make_start(const Event& event, const event::Recording& recording);
  void make_end(const Event& event, const event::Recording& recording);
  void keep_end(const Event& event, const event::Recording& recording);
  bool release_ends();  // false when there were none
  void end_agent();
  // Messages that others hang under, where no event told of them. Of a node an id may be told.
  using LinkText = std::pair<unsigned, std::string_view>;  // attribute and id
  template <class F>
  void write_link(std::initializer_list<LinkText> ids);
  void link_node(std::string_view told);
  void link_process();
  void link_agent();
  void link_trace();
  void need_trace() {
    if (links_.trace.empty()) [[unlikely]]
      link_trace();
  }
  void make_method(const Event& event, const event::Method& method);
  // Calls of which no more is told than who called what when: nine events in ten.
  void make_plain_call(const Event& event);
  // What entries and exits have in common.
  CallRecord begin_call(const Event& event);
  template <class Call>
  CallRecord begin_call(const Event& event, const Call& call);
  template <class Call>
  void make_exit(const Event& event, const Call& call);
  void end_call(CallRecord& record, const CallTickets::Entry& entry);
  std::int64_t class_of(base::Id method);
  void make_references(const event::DumpObject& object);
  template <class F, class Details>
  void make_wait(const Event& event, const Details& details);
  template <class F>
  void make_stack(const event::Stack& stack);
  void write_frames(const std::vector<NamedFrame>& frames);
  // A told ticket as messages hold it, 0 when there is none or it does not fit.
  std::int32_t told_ticket(const Event& event, event::u64 ticket);

  void lose(const Event& event) { loss_.event(event.kind); }
  void lose(const Event& event, std::string_view field) { loss_.field(event.kind, field); }
  void write() {
    if (draft_.message().id() > field::TraceStart::kId) need_trace();
    write(draft_.message());
  }
  void write_call(const CallRecord& call) {
    need_trace();
    write(call);
  }
  template <class What>
  void write(const What& what) {
    if (!state_) return;
    if (auto done = target_.write(what); !done) state_ = std::move(done);
  }

  MessageTarget& target_;
  event::Loss loss_;
  base::result<void> state_;
  MessageDraft draft_;
  const event::Batch* batch_ = nullptr;

  event::Batch prelude_;
  bool in_prelude_ = true;
  Links links_;
  Message link_;
  event::Batch ends_;  // of the trace that is open
  CallTickets tickets_;
  FrameNames names_;
  base::IdMap<base::Id> vtables_;  // to their classes
  base::Id dump_ = base::kNoId;
  // The end of a collection waits for the heap's size behind it.
  bool gc_waits_ = false;  // in draft_
  base::Time gc_time_ = 0;
  base::Id gc_thread_ = base::kNoId;
};

}  // namespace polytrace::format::tptp
