// SPDX-License-Identifier: Apache-2.0
#include "transform/resolve.hpp"

#include <algorithm>
#include <utility>

#include "event/choice/method_names.hpp"
#include "event/copy.hpp"
#include "event/visit.hpp"

namespace polytrace::transform {

using base::Id;
using event::Batch;
using event::Event;
using event::Kind;
using event::Life;

namespace {

class Resolver final : public event::Writer {
 public:
  Resolver(std::unique_ptr<event::Writer> to, std::shared_ptr<const Definitions> definitions)
      : to_(std::move(to)), definitions_(std::move(definitions)) {
    for (auto& lately : lately_) lately.fill(base::kNoId);
  }

  base::result<void> write(const Batch& batch) override {
    if (batch.threads.size() + 1 >= Batch::kMaxThreads || is_as_it_comes(batch))
      return to_->write(batch);
    out_.clear();
    out_.offset = batch.offset;
    for (const Event& event : batch.events) take(batch, event);
    if (definitions_->has_vtables()) replace_vtables();
    return to_->write(out_);
  }
  void leave_open() override { to_->leave_open(); }
  base::result<void> finish() override { return to_->finish(); }
  const event::Loss& loss() const override { return to_->loss(); }

 private:
  struct Known {
    bool early = false;      // told before its definition came
    std::uint32_t told = 0;  // how many things of the id
  };

  // Nothing but calls, of threads, methods and classes met before: most of what calls are.
  bool is_as_it_comes(const Batch& batch) {
    return std::ranges::all_of(batch.threads, [&](Id id) { return is_known(Kind::Thread, id); }) &&
           std::ranges::all_of(batch.events, [&](const Event& event) {
             return event::is_call(event.kind) && is_known_lately(Kind::Method, event.id) &&
                    is_of_known_class(batch, event);
           });
  }
  // REQUIRES: a call.
  bool is_of_known_class(const Batch& batch, const Event& event) {
    if (event.detail == event::kAbsent) return true;
    const Id type = event.kind == Kind::Enter   ? batch.details<event::Enter>(event).class_id
                    : event.kind == Kind::Leave ? batch.details<event::Leave>(event).class_id
                                                : batch.details<event::Unwind>(event).class_id;
    return type == base::kNoId ||
           (!definitions_->has_vtables() && is_known_lately(Kind::Class, type));
  }
  bool is_known(Kind kind, Id id) const {
    const auto& table = tables_[Lives::table_of(kind)];
    return id == base::kNoId || table.find(id) != table.end();
  }
  // Those asked for lately are found without the table.
  bool is_known_lately(Kind kind, Id id) {
    auto& ids = lately_[Lives::table_of(kind)];
    Id& lately = ids[(id ^ id >> 9) % ids.size()];
    if (lately == id) return true;
    if (!is_known(kind, id)) return false;
    lately = id;
    return true;
  }
  void take(const Batch& batch, const Event& event) {
    if (Lives::is_definition(batch, event)) return define(batch, event);
    lives_.note_end(batch, event);
    mention_all(batch, event);
    event::copy_event(batch, event, out_);
  }

  // Threads are told once, and then on which of the system's they run; all others as often as they
  // are.
  void define(const Batch& batch, const Event& event) {
    const std::uint32_t number = lives_.number(batch, event);
    Known& known = tables_[Lives::table_of(event.kind)][event.id];
    const bool again = number < known.told;
    if (again && event.kind == Kind::Thread) return tell_where(batch, event);
    if (again && std::exchange(known.early, false)) return;
    known.told = std::max(known.told, number + 1);
    mention_all(batch, event);
    const Event* whole = definitions_->find(event.kind, event.id, number);
    if (again || whole == nullptr) event::copy_event(batch, event, out_);
    else tell(*whole, event.time, batch.thread(event));
  }

  void tell_where(const Batch& batch, const Event& event) {
    const Id os_thread = batch.details_or<event::Thread>(event, {}).os_thread;
    if (os_thread == base::kNoId) return;
    if (std::exchange(os_threads_[event.id], os_thread) == os_thread) return;
    event::Thread where;
    where.life = Life::name;
    where.os_thread = os_thread;
    out_.add(event.time, out_.thread_slot(batch.thread(event)), event.id, where);
  }

  void tell(const Event& whole, base::Time time, Id thread) {
    event::copy_event(definitions_->batch(), whole, out_);
    Event& made = out_.events[out_.events.size() - 1];
    made.time = time;
    made.thread = out_.thread_slot(thread);
    if (made.kind == Kind::Thread)
      os_threads_[made.id] = out_.details_or<event::Thread>(made, {}).os_thread;
  }

  void mention(Kind kind, Id id, const Event& at, Id thread) {
    if (id == base::kNoId) return;
    auto& table = tables_[Lives::table_of(kind)];
    if (const auto known = table.find(id); known != table.end()) return;
    const Event* whole = definitions_->find(kind, id, 0);
    table[id] = {.early = whole != nullptr, .told = whole != nullptr ? 1U : 0U};
    if (whole == nullptr) return;
    if (kind == Kind::Method)
      mention(Kind::Class, definitions_->batch().details_or<event::Method>(*whole, {}).class_id, at,
              thread);
    tell(*whole, at.time, kind == Kind::Thread ? id : thread);
  }

