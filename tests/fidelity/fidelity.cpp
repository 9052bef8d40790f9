// SPDX-License-Identifier: Apache-2.0
// Prints docs/fidelity.md: for each ordered pair of formats and each kind of event what becomes of
// it. Found by doing it: random events of a kind are written in the source's format and read again
// - that is what such a trace can say - then written in the target's format, which tells its loss.
#include <fmt/format.h>

#include <set>

#include "event/copy.hpp"
#include "format/format.hpp"
#include "support/random.hpp"

namespace {

using namespace polytrace;
using event::Kind;
using format::Format;

constexpr int kEvents = 300;  // of each kind

constexpr std::string_view kHead =
    "# Fidelity\n\n"
    "What becomes of each kind of event when a trace is converted from one format into another,\n"
    "both in the version that is written by default. A kind that a format cannot say has no "
    "row.\n\n"
    "| Word | Meaning |\n|--|--|\n"
    "| kept | every event comes over with all that it says |\n"
    "| dropped | the target cannot hold such an event |\n"
    "| without ... | the event comes over, but for these fields where they are told. A name with a "
    "dot is a part of a field; `time` and `stream` are the event's own time and thread; `kind` "
    "means "
    "that it becomes an event of a kindred kind |\n"
    "| partly | some of these events come over, others do not |\n\n"
    "`polytrace convert` tells the same for the trace at hand, with counts. Within a family (TBF "
    "and\n"
    "TPTP XML) records become records, which keeps more than this table says: see\n"
    "[tbf](formats/tbf.md).\n";

struct Outcome {
  std::uint64_t told = 0;
  std::uint64_t lost = 0;
  std::set<std::string> fields;
};

// Exits with a message: nothing of this fails.
template <class T>
T must(base::result<T> value) {
  if (value) return std::move(*value);
  fmt::print(stderr, "{}\n", base::to_text(value.error()));
  std::exit(1);
}

// A clock says what the times of other events mean: there has to be one, which all formats hold. A
// time of 0 is none to some.
void add_company(Kind kind, event::Batch& batch) {
  if (kind != Kind::Clock) return;
  event::Thread thread;
  thread.life = event::Life::begin;
  thread.name = "main";
  const base::Time time = std::max<base::Time>(1, batch.events[batch.events.size() - 1].time);
  batch.add(time, batch.thread_slot(1), 1, thread);
}

event::Loss write(const Format& format, const event::Batch& batch, std::vector<std::byte>& bytes) {
  const auto writer = must(format.create(base::memory_sink(bytes), {}));
  if (!writer->write(batch) || !writer->finish()) std::exit(1);
  return writer->loss();
}

// What a trace in this format can say with events of this kind, one for each that it can hold.
void told(const Format& format, Kind kind, event::Batch& all) {
  test::RandomEvents random(static_cast<event::u64>(kind), {.any_bytes = false});
  event::Batch one, read;
  for (int i = 0; i < kEvents; ++i) {
    one.clear();
    random.add(one, kind);
    add_company(kind, one);
    std::vector<std::byte> bytes;
    write(format, one, bytes);
    const auto reader = must(format.open(base::memory_source(std::move(bytes)), {}));
    while (must(reader->next(read))) {
      for (const event::Event& event : read.events) {
        if (event.kind == kind) event::copy_event(read, event, all);
      }
    }
  }
}

void add_loss(const Format& target, const event::Batch& events, Kind kind, Outcome& outcome) {
  std::vector<std::byte> bytes;
  const event::Loss loss = write(target, events, bytes);
  outcome.lost += loss.events[static_cast<std::size_t>(kind)];
  const std::string prefix = fmt::format("{}.", event::describe(kind).name);
  for (const auto& [name, count] : loss.fields) {
    if (name.starts_with(prefix)) outcome.fields.insert(name.substr(prefix.size()));
    else if (kind != Kind::Clock) outcome.fields.insert(name);
  }
}

Outcome outcome(const event::Batch& events, const Format& target, Kind kind) {
  Outcome result{events.events.size(), 0, {}};
  if (kind != Kind::Clock) return add_loss(target, events, kind, result), result;
  event::Batch one;  // a trace has one clock
  for (const event::Event& event : events.events) {
    one.clear();
    event::copy_event(events, event, one);
    add_company(kind, one);
    add_loss(target, one, kind, result);
  }
  return result;
}

std::string text_of(const Outcome& outcome) {
  if (outcome.lost == outcome.told) return "dropped";
  std::string text = outcome.lost == 0 ? "" : "partly";
  for (const std::string& field : outcome.fields)
    text += fmt::format("{}`{}`",
                        &field != &*outcome.fields.begin() ? ", "
                        : text.empty()                     ? "without "
                                                           : ", without ",
                        field);
  return text.empty() ? "kept" : text;
}

void print_source(const Format& source) {
  std::string head = "| |";
  std::string rule = "|--|";
  for (const Format* target : format::formats()) {
    if (target == &source || target->create == nullptr) continue;
    head += fmt::format(" to `{}` |", target->name);
    rule += "--|";
  }
  fmt::print("\n## From `{}`\n\n{}\n{}\n", source.name, head, rule);
  for (std::size_t i = 0; i < event::kKindCount; ++i) {
    const auto kind = static_cast<Kind>(i);
    event::Batch events;
    if (source.holds(kind, source.write_versions[0])) told(source, kind, events);
    if (events.events.empty()) continue;
    std::string row = fmt::format("| `{}` |", event::describe(kind).name);
    for (const Format* target : format::formats()) {
      if (target == &source || target->create == nullptr) continue;
      row += fmt::format(" {} |", text_of(outcome(events, *target, kind)));
    }
    fmt::print("{}\n", row);
  }
}

}  // namespace

int main() {
  fmt::print("{}", kHead);
  for (const Format* source : format::formats()) {
    if (source->create != nullptr) print_source(*source);
  }
  return 0;
}
