// SPDX-License-Identifier: Apache-2.0
#include "collector/live/saved_state.hpp"

#include "base/io/appender.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::collector {
namespace {

constexpr std::uint8_t kVersion = 3;
constexpr std::uint8_t kWithoutFirstGen = 2;  // as older programs wrote it
enum class Stage : std::uint8_t { going_on, ended };

// Both directions of one layout: `io` takes or gives numbers, and lists with their sizes.
struct Out {
  base::Appender bytes{};

  void number(const auto& value) { bytes.sleb(static_cast<std::int64_t>(value)); }
  template <class List, class Item>
  void list(const List& list, const Item& item) {
    bytes.uleb(list.size());
    for (const auto& one : list) item(one);
  }
};

struct In {
  base::Cursor bytes;

  template <class T>
  void number(T& value) {
    value = static_cast<T>(bytes.sleb());
  }
  template <class List, class Item>
  void list(List& list, const Item& item) {
    const std::uint64_t count = bytes.uleb();
    if (!bytes.fits(count, 1)) return;
    for (std::uint64_t i = 0; i < count && bytes.ok(); ++i) {
      typename List::value_type one{};
      item(one);
      list.insert(list.end(), std::move(one));
    }
  }
};

template <class Io, class Thread>
void lay_out_thread(Io& io, Thread& thread) {
  io.number(thread.id);
  io.list(thread.calls, [&](auto& call) {
    io.number(call.method);
    io.number(call.start);
    io.number(call.ticket);
  });
  io.number(thread.last);
  io.number(thread.told);
  io.number(thread.debt);
  io.number(thread.waits);
  io.number(thread.lock_class);
  io.list(thread.lock_stack, [&](auto& method) { io.number(method); });
  io.number(thread.stopped);
  io.number(thread.collects);
  io.number(thread.collections);
}

template <class Io, class State>
void lay_out(Io& io, State& state) {
  io.list(state.threads, [&](auto& thread) { lay_out_thread(io, thread); });
  io.number(state.latest);
  io.number(state.first_wall);
  io.number(state.last_wall);
  io.number(state.tells_stops);
  io.number(state.tells_cpu);
  const auto number = [&](auto& one) { io.number(one); };
  io.list(state.windows, number);
  io.list(state.minutes, number);
}

using Times = std::map<std::int64_t, std::uint8_t>;

void put_times(Out& out, const Times& times) {
  out.list(times, [&](const auto& one) {
    out.number(one.first);
    out.number(one.second);
  });
}

void get_times(In& in, Times& times) {
  const std::uint64_t count = in.bytes.uleb();
  for (std::uint64_t i = 0; i < count && in.bytes.ok(); ++i) {
    std::int64_t number = 0;
    in.number(number);
    in.number(times[number]);
  }
}

std::vector<std::byte> bytes_of(const Out& out) {
  return {out.bytes.view().begin(), out.bytes.view().end()};
}

}  // namespace

std::vector<std::byte> state_bytes(const GoingOn& going_on) {
  Out out;
  out.bytes.byte(kVersion);
  out.bytes.byte(static_cast<std::uint8_t>(Stage::going_on));
  out.number(*going_on.clock);
  lay_out(out, going_on);
  put_times(out, going_on.closed);
  put_times(out, going_on.ended);
  out.number(going_on.first_gen);
  return bytes_of(out);
}

std::vector<std::byte> ended_bytes() {
  Out out;
  out.bytes.byte(kVersion);
  out.bytes.byte(static_cast<std::uint8_t>(Stage::ended));
  return bytes_of(out);
}

std::optional<SavedState> read_state_bytes(base::Bytes bytes) {
  In in{base::Cursor(bytes, 0)};
  const std::uint8_t version = in.bytes.byte();
  if (version != kVersion && version != kWithoutFirstGen) return std::nullopt;
  SavedState saved;
  saved.ended = in.bytes.byte() == static_cast<std::uint8_t>(Stage::ended);
  if (saved.ended) return saved;
  in.number(saved.going_on.clock.emplace());
  lay_out(in, saved.going_on);
  get_times(in, saved.going_on.closed);
  get_times(in, saved.going_on.ended);
  if (version == kVersion) in.number(saved.going_on.first_gen);
  if (!in.bytes.ok() || !in.bytes.done()) return std::nullopt;
  return saved;
}

}  // namespace polytrace::collector
