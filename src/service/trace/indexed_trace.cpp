// SPDX-License-Identifier: Apache-2.0
#include "service/trace/indexed_trace.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/codes.hpp"
#include "event/choice/method_names.hpp"
#include "slice/compiled_names.hpp"
#include "slice/names.hpp"

namespace polytrace::service {
namespace {

using store::Entity;
using store::EntitySort;

constexpr std::size_t kIdDigits = 16;
constexpr auto kBegin = static_cast<std::uint64_t>(event::Life::begin);

std::string id_of(const base::Digest& digest) { return base::to_hex(digest).substr(0, kIdDigits); }

// Of what was read when the index was made.
bool is_of_a_part(const store::Notes& notes) {
  Passed passed;
  passed.outcome.error = notes.error;
  passed.notices = notes.notices.sorted();
  return passed.is_partial();
}

}  // namespace

Asked<std::shared_ptr<const IndexedTrace>> IndexedTrace::open(const Input& input) {
  auto ready = ready_index(input);
  if (!ready) return tl::unexpected(ready.error());
  if (ready->store == nullptr)
    return refuse({base::Code::limit_exceeded, {}, "stopped"}, input.name());
  return std::shared_ptr<const IndexedTrace>(new IndexedTrace(input.name(), std::move(*ready)));
}

IndexedTrace::IndexedTrace(std::string file, ReadyIndex ready)
    : file_(std::move(file)),
      store_(std::move(ready.store)),
      is_partial_(is_of_a_part(store_->notes())),
      index_bytes_(store_->frames().view().slot().length) {
  const base::Time first = store_->frames().view().totals().origin;
  if (first != base::kNoTime) origin_ = first;
  const auto methods = static_cast<std::uint32_t>(store_->entities().count(EntitySort::method));
  method_names_.reserve(methods);
  helpers_.resize(methods);
  for (std::uint32_t method = 0; method < methods; ++method) {
    method_names_.push_back(whole_method_name(method));
    helpers_[method] =
        text_of(store_->entities().of(EntitySort::method, method)).starts_with("(wrapper ");
    has_helpers_ |= helpers_[method];
  }
  name_threads();
}

std::unique_ptr<Input> IndexedTrace::input(const std::atomic<bool>* stop) const {
  InputOptions options{.file = file_};
  options.index = {.offered = true, .held = store_};
  return std::make_unique<Input>(std::move(options), Asking{.stop = stop});
}

base::Time IndexedTrace::at(std::int64_t offset) const {
  base::Time sum = 0;
  if (!__builtin_add_overflow(origin_, offset, &sum)) return sum;
  return offset < 0 ? std::numeric_limits<base::Time>::min()
                    : std::numeric_limits<base::Time>::max();
}

std::uint32_t IndexedTrace::threads() const {
  return static_cast<std::uint32_t>(store_->entities().count(EntitySort::thread));
}

std::uint64_t IndexedTrace::rows(event::Kind kind) const {
  std::uint64_t sum = 0;
  for (const auto& segment : store_->frames().segments(kind)) sum += segment.rows;
  return sum;
}

std::uint32_t IndexedTrace::classes() const {
  return static_cast<std::uint32_t>(store_->entities().count(EntitySort::class_));
}

std::uint32_t IndexedTrace::resolved_class(std::uint64_t class_index) const {
  const Entity& entity = store_->entities().of(EntitySort::class_, class_index);
  return static_cast<std::uint32_t>(entity.class_index == Entity::kNone ? class_index
                                                                        : entity.class_index);
}

std::string IndexedTrace::whole_method_name(std::uint32_t method) const {
  const Entity& entity = store_->entities().of(EntitySort::method, method);
  if (entity.name == Entity::kNone) return fmt::format("unknown method {:#x}", entity.id);
  std::string_view of;
  if (entity.class_index != Entity::kNone)
    of = text_of(store_->entities().of(EntitySort::class_, resolved_class(entity.class_index)));
  return slice::as_in_source(
      event::whole_method_name(of, text_of(entity), store_->texts().text(entity.signature)));
}

const std::string& IndexedTrace::method_name(std::uint32_t method) const {
  static const std::string kOther = "(other paths)";
  return method < method_names_.size() ? method_names_[method] : kOther;
}

std::string IndexedTrace::class_name(std::uint32_t class_index) const {
  const Entity& entity = store_->entities().of(EntitySort::class_, resolved_class(class_index));
  if (entity.name != Entity::kNone) return std::string(text_of(entity));
  if (entity.id == 0 || entity.id == base::kNoId) return "(class not recorded)";
  return fmt::format("unknown class {:#x}", entity.id);
}

base::Id IndexedTrace::thread_id(std::uint32_t thread) const {
  return store_->entities().of(EntitySort::thread, thread).id;
}

// Where rows cannot be read, no begin is known.
void IndexedTrace::name_threads() {
  std::vector<bool> begun(threads());
  static_cast<void>(
      store_->rows(event::Kind::Thread, {},
                   {store::kSubjectField, store::field_number(event::Kind::Thread, "life")},
                   [&](const store::RowPage& page) {
                     for (std::size_t i = 0; i < page.rows.size(); ++i)
                       if (page.columns[0][i] < begun.size() && page.columns[1][i] == kBegin)
                         begun[page.columns[0][i]] = true;
                   }));
  std::unordered_map<base::Id, std::string_view> previous;  // names, as told
  thread_names_.reserve(begun.size());
  for (std::uint32_t thread = 0; thread < begun.size(); ++thread) {
    const Entity& entity = store_->entities().of(EntitySort::thread, thread);
    const std::string_view name =
        entity.name == Entity::kNone ? std::string_view() : text_of(entity);
    thread_names_.push_back(
        slice::thread_text({entity.id, name, begun[thread], previous[entity.id]}));
    previous[entity.id] = name;
  }
}

std::string_view package_of(std::string_view name) {
  const std::size_t end = name.find_first_of("(<[ `");
  std::string_view path = name.substr(0, end);
  // Mono's names have a colon before the method, others a dot.
  const std::size_t colon = path.find(':');
  if (colon == std::string_view::npos) path = path.substr(0, path.find_last_of('.'));
  else path = path.substr(0, colon);
  const std::size_t dot = path.find_last_of('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

base::result<std::string> trace_id(const std::string& file) {
  const auto identity = store::identify(file);
  if (!identity) return base::Unexpected(identity.error());
  return id_of(identity->fingerprint);
}

base::result<std::string> content_id(const std::string& file) {
  const auto facts = store::look_up(file);
  if (!facts) return base::Unexpected(facts.error());
  base::ContentHash content;
  const auto digest = store::whole_digest(file, facts->size, content);
  if (!digest) return base::Unexpected(digest.error());
  return id_of(*digest);
}

}  // namespace polytrace::service
