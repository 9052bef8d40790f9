// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/tbf/calls.hpp"

#include "format/tptp/events/event_maker.hpp"
#include "format/tptp/tbf/plain_call.hpp"

namespace polytrace::format::tptp {
namespace {

using event::Event;
using event::Kind;
using Entry = field::MethodEntry;
using Exit = field::MethodExit;

constexpr std::ptrdiff_t kLeastSpan = 16;  // a shorter run of calls is not worth telling

template <ByteOrder order>
class Calls {
 public:
  Calls(StreamState& state, event::Batch& batch, CallFollower& follower)
      : state_(state), batch_(batch), follower_(follower) {}

  // Flat: a call for every push_back() would take a tenth of the time.
  [[gnu::flatten]] std::size_t decode(base::Bytes rest) {
    const std::byte* at = rest.data();
    const std::byte* const end = at + rest.size();
    const std::size_t most = rest.size() / std::min(kEntryBytes, kExitBytes);
    Event* out = batch_.events.room(most);
    Event* run = out;  // the calls of one thread
    auto& enters = batch_.column<event::Enter>();
    auto& leaves = batch_.column<event::Leave>();
    while (static_cast<std::size_t>(end - at) >= kCallBytes) {
      const PlainCall call = plain_call<order>(at);
      const std::byte* payload = at + kMessageHeaderBytes;
      if (call == PlainCall::none) break;
      if (call == PlainCall::entry) {
        begin_call<kEntryPlaces, Entry>(payload, run, out);
        out->detail = static_cast<std::uint32_t>(enters.size());
        enters.push_back(enter(payload));
        fill<Kind::Enter>(*out);
        out->id = number_as_id(payload, kEntryPlaces.at[Entry::method_id_ref]);
        follower_.enter(out->id, number_as_id(payload, kEntryPlaces.at[Entry::class_id_ref]),
                        enters.back().ticket);
        ++out;
        at += kEntryBytes;
      } else {
        begin_call<kExitPlaces, Exit>(payload, run, out);
        out->detail = static_cast<std::uint32_t>(leaves.size());
        leaves.push_back(leave(payload));
        fill<Kind::Leave>(*out);
        const base::Id method = number_as_id(payload, kExitPlaces.at[Exit::method_id_ref]);
        const base::Id class_id = number_as_id(payload, kExitPlaces.at[Exit::class_id_ref]);
        const base::Id known = follower_.exit(method, class_id, leaves.back().ticket);
        out->id = id_of(static_cast<std::int64_t>(method != 0 ? method : known));
        ++out;
        at += kExitBytes;
      }
    }
    end_run(run, out);
    const auto taken = static_cast<std::size_t>(at - rest.data());
    count(taken);
    return taken;
  }

 private:
  template <class T>
  static T get(const std::byte* at) {
    return load_as<T, order>(at);
  }
  static std::int64_t number(const std::byte* payload, std::size_t place) {
    return get<std::int64_t>(payload + place);
  }

  static base::Id number_as_id(const std::byte* payload, std::size_t place) {
    return get<base::Id>(payload + place);
  }

  // All but the method.
  template <Kind kind>
  void fill(Event& event) {
    event.time = state_.now;
    event.thread = slot_;
    event.kind = kind;
    event.reserved = 0;
    ++run_kinds_[kind == Kind::Enter ? 0 : 1];
  }

  static event::Enter enter(const std::byte* payload) {
    const auto& at = kEntryPlaces.at;
    return {static_cast<event::u64>(get<std::int32_t>(payload + at[Entry::ticket])),
            static_cast<event::u64>(number(payload, at[Entry::stack_depth])),
            number(payload, at[Entry::thread_cpu_time]),
            id_of(number(payload, at[Entry::transient_obj_id_ref])),
            id_of(number(payload, at[Entry::class_id_ref]))};
  }
  static event::Leave leave(const std::byte* payload) {
    const auto& at = kExitPlaces.at;
    const auto either = [&](unsigned first, unsigned second) {
      const std::int64_t id = number(payload, at[first]);
      return id_of(id != 0 ? id : number(payload, at[second]));
    };
    return {static_cast<event::u64>(get<std::int32_t>(payload + at[Exit::ticket])), 0,
            number(payload, at[Exit::thread_cpu_time]),
            either(Exit::obj_id_ref, Exit::transient_obj_id_ref),
            either(Exit::class_id_ref, Exit::transient_class_id_ref)};
  }

