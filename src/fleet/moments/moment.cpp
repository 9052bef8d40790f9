// SPDX-License-Identifier: Apache-2.0
#include "fleet/moments/moment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "fleet/frames.hpp"
#include "format/format.hpp"
#include "warehouse/ids.hpp"

namespace polytrace::fleet {
namespace {

constexpr std::size_t kStreamDigits = 16;
constexpr std::int64_t kMomentSecond = 1'000'000'000;
constexpr std::uint8_t kBurst = 4;  // of no thread
constexpr std::uint8_t kLoss = 5;   // it began when nothing was recorded

template <class T>
bool read_number(std::string_view text, T& number, int base) {
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, base);
  return !text.empty() && read.ec == std::errc() && read.ptr == end;
}

// As the collector reckons: modulo 2^64, whatever a trace tells.
base::Time difference(base::Time a, base::Time b) {
  return static_cast<base::Time>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

bool happens(const event::Event& event) {
  const event::Role role = event::role_of(event.kind);
  return role == event::Role::call || role == event::Role::moment;
}

}  // namespace

std::string moment_kind(std::uint8_t number) {
  if (number == 0 || number > kMomentKinds.size()) return fmt::format("{}", number);
  return std::string(kMomentKinds[number - 1]);
}

std::string to_text(const MomentName& name) {
  return fmt::format("{:016x}-{}-{}", name.stream, name.block, name.at);
}

base::result<MomentName> parse_moment(std::string_view text) {
  MomentName name;
  const auto block = text.find('-');
  const auto at = block == text.npos ? text.npos : text.find('-', block + 1);
  if (block == kStreamDigits && at != text.npos &&
      read_number(text.substr(0, block), name.stream, 16) &&
      read_number(text.substr(block + 1, at - block - 1), name.block, 10) &&
      read_number(text.substr(at + 1), name.at, 10))
    return name;
  return base::fail(base::Code::usage,
                    fmt::format("\"{}\" is no moment; polytrace fleet moments lists them", text));
}

base::result<Moment> find_moment(Store& store, const MomentName& name) {
  // Rows are by the window where it ended: later than its beginning.
  const auto rows = store.rows<std::uint64_t, std::uint8_t, std::int64_t, std::uint64_t,
                               std::uint64_t, std::string, std::string, std::string>(fmt::format(
      "SELECT series, kind, took, thread, subject, service_name, host, instance FROM (SELECT "
      "series, kind, took, thread, subject FROM {0} WHERE stream = {1} AND block = {2} AND at "
      "= {3} AND t >= {4} ORDER BY took DESC, kind LIMIT 1) AS m ANY LEFT JOIN (SELECT series, "
      "service_name, host, instance FROM {5}) AS s USING series",
      store.name_of("moments"), name.stream, name.block, name.at,
      std::max<std::int64_t>(name.at / kMomentSecond - 10, 0), store.name_of("series")));
  if (!rows) return base::Unexpected(rows.error());
  if (rows->empty())
    return base::fail(base::Code::usage,
                      fmt::format("{} has no moment {}; polytrace fleet moments lists them",
                                  store.name(), to_text(name)));
  const auto& [series, kind, took, thread, subject, service, host, instance] = rows->front();
  Moment moment{name,    series, kind,    static_cast<std::uint64_t>(took), thread, {},
                service, host,   instance};
  if (subject == 0) return moment;
  Frames frames(store);
  const std::uint64_t ids[] = {subject};
  if (auto loaded = frames.load_frames(ids); !loaded) return base::Unexpected(loaded.error());
  moment.subject = frames.name(subject);
  return moment;
}

base::result<Sighting> look_for(const Moment& moment, base::Bytes trace) {
  auto opened = format::open(base::memory_source({trace.begin(), trace.end()}));
  if (!opened) return base::Unexpected(opened.error());
  Sighting found;
  std::optional<base::Time> zero;
  base::Time first = 0, last = 0;
  event::Batch batch;
  for (;;) {
    const auto more = opened->reader->next(batch);
    if (!more) return base::Unexpected(more.error());
    if (!*more) break;
    for (const event::Event& event : batch.events) {
      if (event.kind == event::Kind::Clock && !zero) {
        const auto clock = batch.details_or<event::Clock>(event, {});
        if (clock.wall > 0) zero = difference(clock.wall, event.time);
      } else if (event.kind == event::Kind::Note && found.note.empty()) {
        found.note = batch.details_or<event::Note>(event, {}).text;
      }
      if (event.kind == event::Kind::Lost)
        found.lost += batch.details_or<event::Lost>(event, {}).records;
      if (!happens(event)) continue;
      first = ++found.events == 1 ? event.time : std::min(first, event.time);
      last = found.events == 1 ? event.time : std::max(last, event.time);
      if (zero && event.time == difference(moment.name.at, *zero) &&
          (moment.kind == kBurst || batch.thread(event) == moment.thread))
        found.begins = true;
    }
  }
  if (zero) found.at = difference(moment.name.at, *zero);
  if (zero && found.events != 0) found.first = first + *zero, found.last = last + *zero;
  found.begins = zero && (found.begins || moment.kind == kLoss);
  return found;
}

base::result<void> list_trace(Store& store, const Moment& moment, const Sighting& seen,
                              base::Bytes trace, const KeptTrace& kept) {
  warehouse::Trace row;
  row.series = moment.series;
  row.stream = moment.name.stream;
  row.first_block = kept.first_block;
  row.last_block = kept.last_block;
  row.t = static_cast<std::uint32_t>(std::max<std::int64_t>(seen.first / kMomentSecond, 0));
  row.first_ns = seen.first;
  row.last_ns = seen.last;
  row.events = seen.events;
  row.bytes = trace.size();
  row.lost = seen.lost;
  row.why = moment_kind(moment.kind) + " " + to_text(moment.name);
  row.place = "file:" + kept.file;
  row.digest = warehouse::digest_of(trace);
  row.version = 1;
  base::Appender out;
  warehouse::append_row(row, out);
  return store.link().insert(warehouse::Trace::kTable, warehouse::column_names<warehouse::Trace>(),
                             out.view());
}

}  // namespace polytrace::fleet
