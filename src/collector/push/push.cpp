// SPDX-License-Identifier: Apache-2.0
#include "collector/push/push.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/codes.hpp"
#include "base/io/content_hash.hpp"
#include "collector/aggregate/aggregator.hpp"

namespace polytrace::collector {
namespace {

constexpr Time kAhead = 600 * kSecond;

std::uint32_t seconds(Time wall) {
  return static_cast<std::uint32_t>(std::clamp<Time>(wall / kSecond, 0, ~std::uint32_t{0}));
}

// The trace by all that is in it, whatever its name.
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
  base::ContentHash content;
  const auto added = content.add_file(descriptor, 0, fault ? 0 : id.bytes);
  ::close(descriptor);
  if (!added) return base::Unexpected(added.error());
  const base::Digest digest = content.digest();
  static_assert(sizeof id.digest == sizeof digest);
  std::memcpy(id.digest.data(), &digest, sizeof id.digest);
  std::memcpy(&id.stream, id.digest.data(), sizeof id.stream);
  return id;
}

// Stops a pass whose rows the store does not take.
class PushConsumer final : public event::Consumer {
 public:
  PushConsumer(Aggregator& aggregator, const PushTarget& target)
      : aggregator_(aggregator), target_(target) {}
  bool consume(const event::Batch& batch) override {
    return aggregator_.consume(batch) && !target_.error();
  }

 private:
  Aggregator& aggregator_;
  const PushTarget& target_;
};

// A trace that tells no process is a service by its file's name.
LabelList with_name(const service::Input& input, const PushOptions& options) {
  LabelList labels = options.labels;
  labels.insert(labels.begin(), {"file", std::filesystem::path(input.name()).filename().string()});
  return labels;
}

warehouse::Trace trace_row(const Pushed& pushed, const TraceId& id, const std::string& file,
                           const std::string& place) {
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
  row.place = place.empty() ? "file:" + std::filesystem::absolute(file, fault).string() : place;
  row.digest = id.digest;
  row.version = 1;
  return row;
}

}  // namespace

service::Asked<Pushed> push(const service::Input& input, PushTarget& target,
                            const PushOptions& options) {
  const auto id = identify(input.name());
  if (!id) return service::refuse(id.error(), input.name());
  auto opened = input.open_trace();
  if (!opened) return service::refuse(opened.error(), input.name());
  AggregatorOptions how;
  how.labels = with_name(input, options);
  how.stream = id->stream;
  how.starts = options.starts;
  how.accepted = {options.oldest, options.now + kAhead};
  std::optional<Aggregator> aggregator;
  bool has_begun = false;
  const auto take = [&](Rows&& rows) {
    if (!has_begun) target.begin(aggregator->ids(), aggregator->labels());
    has_begun = true;
    target.take(std::move(rows));
  };
  aggregator.emplace(how, take);
  PushConsumer consumer(*aggregator, target);
  Pushed pushed;
  pushed.reading.passed = service::pass(input, *opened->reader, consumer);
  pushed.reading.origin = service::origin_of(input, *opened);
  if (!target.error()) aggregator->finish();
  pushed.reading.passed.add_limits(aggregator->limits());
  pushed.repairs = aggregator->repairs();
  pushed.labels = aggregator->labels();
  pushed.ids = aggregator->ids();
  pushed.first = aggregator->first_wall();
  pushed.last = aggregator->last_wall();
  pushed.events = aggregator->events();
  pushed.refused = aggregator->refused();
  pushed.refused_time = aggregator->refused_time();
  if (has_begun) {
    Rows last;
    warehouse::Trace row = trace_row(pushed, *id, input.name(), options.place);
    row.lost = aggregator->lost();
    last.of<warehouse::Trace>().push_back(std::move(row));
    target.take(std::move(last));
    target.finish();
  }
  pushed.take(target.take_delivered());
  if (target.error())
    return tl::unexpected(service::Refusal{*target.error(), {}, pushed.reading.passed});
  if (!aggregator->has_clock())
    return service::refuse(
        base::Error{
            base::Code::usage, {}, "the trace tells no wall clock: say with --at when it began"},
        input.name());
  return pushed;
}

service::Asked<std::vector<Pushed>> push_any(const service::Input& input, PushTarget& target,
                                             const PushOptions& options) {
  const auto found = input.recognise();
  const bool is_trace = found || found.error().code != base::Code::not_recognised;
  if (options.foreign || !is_trace) return push_foreign(input, target, options);
  auto pushed = push(input, target, options);
  if (!pushed) return tl::unexpected(std::move(pushed.error()));
  std::vector<Pushed> all;
  all.push_back(std::move(*pushed));
  return all;
}

void Pushed::take(Delivered delivered) {
  rows = delivered.rows;
  retries = delivered.retries;
  messages = delivered.messages;
  before = delivered.before;
  for (base::Notice& notice : delivered.notices.sorted())
    reading.passed.notices.push_back(std::move(notice));
}

}  // namespace polytrace::collector
