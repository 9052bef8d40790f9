// SPDX-License-Identifier: Apache-2.0
#include "collector/objects/pin_sender.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/io/sink.hpp"
#include "collector/aggregate/windows.hpp"
#include "collector/live/piece.hpp"
#include "format/format.hpp"
#include "warehouse/ids.hpp"

namespace polytrace::collector {
namespace {

using base::Code;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1000};
constexpr milliseconds kLongestPause{60'000};

// What a trace says of itself.
struct TraceFacts {
  std::int64_t first = 0, last = 0;  // wall times of what happens in it, nanoseconds; 0: nothing
  std::uint64_t events = 0, lost = 0;
};

bool happens_in(const event::Event& event) {
  const event::Role role = event::role_of(event.kind);
  return role == event::Role::call || role == event::Role::moment;
}

TraceFacts facts_of(base::Bytes trace) {
  TraceFacts facts;
  auto opened = format::open(base::memory_source({trace.begin(), trace.end()}));
  if (!opened) return facts;
  std::uint64_t zero = 0;  // modulo 2^64
  bool has_clock = false;
  base::Time first = INT64_MAX, last = INT64_MIN;
  event::Batch batch;
  while (opened->reader->next(batch).value_or(false))
    for (const event::Event& event : batch.events) {
      if (event.kind == event::Kind::Clock && !has_clock) {
        const auto clock = batch.details_or<event::Clock>(event, {});
        has_clock = clock.wall > 0;
        zero = static_cast<std::uint64_t>(clock.wall) - static_cast<std::uint64_t>(event.time);
      }
      if (event.kind == event::Kind::Lost)
        facts.lost += batch.details_or<event::Lost>(event, {}).records;
      if (!happens_in(event)) continue;
      ++facts.events;
      first = std::min(first, event.time);
      last = std::max(last, event.time);
    }
  if (!has_clock || facts.events == 0) return facts;
  facts.first = static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + zero);
  facts.last = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) + zero);
  return facts;
}

warehouse::Trace row_of(const Pin& pin, base::Bytes trace) {
  const TraceFacts facts = facts_of(trace);
  warehouse::Trace row;
  row.series = pin.series;
  row.stream = pin.stream;
  row.t = static_cast<std::uint32_t>(pin.window / kSecond);
  row.first_ns = facts.first == 0 ? pin.from : facts.first;
  row.last_ns = facts.last == 0 ? pin.to : facts.last;
  row.events = facts.events;
  row.bytes = trace.size();
  row.lost = facts.lost;
  row.why = pin.why();
  row.digest = warehouse::digest_of(trace);
  row.version = 1;
  return row;
}

base::result<std::vector<std::byte>> packed_trace(base::Bytes bytes) {
  std::vector<std::byte> packed;
  const auto sink = base::zstd_sink(base::memory_sink(packed));
  auto done = sink->write(bytes);
  if (done) done = sink->commit();
  if (!done) return base::Unexpected(done.error());
  return packed;
}

}  // namespace

base::result<std::unique_ptr<PinSender>> PinSender::open(Options options, Hands hands) {
  std::unique_ptr<warehouse::Objects> objects;
  std::unique_ptr<PinSender> sender(new PinSender(std::move(options), std::move(hands), nullptr));
  if (!sender->options_.objects.to.empty()) {
    sender->options_.objects.stop = &sender->stopping_;
    auto opened = warehouse::Objects::open(sender->options_.objects);
    if (!opened) return base::Unexpected(opened.error());
    sender->objects_ = std::move(*opened);
  }
  sender->thread_ = std::thread([own = sender.get()] { own->run(); });
  return sender;
}

PinSender::PinSender(Options options, Hands hands, std::unique_ptr<warehouse::Objects> objects)
    : options_(std::move(options)), hands_(std::move(hands)), objects_(std::move(objects)) {}

void PinSender::add(Pin pin) {
  const std::scoped_lock lock(mutex_);
  pins_.push_back(std::move(pin));
  come_.notify_one();
}