  // Starts a new run where the thread changes or time goes back.
  template <const auto& places, class Field>
  void begin_call(const std::byte* payload, Event*& run, Event* out) {
    const std::int64_t thread = number(payload, places.at[Field::thread_id_ref]);
    const std::int64_t time = number(payload, places.at[Field::time]);
    const bool back = time != 0 && time < state_.now;
    if (time != 0) state_.now = time;
    if (thread != thread_ || !known_ || back) begin_run(thread, run, out);
    if (time != 0) follower_.see_time(time);
  }
  void begin_run(std::int64_t thread, Event*& run, Event* out) {
    end_run(run, out);
    run = out;
    thread_ = thread;
    known_ = true;
    slot_ = batch_.thread_slot(id_of(thread));
    follower_.turn_to(static_cast<base::Id>(thread));
  }
  void end_run(const Event* run, const Event* out) {
    if (out - run >= kLeastSpan) batch_.events.grew_by_calls(out, run_kinds_);
    else batch_.events.grew_to(out);
    entries_ += run_kinds_[0];
    exits_ += run_kinds_[1];
    run_kinds_ = {};
  }

  void count(std::size_t taken) {
    auto& records = batch_.tally.records;
    auto& entries = records[find_message(Entry::kId)->record];
    auto& exits = records[find_message(Exit::kId)->record];
    entries.count += entries_;
    entries.bytes += entries_ * kEntryBytes;
    exits.count += exits_;
    exits.bytes += taken - entries_ * kEntryBytes;
    batch_.tally.frames += entries_ + exits_;
  }

  StreamState& state_;
  event::Batch& batch_;
  CallFollower& follower_;
  std::int64_t thread_ = 0;
  bool known_ = false;
  std::uint16_t slot_ = 0;
  std::array<std::uint32_t, 3> run_kinds_{};  // of the run: Enter, Leave, Unwind
  std::uint64_t entries_ = 0;
  std::uint64_t exits_ = 0;
};

template <ByteOrder order>
std::size_t pass_calls(base::Bytes rest, StreamState& state, std::uint64_t& frames) {
  constexpr std::size_t kEntryTime = kMessageHeaderBytes + kEntryPlaces.at[Entry::time];
  constexpr std::size_t kExitTime = kMessageHeaderBytes + kExitPlaces.at[Exit::time];
  std::size_t at = 0;
  while (rest.size() - at >= kCallBytes) {
    const std::byte* message = rest.data() + at;
    const PlainCall call = plain_call<order>(message);
    if (call == PlainCall::none) break;
    const bool entry = call == PlainCall::entry;
    const auto time = load_as<std::int64_t, order>(message + (entry ? kEntryTime : kExitTime));
    if (time != 0) state.now = time;
    at += entry ? kEntryBytes : kExitBytes;
    ++frames;
  }
  return at;
}

}  // namespace

std::size_t decode_plain_calls(base::Bytes rest, StreamState& state, event::Batch& batch,
                               CallFollower& follower) {
  if (state.order == ByteOrder::little)
    return Calls<ByteOrder::little>(state, batch, follower).decode(rest);
  return Calls<ByteOrder::big>(state, batch, follower).decode(rest);
}

std::size_t pass_plain_calls(base::Bytes rest, StreamState& state, std::uint64_t& frames) {
  if (state.order == ByteOrder::little) return pass_calls<ByteOrder::little>(rest, state, frames);
  return pass_calls<ByteOrder::big>(rest, state, frames);
}

}  // namespace polytrace::format::tptp
