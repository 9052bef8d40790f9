// SPDX-License-Identifier: Apache-2.0
#include "sql/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "event/choice/method_names.hpp"
#include "slice/compiled_names.hpp"
#include "slice/names.hpp"
#include "slice/thread_cpu.hpp"
#include "sql/trace/rows.hpp"

namespace polytrace::sql {
namespace {

using event::Kind;
using store::Entity;
using store::EntitySort;

constexpr std::string_view kOther = "(other paths)";
constexpr std::string_view kNoClass = "(class not recorded)";

std::string_view text_of(const store::Store& store, std::uint64_t number) {
  return number == Entity::kNone ? std::string_view() : store.texts().text(number);
}

// As slice::Names has it.
std::string whole_name(const store::Store& store, const Entity& method, std::string_view of_class) {
  if (method.name == Entity::kNone) return fmt::format("unknown method {:#x}", method.id);
  return slice::as_in_source(event::whole_method_name(of_class, text_of(store, method.name),
                                                      text_of(store, method.signature)));
}

// What threads say of themselves; where that cannot be read they have no more than a number.
void take_thread_rows(const store::Store& store, std::vector<ThreadName>& threads,
                      std::vector<bool>& begun) {
  const auto at = [&](std::uint64_t index) {
    return index < threads.size() ? &threads[index] : nullptr;
  };
  static_cast<void>(each_told(store, Kind::Thread, "group", [&](auto index, auto text, base::Time) {
    if (ThreadName* const thread = at(index)) thread->group = store.texts().text(text);
  }));
  static_cast<void>(
      each_told(store, Kind::Thread, "os_thread", [&](auto index, auto id, base::Time) {
        if (ThreadName* const thread = at(index)) thread->os_thread = id;
      }));
  static_cast<void>(each_told(store, Kind::Thread, "is_virtual", [&](auto index, auto, base::Time) {
    if (ThreadName* const thread = at(index)) thread->is_virtual = true;
  }));
  KindRows rows(store, Kind::Thread);
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (!rows.open(segment)) return;
    const auto subjects = rows.numbers(store::kSubjectField);
    const auto lives = rows.numbers(rows.field("life"));
    if (!subjects || !lives) return;
    for (std::size_t i = 0; i < subjects->size(); ++i)
      if ((lives->empty() || (*lives)[i] == 0) && (*subjects)[i] < begun.size())
        begun[(*subjects)[i]] = true;
  }
}

void count_calls(const store::Store& store, std::vector<ThreadName>& threads) {
  const store::IndexFrames& frames = store.frames();
  for (std::uint32_t i = 0; i < threads.size() && i < frames.threads(); ++i)
    if (const auto before = frames.events_before(i); !before.empty())
      threads[i].events += before.back();
}

void count_rows(const store::Store& store, Kind kind, std::vector<ThreadName>& threads) {
  KindRows rows(store, kind);
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (!rows.open(segment)) return;
    const auto of = rows.numbers(store::kThreadField);
    if (!of) return;
    for (const std::uint64_t thread : *of)
      if (thread < threads.size()) ++threads[thread].events;
  }
}

// A column, where no row tells it all are what it has then.
class Numbers {
 public:
  Numbers(KindRows& rows, std::uint16_t field)
      : told_(rows.numbers(field)), none_(rows.none_of(field)) {}
  bool read() const { return told_.has_value(); }
  std::uint64_t operator[](std::size_t row) const { return told_->empty() ? none_ : (*told_)[row]; }

 private:
  base::result<std::span<const std::uint64_t>> told_;
  std::uint64_t none_;
};

