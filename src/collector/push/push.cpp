// SPDX-License-Identifier: Apache-2.0
#include "collector/push/push.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/codes.hpp"
#include "base/frames/fingerprint.hpp"
#include "collector/aggregate/aggregator.hpp"

namespace polytrace::collector {
namespace {

constexpr Time kAhead = 600 * kSecond;
constexpr std::size_t kRowsAtOnce = 200'000;

std::uint32_t seconds(Time wall) {
  return static_cast<std::uint32_t>(std::clamp<Time>(wall / kSecond, 0, ~std::uint32_t{0}));
}

// The trace by what is in it, whatever its name.
struct TraceId {
  warehouse::Id128 digest{};
  std::uint64_t stream = 0;
  std::uint64_t bytes = 0;
};

base::result<TraceId> identify(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return base::system_fault(base::Code::open_failed);
  TraceId id;
  std::error_code fault;
  id.bytes = std::filesystem::file_size(file, fault);
  const auto print = base::fingerprint(descriptor, fault ? 0 : id.bytes);
  ::close(descriptor);
  if (!print) return base::Unexpected(print.error());
  static_assert(sizeof id.digest == sizeof *print);
  std::memcpy(id.digest.data(), &*print, sizeof id.digest);
  std::memcpy(&id.stream, id.digest.data(), sizeof id.stream);
  return id;
}

// Rows on their way, some hundred thousand at a time.
class Delivery {
 public:
  Delivery(warehouse::Link& link, const PushOptions& options, const service::Asking& asking)
      : link_(link), options_(options), stop_(asking.stop) {}

  void take(Rows&& rows, const SeriesIds& ids) {
    if (!sender_) begin(ids);
    waiting_.append(std::move(rows));
    if (waiting_.size() >= kRowsAtOnce) send();
  }
  // What waits, with the row of the trace itself.
  void finish(warehouse::Trace trace) {
    if (!sender_) return;
    waiting_.of<warehouse::Trace>().push_back(std::move(trace));
    send();
  }
  const std::optional<base::Error>& error() const { return error_; }
  std::uint64_t rows() const { return sender_ ? sender_->rows() : 0; }
  std::uint64_t retries() const { return sender_ ? sender_->retries() : 0; }
  unsigned before() const { return before_; }

 private:
  // A store that has some of it already must be told, so that nobody counts both.
  void begin(const SeriesIds& ids) {
    const std::string edge = fmt::format("push-{:016x}-{:016x}", ids.series, ids.stream);
    sender_.emplace(link_,
                    SenderOptions{.edge = edge, .tries = 5, .stop = stop_, .tell = options_.tell});
    const auto known =
        link_.ask(fmt::format("SELECT toUInt64(max(attempts)) FROM {}.batches WHERE edge = '{}'",
                              link_.database(), edge));
    if (!known) error_ = known.error();
    else if (known->size() == sizeof(std::uint64_t))
      before_ = static_cast<std::uint8_t>((*known)[0]);
  }
  void send() {
    for (const Block& block : blocks_of(waiting_)) {
      if (error_) break;
      const auto sent = sender_->send(block, number_++, seconds(options_.now), before_);
      if (!sent) error_ = sent.error();
    }
    waiting_ = {};
  }

  warehouse::Link& link_;
  const PushOptions& options_;
  const std::atomic<bool>* stop_;
  std::optional<Sender> sender_;
  std::optional<base::Error> error_;
  Rows waiting_;
  std::uint64_t number_ = 0;
  unsigned before_ = 0;
};

// Stops a pass whose rows the store does not take.
class PushConsumer final : public event::Consumer {
 public:
  PushConsumer(Aggregator& aggregator, const Delivery& delivery)
      : aggregator_(aggregator), delivery_(delivery) {}
  bool consume(const event::Batch& batch) override {
    return aggregator_.consume(batch) && !delivery_.error();
  }

 private:
  Aggregator& aggregator_;
  const Delivery& delivery_;
};

// A trace that tells no process is a service by its file's name.
LabelList with_name(const service::Input& input, const PushOptions& options) {
  LabelList labels = options.labels;
  labels.insert(labels.begin(), {"file", std::filesystem::path(input.name()).filename().string()});
  return labels;
}

warehouse::Trace trace_row(const Pushed& pushed, const TraceId& id, const std::string& file) {
  warehouse::Trace row;
  std::error_code fault;
  row.series = pushed.ids.series;
  row.stream = id.stream;
  row.t = seconds(pushed.first);
  row.first_ns = pushed.first;
  row.last_ns = pushed.last;
  row.events = pushed.events;
  row.bytes = id.bytes;
  row.why = "pushed";
  row.place = "file:" + std::filesystem::absolute(file, fault).string();
  row.digest = id.digest;
  row.version = 1;
  return row;
}

}  // namespace

service::Asked<Pushed> push(const service::Input& input, warehouse::Link& link,
                            const PushOptions& options) {
  const auto id = identify(input.name());
  if (!id) return service::refuse(id.error(), input.name());
  auto opened = input.open_trace();
  if (!opened) return service::refuse(opened.error(), input.name());
  Delivery delivery(link, options, input.asking());
  AggregatorOptions how;
  how.labels = with_name(input, options);
  how.stream = id->stream;
  how.starts = options.starts;
  how.accepted.newest = options.now + kAhead;
  std::optional<Aggregator> aggregator;
  aggregator.emplace(how, [&](Rows&& rows) { delivery.take(std::move(rows), aggregator->ids()); });
  PushConsumer consumer(*aggregator, delivery);
  Pushed pushed;
  pushed.reading.passed = service::pass(input, *opened->reader, consumer);
  pushed.reading.origin = service::origin_of(input, *opened);
  if (!delivery.error()) aggregator->finish();
  pushed.reading.passed.add_limits(aggregator->limits());
  pushed.repairs = aggregator->repairs();
  pushed.labels = aggregator->labels();
  pushed.ids = aggregator->ids();
  pushed.first = aggregator->first_wall();
  pushed.last = aggregator->last_wall();
  pushed.events = aggregator->events();
  pushed.refused = aggregator->refused();
  pushed.refused_time = aggregator->refused_time();
  warehouse::Trace row = trace_row(pushed, *id, input.name());
  row.lost = aggregator->lost();
  if (!delivery.error()) delivery.finish(std::move(row));
  pushed.rows = delivery.rows();
  pushed.retries = delivery.retries();
  pushed.before = delivery.before();
  if (delivery.error())
    return tl::unexpected(service::Refusal{*delivery.error(), {}, pushed.reading.passed});
  if (!aggregator->has_clock())
    return service::refuse(
        base::Error{
            base::Code::usage, {}, "the trace tells no wall clock: say with --at when it began"},
        input.name());
  return pushed;
}

}  // namespace polytrace::collector
