// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"
#include "agent/mono/stacks/call_sites.hpp"

namespace polytrace::agent::mono {
namespace {

using detail::is_told;
using detail::kNumber;
using detail::told;

constexpr unsigned kObjectSizeShift = 32;
constexpr std::size_t kLongestName = 1024;

PointerTable g_classes;
PointerTable g_vtables;  // above number and stream: the size of instances
PointerTable g_modules;
PointerTable g_assemblies;
std::atomic<std::uint32_t> g_last = 0;
std::atomic<bool> g_ready = false;
std::atomic<bool> g_unloaded = false;

std::uint32_t next_number() { return g_last.fetch_add(1, std::memory_order_relaxed) + 1; }

ClassFacts facts_in(std::uint64_t value) {
  return {static_cast<std::uint32_t>(value & kNumber),
          static_cast<std::uint32_t>(value >> kObjectSizeShift)};
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
  if (settings().common.events.alloc != AllocMode::sites) return;
  Site site;
  site.number = number;
  site.class_id = number;
  site.size = size;
  site.element_size = size == 0 ? 1 : 0;
  define_site(site);
}

std::uint64_t tell_class(MonoClass* type, event::Class& details) {
  const Recording recording;
  const Locked locked(g_classes);
  const std::uint64_t known = g_classes.find(type);
  if (is_told(known)) return known;
  const std::uint32_t number = (known & kNumber) != 0 ? known & kNumber : next_number();
  const std::uint64_t value = told(number, define(details, number));
  g_classes.put(type, value);
  return value;
}

template <class T, class Ask>
base::Id number_of(PointerTable& table, const void* pointer, Ask ask) {
  if (pointer == nullptr) return base::kNoId;
  if (const std::uint64_t known = table.find(pointer); is_told(known)) return known & kNumber;
  T details;
  ask(details);
  const Recording recording;
  const Locked locked(table);
  const std::uint64_t known = table.find(pointer);
  if (is_told(known)) return known & kNumber;
  const std::uint32_t number = known != 0 ? known & kNumber : next_number();
  table.put(pointer, told(number, define(details, number)));
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

ClassFacts known_class(const MonoClass* type) { return facts_in(g_classes.find(type)); }

ClassFacts known_vtable(const MonoVTable* vtable) {
  const std::uint64_t known = g_vtables.find(vtable);
  return is_told(known) ? facts_in(known) : ClassFacts{};
}

namespace {

// `size`: of the instances. It can be asked of classes with a vtable only.
ClassFacts class_facts(MonoClass* type, std::uint32_t size) {
  const std::uint64_t known = g_classes.find(type);
  if (is_told(known)) return facts_in(known);
  if (!is_recording()) return {reserve_class(type), 0};
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
  if (const std::uint64_t known = g_vtables.find(vtable); is_told(known)) return facts_in(known);
  MonoClass* type = mono_vtable_class(vtable);
  const std::uint32_t size = size_of_instances(type);
  const std::uint32_t number = class_facts(type, size).number;
  tell_site(number, size);
  const Recording recording;
  const Locked locked(g_vtables);
  const std::uint64_t value = told(number, is_told(g_classes.find(type)));
  g_vtables.put(vtable, value | std::uint64_t{size} << kObjectSizeShift);
  return {number, size};
}

void tell_all_classes() {
  g_vtables.for_each([](const void* vtable) {
    vtable_facts(static_cast<MonoVTable*>(const_cast<void*>(vtable)));
  });
}

base::Id class_of(MonoObject* object) {
  return object == nullptr ? base::kNoId : vtable_facts(object->vtable).number;
}

std::uint32_t reserve_class(MonoClass* type) {
  const Recording recording;
  const Locked locked(g_classes);
  if (const std::uint64_t known = g_classes.find(type); known != 0) return facts_in(known).number;
  const std::uint32_t number = next_number();
  g_classes.put(type, number);
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
  if (const std::uint64_t known = g_assemblies.find(assembly); is_told(known))
    return known & kNumber;
  const RuntimeText name(mono_stringify_assembly_name(mono_assembly_get_name(assembly)));
  const base::Id module = module_number(mono_assembly_get_image(assembly));
  return number_of<event::Assembly>(g_assemblies, assembly, [&](event::Assembly& details) {
    details.name = name.view();
    details.module = module;
  });
}

void forget_class(MonoClass* type) { forget(g_classes, type); }
void forget_vtable(const MonoVTable* vtable) { forget(g_vtables, vtable); }
void forget_vtables_of(MonoDomain* domain) {
  g_vtables.for_each([domain](const void* vtable) {
    auto* found = static_cast<MonoVTable*>(const_cast<void*>(vtable));
    if (mono_vtable_domain(found) == domain) forget_vtable(found);
  });
}
void forget_module(MonoImage* image) { forget(g_modules, image); }
void forget_assembly(MonoAssembly* assembly) { forget(g_assemblies, assembly); }

}  // namespace polytrace::agent::mono
