// SPDX-License-Identifier: Apache-2.0
#include "service/ask/events.hpp"

#include <fmt/format.h>

#include <bitset>

#include "base/codes.hpp"
#include "event/merge.hpp"
#include "event/text/text.hpp"
#include "service/json/parts.hpp"
#include "service/selection/name_filter.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

using event::Batch;
using event::Event;

using Kinds = std::bitset<event::kKindCount>;

// Which events to print.
struct Choice {
  slice::Selection selection;
  Kinds kinds;
  const NameFilter* name = nullptr;

  bool takes(const Batch& batch, const Event& event) const {
    return selection.has(event.time) && kinds.test(static_cast<std::size_t>(event.kind)) &&
           is_of_thread(batch, event) && (name == nullptr || name->fits(batch, event));
  }

 private:
  // Samples are of the thread that they caught, whichever stream carries them.
  bool is_of_thread(const Batch& batch, const Event& event) const {
    return selection.threads.has(batch.thread(event)) ||
           (event.kind == event::Kind::Sample && selection.threads.has(event.id));
  }
};

class LinePrinter final : public event::Consumer {
 public:
  LinePrinter(const EventLines& lines, const Choice& choice, const EventsQuestion& question)
      : lines_(lines),
        choice_(choice),
        question_(question),
        json_(lines.text, base::JsonWriter::Form::one_line) {}

  bool consume(const Batch& batch) override {
    if (by_time()) return whole_ = merge_.add(batch);
    for (const Event& event : batch.events) {
      if (!show(batch, event)) return false;
    }
    return lines_.drain();
  }
  // What was held back to be ordered. False when not everything could be held.
  bool finish() {
    constexpr std::size_t kMuch = std::size_t{256} * 1024;
    if (by_time())
      merge_.emit([this](const Batch& batch, const Event& event) {
        if (show(batch, event) && lines_.text.size() >= kMuch) lines_.drain();
      });
    return whole_;
  }
  std::uint64_t printed() const { return printed_; }

 private:
  bool by_time() const { return question_.order == EventsQuestion::Order::time; }
  bool show(const Batch& batch, const Event& event) {
    if (question_.limit != 0 && printed_ == question_.limit) return false;
    if (!choice_.takes(batch, event)) return true;
    if (skipped_ < question_.skip) {
      ++skipped_;
      return true;
    }
    ++printed_;
    if (question_.form == EventsQuestion::Form::json_lines) write_event(json_, batch, event);
    else event::append_text(lines_.text, batch, event);
    lines_.text += '\n';
    return true;
  }

  const EventLines& lines_;
  const Choice& choice_;
  const EventsQuestion& question_;
  base::JsonWriter json_;
  event::TimeMerge merge_;
  std::uint64_t skipped_ = 0;
  std::uint64_t printed_ = 0;
  bool whole_ = true;
};

base::result<Kinds> parse_kinds(std::string_view list) {
  Kinds kinds;
  if (list.empty()) return kinds.set();
  std::vector<std::string> known;
  for (std::size_t i = 0; i < event::kKindCount; ++i)
    known.emplace_back(event::describe(static_cast<event::Kind>(i)).name);
  for (const std::string_view word : listed(list)) {
    const event::KindInfo* kind = event::find_kind(word);
    if (kind == nullptr)
      return base::fail(base::Code::usage,
                        fmt::format("no kind of event \"{}\"{}", word, did_you_mean(word, known)));
    kinds.set(static_cast<std::size_t>(kind->kind));
  }
  return kinds;
}

// `name` is filled by a pass of its own, if a name was told.
base::result<void> choose(Input& input, const EventsQuestion& question, Choice& choice,
                          NameFilter& name) {
  const auto kinds = parse_kinds(question.kinds);
  if (!kinds) return base::Unexpected(kinds.error());
  choice.kinds = *kinds;
  const bool by_name = !question.selection.name.empty();
  const bool by_time = question.order == EventsQuestion::Order::time;
  if (by_name || (by_time && input.options().follow)) {
    if (auto ready = input.prepare_passes(); !ready) return ready;
  }
  if (question.chosen) {
    choice.selection = *question.chosen;
    return {};
  }
  auto selection = make_selection(input, question.selection);
  if (!selection) return base::Unexpected(selection.error());
  choice.selection = std::move(*selection);
  if (!by_name) return {};
  auto opened = input.open();
  if (!opened) return base::Unexpected(opened.error());
  pass(input, *opened->reader, name);
  choice.name = &name;
  return {};
}

}  // namespace

Asked<EventsAnswer> ask_events(Input& input, const EventsQuestion& question,
                               const EventLines& lines) {
  Choice choice;
  auto names = choose_names(question.selection);
  if (!names) return refuse(names.error());
  NameFilter name(std::move(*names));
  if (auto ready = choose(input, question, choice, name); !ready)
    return refuse(ready.error(), input.name());
  auto opened = input.open();
  if (!opened) return refuse(opened.error(), input.name());
  LinePrinter printer(lines, choice, question);
  EventsAnswer answer;
  answer.reading.passed = pass(input, *opened->reader, printer);
  answer.reading.origin = origin_of(input, *opened);
  answer.whole = printer.finish();
  answer.printed = printer.printed();
  return answer;
}

}  // namespace polytrace::service
