// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <type_traits>

#include "event/visit.hpp"
#include "service/json/parts.hpp"

namespace polytrace::service {
namespace {

using event::Batch;
using event::Tag;

std::string hex(event::Id id) { return fmt::format("{:#x}", id); }

class Fields {
 public:
  Fields(base::JsonWriter& json, const Batch& batch) : json_(json), batch_(batch) {}

  template <Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      if (event::name(value) != "unknown") json_.member(name, event::name(value));
    } else if constexpr (std::is_base_of_v<event::Range, T>) {
      if (value.present()) put_list(name, value);
    } else if constexpr (tag == Tag::kId) {
      if (value != event::kNoId) json_.member(name, hex(value));
    } else if constexpr (std::is_same_v<T, event::f64> || event::is_text(tag)) {
      if (value != T{}) json_.member(name, value);
    } else {
      if (value != event::not_told<tag, T>()) put_integer(name, value);
    }
  }

 private:
  template <class T>
  void put_integer(std::string_view name, T value) {
    if constexpr (std::is_signed_v<T>) json_.member(name, std::int64_t{value});
    else json_.member(name, std::uint64_t{value});
  }

  template <class T>
  void put_list(std::string_view name, const T& range) {
    json_.key(name);
    json_.begin_array();
    if constexpr (std::is_same_v<T, event::Stack>) put_stack(range);
    else
      for (const auto& item : batch_.list(range)) put(item);
    json_.end_array();
  }
  void put_stack(const event::Stack& stack) {
    const auto frames = batch_.list(stack);
    const auto places = batch_.places(stack);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      if (places.empty()) put(frames[i]);
      else put(frames[i], places[i]);
    }
  }
  void put(event::Id id) { json_.value(hex(id)); }
  void put(event::Id method, const event::FramePlace& place) {
    json_.begin_object();
    json_.member("method", hex(method));
    if (place.il != -1) json_.member("il", place.il);
    if (place.native != -1) json_.member("native", place.native);
    if (place.ip != 0) json_.member("ip", hex(place.ip));
    json_.end_object();
  }
  void put(const event::Ref& ref) {
    json_.begin_object();
    json_.member("offset", ref.offset);
    json_.member("target", hex(ref.target));
    json_.end_object();
  }
  void put(const event::IlRange& range) {
    json_.begin_object();
    json_.member("il", range.il);
    json_.member("begin", range.begin);
    json_.member("end", range.end);
    json_.end_object();
  }

  base::JsonWriter& json_;
  const Batch& batch_;
};

// "thread" is the stream that carries the event: a subject of that name needs another one.
std::string_view subject_key(std::string_view subject) {
  return subject == "thread" ? "subject_thread" : subject;
}

}  // namespace

void write_event(base::JsonWriter& json, const Batch& batch, const event::Event& event) {
  const event::KindInfo& kind = event::describe(event.kind);
  json.begin_object();
  json.member("time", event.time);
  json.key("thread");
  if (batch.thread(event) == event::kNoId) json.null();
  else json.value(hex(batch.thread(event)));
  json.member("kind", kind.name);
  if (kind.subject == "pid") json.member("pid", event.id);
  else if (kind.subject != "none" && event.id != event::kNoId)
    json.member(subject_key(kind.subject), hex(event.id));
  Fields fields(json, batch);
  event::with_details(batch, event,
                      [&](const auto& details) { event::visit_fields(fields, details); });
  json.end_object();
}

}  // namespace polytrace::service