// CPU times, where their rows can be read.
void take_cpu_rows(const store::Store& store, std::vector<ThreadName>& threads) {
  KindRows rows(store, Kind::Cpu);
  slice::ThreadCpu cpu{slice::Selection{}};
  for (std::size_t segment = 0; segment < rows.segments(); ++segment) {
    if (!rows.open(segment)) return;
    const Numbers time(rows, store::kTimeField), thread(rows, store::kThreadField);
    const Numbers scope(rows, rows.field("scope")), used(rows, rows.field("used"));
    const Numbers bogus(rows, rows.field("bogus")), span(rows, rows.field("span"));
    for (const Numbers* const one : {&time, &thread, &scope, &used, &bogus, &span})
      if (!one->read()) return;
    for (std::size_t i = 0; i < rows.count(); ++i) {
      if (scope[i] != static_cast<std::uint64_t>(event::CpuScope::thread)) continue;
      if (thread[i] >= threads.size()) continue;
      event::Cpu told;
      told.used = static_cast<base::Duration>(used[i]);
      told.bogus = bogus[i] != 0 ? 1 : 0;
      told.span = static_cast<base::Duration>(span[i]);
      cpu.take(static_cast<std::uint32_t>(thread[i]), static_cast<base::Time>(time[i]), told);
    }
  }
  for (std::uint32_t i = 0; i < threads.size(); ++i) threads[i].cpu = cpu.used(i);
}

}  // namespace

Trace::Trace(std::shared_ptr<const store::Store> store, TraceFacts facts)
    : store_(std::move(store)), facts_(std::move(facts)), heap_graphs_(*store_) {
  const store::Totals totals = store_->facts().totals;
  start_ = totals.first == base::kNoTime ? 0 : totals.first;
  end_ = totals.last == base::kNoTime ? 0 : totals.last;
}

void Trace::name_methods() const {
  const store::Entities& all = store_->entities();
  for (std::size_t i = 0; i < all.count(EntitySort::method); ++i) {
    const Entity& method = all.of(EntitySort::method, i);
    MethodName& told = methods_.emplace_back();
    std::string_view of_class;
    if (method.class_index != Entity::kNone) {
      told.class_index = class_of(static_cast<std::uint32_t>(method.class_index));
      of_class = text_of(*store_, all.of(EntitySort::class_, told.class_index).name);
    }
    told.name = whole_name(*store_, method, of_class);
    told.short_name = shortened(told.name);
    told.is_helper = text_of(*store_, method.name).starts_with("(wrapper ");
  }
}

const std::vector<MethodName>& Trace::methods() const {
  std::call_once(methods_once_, [this] { name_methods(); });
  return methods_;
}

std::string_view Trace::method_name(std::uint32_t method) const {
  if (method == store::kNoMethod) return kOther;
  return method < methods().size() ? std::string_view(methods()[method].name) : "unknown method";
}

std::uint32_t Trace::class_of(std::uint32_t index) const {
  const Entity& entity = store_->entities().of(EntitySort::class_, index);
  return entity.class_index == Entity::kNone ? index
                                             : static_cast<std::uint32_t>(entity.class_index);
}

void Trace::name_classes() const {
  const store::Entities& all = store_->entities();
  for (std::size_t i = 0; i < all.count(EntitySort::class_); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    const Entity& entity = all.of(EntitySort::class_, class_of(index));
    classes_by_id_[all.of(EntitySort::class_, index).id] = class_of(index);
    if (entity.name != Entity::kNone) classes_.emplace_back(text_of(*store_, entity.name));
    else if (entity.id == 0 || entity.id == base::kNoId) classes_.emplace_back(kNoClass);
    else classes_.push_back(fmt::format("unknown class {:#x}", entity.id));
  }
}

const std::vector<std::string>& Trace::classes() const {
  std::call_once(classes_once_, [this] { name_classes(); });
  return classes_;
}

std::uint32_t Trace::class_with(base::Id id) const {
  if (classes().empty()) return store::kNoIndex;
  const auto found = classes_by_id_.find(id);
  return found == classes_by_id_.end() ? store::kNoIndex : found->second;
}

std::string_view Trace::class_name(std::uint32_t index) const {
  return index < classes().size() ? std::string_view(classes()[index]) : kNoClass;
}

