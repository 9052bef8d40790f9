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
  Calls(StreamState& state, event::Batch& batch) : state_(state), batch_(batch) {}

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
        fill<Kind::Enter, kEntryPlaces, Entry>(payload, *out++);
        at += kEntryBytes;
      } else {
        begin_call<kExitPlaces, Exit>(payload, run, out);
        out->detail = static_cast<std::uint32_t>(leaves.size());
        leaves.push_back(leave(payload));
        fill<Kind::Leave, kExitPlaces, Exit>(payload, *out++);
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

  template <Kind kind, const auto& places, class Field>
  void fill(const std::byte* payload, Event& event) {
    event.time = state_.now;
    const std::int64_t method = number(payload, places.at[Field::method_id_ref]);
    event.id = kind == Kind::Enter ? static_cast<base::Id>(method) : id_of(method);
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
    if (thread == thread_ && known_ && !back) return;
    end_run(run, out);
    run = out;
    thread_ = thread;
    known_ = true;
    slot_ = batch_.thread_slot(id_of(thread));
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
  std::int64_t thread_ = 0;
  bool known_ = false;
  std::uint16_t slot_ = 0;
  std::array<std::uint32_t, 3> run_kinds_{};  // of the run: Enter, Leave, Unwind
  std::uint64_t entries_ = 0;
  std::uint64_t exits_ = 0;
};

}  // namespace

std::size_t decode_plain_calls(base::Bytes rest, StreamState& state, event::Batch& batch) {
  if (state.order == ByteOrder::little) return Calls<ByteOrder::little>(state, batch).decode(rest);
  return Calls<ByteOrder::big>(state, batch).decode(rest);
}

}  // namespace polytrace::format::tptp