  // What an event names.
  struct Mentions {
    Resolver& resolver;
    const Batch& batch;
    const Event& event;

    template <event::Tag tag, class T>
    void field(std::string_view name, const T& value) {
      if constexpr (tag == event::Tag::kId) {
        if (name == "class_id") resolver.mention_class(value, event, batch.thread(event));
        if (name == "method") resolver.mention(Kind::Method, value, event, batch.thread(event));
      } else if constexpr (tag == event::Tag::kStack) {
        for (const Id frame : batch.list(value))
          resolver.mention(Kind::Method, frame, event, batch.thread(event));
      }
    }
  };
  void mention_class(Id id, const Event& at, Id thread) {
    mention(Kind::Class, definitions_->class_of(id), at, thread);
  }
  void mention_all(const Batch& batch, const Event& event) {
    const Id thread = batch.thread(event);
    if (event.kind != Kind::Thread) mention(Kind::Thread, thread, event, thread);
    const std::string_view subject = event::describe(event.kind).subject;
    if (event.kind != Kind::Method && subject == "method")
      mention(Kind::Method, event.id, event, thread);
    if (event.kind != Kind::Class && subject == "class") mention_class(event.id, event, thread);
    if (event.detail == event::kAbsent) return;
    Mentions mentions{*this, batch, event};
    event::with_details(batch, event,
                        [&](const auto& details) { visit_fields(mentions, details); });
  }

  struct Replacing {
    const Definitions& definitions;
    template <event::Tag tag, class T>
    void field(std::string_view name, T& value) {
      if constexpr (tag == event::Tag::kId)
        if (name == "class_id") value = definitions.class_of(value);
    }
  };
  void replace_vtables() {
    for (Event& event : out_.events)
      if (event::describe(event.kind).subject == "class")
        event.id = definitions_->class_of(event.id);
    Replacing replacing{*definitions_};
#define KIND(Type, ...) \
  for (auto& details : out_.column<event::Type>()) visit_fields(replacing, details);
#include "event/kinds.def"
#undef KIND
  }

  std::unique_ptr<event::Writer> to_;
  std::shared_ptr<const Definitions> definitions_;
  Lives lives_;
  std::array<base::IdMap<Known>, Lives::kTables> tables_;
  base::IdMap<Id> os_threads_;  // by thread, as told last
  std::array<std::array<Id, 1024>, Lives::kTables> lately_;
  Batch out_;
};

class NamesApart final : public event::Writer {
 public:
  NamesApart(std::unique_ptr<event::Writer> to, std::shared_ptr<const Definitions> definitions)
      : to_(std::move(to)), definitions_(std::move(definitions)) {}

  base::result<void> write(const Batch& batch) override {
    if (std::ranges::all_of(batch.column<event::Method>(), is_whole) &&
        std::ranges::none_of(batch.column<event::Thread>(), begins_with_name))
      return to_->write(batch);
    out_.clear();
    out_.offset = batch.offset;
    for (const Event& event : batch.events) {
      event::copy_event(batch, event, out_);
      if (event.kind == Kind::Thread && event.detail != event::kAbsent) part();
    }
    for (event::Method& method : out_.column<event::Method>())
      if (!is_whole(method)) name(method);
    return to_->write(out_);
  }
  void leave_open() override { to_->leave_open(); }
  base::result<void> finish() override { return to_->finish(); }
  const event::Loss& loss() const override { return to_->loss(); }

 private:
  static bool is_whole(const event::Method& method) {
    return method.name.empty() || method.name.find('(') != method.name.npos;
  }
  static bool begins_with_name(const event::Thread& thread) {
    return thread.life == Life::begin && !thread.name.empty();
  }
  // The last event, of a thread.
  void part() {
    const Event begin = out_.events[out_.events.size() - 1];
    event::Thread& thread = out_.column<event::Thread>()[begin.detail];
    if (!begins_with_name(thread)) return;
    event::Thread name;
    name.life = Life::name;
    name.name = std::exchange(thread.name, {});
    out_.add(begin.time, begin.thread, begin.id, name);
  }
  void name(event::Method& method) {
    const std::string_view of = method.class_id == base::kNoId
                                    ? std::string_view()
                                    : definitions_->class_name(method.class_id);
    method.name = out_.keep(event::whole_method_name(of, method.name, method.signature));
  }

  std::unique_ptr<event::Writer> to_;
  std::shared_ptr<const Definitions> definitions_;
  Batch out_;
};

}  // namespace

std::unique_ptr<event::Writer> resolve(std::unique_ptr<event::Writer> to,
                                       std::shared_ptr<const Definitions> definitions) {
  return std::make_unique<Resolver>(std::move(to), std::move(definitions));
}

std::unique_ptr<event::Writer> name_apart(std::unique_ptr<event::Writer> to,
                                          std::shared_ptr<const Definitions> definitions) {
  return std::make_unique<NamesApart>(std::move(to), std::move(definitions));
}

}  // namespace polytrace::transform