void Trace::name_threads() const {
  const store::Entities& all = store_->entities();
  threads_.resize(all.count(EntitySort::thread));
  std::vector<bool> begun(threads_.size());
  take_thread_rows(*store_, threads_, begun);
  std::unordered_map<base::Id, std::string_view> previous;  // names, as told
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Entity& entity = all.of(EntitySort::thread, i);
    ThreadName& thread = threads_[i];
    thread.id = entity.id;
    thread.first = entity.first;
    thread.last = entity.last;
    const std::string_view name = text_of(*store_, entity.name);
    thread.name = slice::thread_text({entity.id, name, begun[i], previous[entity.id]});
    previous[entity.id] = name;
  }
  take_cpu_rows(*store_, threads_);
  count_calls(*store_, threads_);
  for (std::size_t kind = 0; kind < event::kKindCount; ++kind)
    if (!event::is_call(static_cast<Kind>(kind)))
      count_rows(*store_, static_cast<Kind>(kind), threads_);
  for (std::uint32_t i = 0; i < threads_.size(); ++i)
    if (const auto sums = store_->calls({.threads = {i}}))
      for (const store::PathSum& sum : sums->paths()) threads_[i].calls += sum.calls;
}

const std::vector<ThreadName>& Trace::threads() const {
  std::call_once(threads_once_, [this] { name_threads(); });
  return threads_;
}

std::string_view Trace::thread_name(std::uint32_t thread) const {
  return thread < threads().size() ? std::string_view(threads()[thread].name) : "unknown thread";
}

Value Trace::thread_of(base::Id id) const {
  if (id == base::kNoId) return {};
  for (std::size_t i = threads().size(); i-- > 0;)
    if (threads()[i].id == id) return Value::of(std::uint64_t{i});
  return {};
}

Value Trace::thread_at(base::Id id, base::Time time) const {
  const auto has_then = [&](const ThreadName& thread) {
    return thread.id == id && time >= thread.first && time <= thread.last;
  };
  const auto found = std::ranges::find_if(threads(), has_then);
  if (found == threads().end()) return thread_of(id);
  return Value::of(std::int64_t{found - threads().begin()});
}

std::string_view Trace::id_name(base::Id id) const {
  const std::lock_guard lock(mutex_);
  const auto [place, fresh] = ids_.try_emplace(id);
  if (fresh) place->second = id_text(id);
  return place->second;
}

std::string_view Trace::path_name(std::uint32_t path) const {
  const store::Paths& paths = store_->paths();
  if (path >= paths.size() || path == store::kEmptyPath) return {};
  return method_name(paths.method(path));
}

const std::vector<std::uint32_t>& Trace::depths() const {
  std::call_once(depths_once_, [this] {
    const store::Paths& paths = store_->paths();
    depths_.resize(paths.size());
    for (std::uint32_t path = 1; path < paths.size(); ++path) {
      const std::uint32_t parent = paths.parent(path);
      depths_[path] = parent == store::kEmptyPath ? 0 : depths_[parent] + 1;
    }
  });
  return depths_;
}

std::string shortened(std::string_view name) {
  if (name.starts_with('(')) return std::string(name);
  name = name.substr(0, name.find('('));
  while (name.ends_with(' ')) name.remove_suffix(1);
  const std::size_t colon = name.rfind(':');
  const std::size_t of_class = name.rfind('.', colon == name.npos ? colon : colon - 1);
  if (colon != name.npos && colon != 0)
    return std::string(of_class == name.npos ? name : name.substr(of_class + 1));
  const std::size_t package =
      of_class == name.npos || of_class == 0 ? name.npos : name.rfind('.', of_class - 1);
  return std::string(package == name.npos ? name : name.substr(package + 1));
}

std::string id_text(base::Id id) {
  return id == base::kNoId ? std::string() : fmt::format("{:#x}", id);
}

}  // namespace polytrace::sql