void PinSender::add(warehouse::Trace row, std::string database) {
  const std::scoped_lock lock(mutex_);
  rows_.push_back({std::move(row), std::move(database)});
  come_.notify_one();
}

void PinSender::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    come_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

std::uint64_t PinSender::waiting() const {
  const std::scoped_lock lock(mutex_);
  return pins_.size();
}

// One that fails goes behind the others: it may be the only one that does.
void PinSender::run() {
  milliseconds pause{0};
  for (;;) {
    Pin pin;
    bool has_pin = false;
    {
      std::unique_lock lock(mutex_);
      if (pause.count() != 0) come_.wait_for(lock, pause, [&] { return stopping_.load(); });
      else come_.wait(lock, [&] { return stopping_ || !pins_.empty() || !rows_.empty(); });
      if (stopping_) return;
      if (!pins_.empty()) pin = pins_.front(), has_pin = true;
    }
    bool works = send_rows();
    if (has_pin) works = try_one(pin) && works;
    pause = works ? milliseconds{0} : std::clamp(pause * 2, kFirstPause, kLongestPause);
  }
}

bool PinSender::send_rows() {
  for (;;) {
    Row one;
    {
      const std::scoped_lock lock(mutex_);
      if (rows_.empty()) return true;
      one = rows_.front();
    }
    if (!tell_store(std::move(one.row), one.database)) return false;
    const std::scoped_lock lock(mutex_);
    rows_.pop_front();
  }
}

bool PinSender::try_one(Pin& pin) {
  const auto sent = send(pin);
  {
    const std::scoped_lock lock(mutex_);
    pins_.pop_front();
    pin.is_told = true;
    if (!sent) pins_.push_back(pin);
  }
  if (sent) {
    if (std::exchange(fails_, false)) hands_.tell(false, 0, "raw traces are written again");
    pin.state = Pin::State::kept;
    pin.is_away = objects_ != nullptr;
    hands_.done(std::move(pin));
    return true;
  }
  if (stopping_) return false;
  ++retried_;
  if (!std::exchange(fails_, true))
    hands_.tell(true, pin.stream,
                fmt::format("raw traces wait here: {}", base::to_text(sent.error())));
  return false;
}

base::result<void> PinSender::send(const Pin& pin) { return send_part(pin, pin.first, pin.last); }

// In halves, where it is too much at once.
base::result<void> PinSender::send_part(const Pin& pin, std::uint64_t first, std::uint64_t last) {
  const auto piece = last - first < kMostPieceBlocks
                         ? read_piece({options_.folder, pin.stream, first, last})
                         : base::fail(Code::limit_exceeded);
  if (!piece && piece.error().code == Code::limit_exceeded && first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    if (auto done = send_part(pin, first, middle); !done) return done;
    return send_part(pin, middle + 1, last);
  }
  if (!piece) {
    // It would be the same again.
    hands_.tell(true, pin.stream,
                fmt::format("{}: blocks {} to {} are not kept: {}", pin.why(), first, last,
                            piece.error().detail));
    return {};
  }
  warehouse::Trace row = row_of(pin, piece->trace);
  row.first_block = first;
  row.last_block = last;
  row.place = "edge:" + options_.edge;
  if (!objects_ || !pin.is_told)
    if (auto told = tell_store(row, pin.database); !told) return told;
  if (!objects_) return {};
  auto packed = packed_trace(piece->trace);
  if (!packed) return base::Unexpected(packed.error());
  row.place = warehouse::object_name(
      {pin.tenant, std::int64_t{row.t}, pin.service, pin.stream, first, last});
  row.version = 2;
  if (auto put = objects_->put(row.place, *packed); !put) return put;
  ++written_;
  return tell_store(row, pin.database);
}

base::result<void> PinSender::tell_store(warehouse::Trace row, const std::string& database) const {
  Rows rows;
  rows.of<warehouse::Trace>().push_back(std::move(row));
  return hands_.rows(std::move(rows), database);
}

}  // namespace polytrace::collector
