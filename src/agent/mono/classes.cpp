// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include "agent/mono/call_sites.hpp"
#include "agent/mono/definitions.hpp"
#include "agent/mono/note.hpp"
#include "agent/mono/settings.hpp"

namespace polytrace::agent::mono {
namespace {

using detail::kNumber;
using detail::kTold;

constexpr unsigned kSizeShift = 32;
constexpr std::size_t kLongestName = 1024;

PointerTable g_types;  // classes and vtables: size, told, number
PointerTable g_modules;
PointerTable g_assemblies;
std::atomic<std::uint32_t> g_last = 0;
std::atomic<bool> g_ready = false;
std::atomic<bool> g_unloaded = false;

std::uint32_t next_number() { return g_last.fetch_add(1, std::memory_order_relaxed) + 1; }

ClassFacts facts_in(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value & kNumber),
          static_cast<std::uint32_t>(value >> kSizeShift)};
}

// Ns.Outer/Inner, from what is known of a class before its type can be asked.
class PlainName {
 public:
  explicit PlainName(MonoClass* type) { add_type(type); }
  std::string_view view() const { return {text_, size_}; }

 private:
  void add_type(MonoClass* type) {
    if (MonoClass* outer = mono_class_get_nesting_type(type); outer != nullptr) {
      add_type(outer);
      add("/");
    }
    if (const auto space = or_empty(mono_class_get_namespace(type)); !space.empty()) {
      add(space);
      add(".");
    }
    add(or_empty(mono_class_get_name(type)));
  }
  void add(std::string_view part) {
    const std::size_t count = std::min(part.size(), sizeof text_ - size_);
    std::memcpy(text_ + size_, part.data(), count);
    size_ += count;
  }

  char text_[kLongestName];
  std::size_t size_ = 0;
};

// As the collector counts: whole words.
std::uint32_t size_of_instances(MonoClass* type) {
  if (mono_class_get_rank(type) != 0 || type == mono_get_string_class()) return 0;
  return (static_cast<std::uint32_t>(mono_class_instance_size(type)) + 7U) & ~7U;
}

// Allocations told by class only: where instances differ in size, elements are bytes.
void tell_site(std::uint32_t number, std::uint32_t size) {
  if (settings().common.events.alloc != AllocMode::kSites) return;
  Site site;
  site.number = number;
  site.class_id = number;
  site.size = size;
  site.element_size = size == 0 ? 1 : 0;
  define_site(site);
}

std::uint64_t tell_class(MonoClass* type, event::Class& details) {
  const Recording recording;
  const Locked locked(g_types);
  const std::uint64_t known = g_types.find(type);
  if ((known & kTold) != 0) return known;
  const std::uint32_t number = (known & kNumber) != 0 ? known & kNumber : next_number();
  const std::uint64_t value = number | kTold;
  tell(details, number);
  g_types.put(type, value);
  return value;
}

template <class T, class Ask>
base::Id number_of(PointerTable& table, const void* pointer, Ask ask) {
  if (pointer == nullptr) return base::kNoId;
  if (const std::uint64_t known = table.find(pointer); known != 0) return known;
  T details;
  ask(details);
  const Recording recording;
  const Locked locked(table);
  if (const std::uint64_t known = table.find(pointer); known != 0) return known;
  const std::uint32_t number = next_number();
  tell(details, number);
  table.put(pointer, number);
  return number;
}

void forget(PointerTable& table, const void* pointer) {
  const Recording recording;
  const Locked locked(table);
  if (table.find(pointer) != 0) table.put(pointer, 0);
}

}  // namespace

void runtime_is_ready() { g_ready.store(true, std::memory_order_release); }
bool is_runtime_ready() { return g_ready.load(std::memory_order_acquire); }

void addresses_come_again() {
  g_unloaded.store(true, std::memory_order_relaxed);
  forget_call_sites();
}
bool can_addresses_come_again() { return g_unloaded.load(std::memory_order_relaxed); }

ClassFacts known_class(const void* class_or_vtable) {
  return facts_in(g_types.find(class_or_vtable));
}

namespace {

// `size`: of the instances. It can be asked of classes with a vtable only.
ClassFacts class_facts(MonoClass* type, std::uint32_t size) {
  if (const std::uint64_t known = g_types.find(type); (known & kTold) != 0) return facts_in(known);
  event::Class details;
  details.module = module_number(mono_class_get_image(type));
  details.assembly = assembly_number(mono_image_get_assembly(mono_class_get_image(type)));
  details.token = mono_class_get_type_token(type);
  details.fixed_size = size;
  if (is_runtime_ready()) {
    const RuntimeText name(mono_type_get_name(mono_class_get_type(type)));
    details.name = name.view();
    return facts_in(tell_class(type, details));
  }
  const PlainName name(type);
  details.name = name.view();
  return facts_in(tell_class(type, details));
}

}  // namespace

ClassFacts class_facts(MonoClass* type) { return class_facts(type, 0); }

ClassFacts vtable_facts(MonoVTable* vtable) {
  if (const std::uint64_t known = g_types.find(vtable); known != 0) return facts_in(known);
  MonoClass* type = mono_vtable_class(vtable);
  const std::uint32_t size = size_of_instances(type);
  const std::uint32_t number = class_facts(type, size).number;
  tell_site(number, size);
  const Recording recording;
  const Locked locked(g_types);
  g_types.put(vtable, number | kTold | std::uint64_t{size} << kSizeShift);
  return {number, size};
}

base::Id class_of(MonoObject* object) {
  return object == nullptr ? base::kNoId : vtable_facts(object->vtable).number;
}

std::uint32_t reserve_class(MonoClass* type) {
  const Recording recording;
  const Locked locked(g_types);
  if (const std::uint64_t known = g_types.find(type); known != 0) return facts_in(known).number;
  const std::uint32_t number = next_number();
  g_types.put(type, number);
  return number;
}

base::Id module_number(MonoImage* image) {
  return number_of<event::Module>(g_modules, image, [image](event::Module& details) {
    details.name = or_empty(mono_image_get_filename(image));
    details.mvid = or_empty(mono_image_get_guid(image));
  });
}

base::Id assembly_number(MonoAssembly* assembly) {
  if (assembly == nullptr) return base::kNoId;
  if (const std::uint64_t known = g_assemblies.find(assembly); known != 0) return known;
  const RuntimeText name(mono_stringify_assembly_name(mono_assembly_get_name(assembly)));
  const base::Id module = module_number(mono_assembly_get_image(assembly));
  return number_of<event::Assembly>(g_assemblies, assembly, [&](event::Assembly& details) {
    details.name = name.view();
    details.module = module;
  });
}

void forget_class(const void* class_or_vtable) { forget(g_types, class_or_vtable); }
void forget_module(MonoImage* image) { forget(g_modules, image); }
void forget_assembly(MonoAssembly* assembly) { forget(g_assemblies, assembly); }

}  // namespace polytrace::agent::mono
