// SPDX-License-Identifier: Apache-2.0
// The numbers that events use for what the runtime knows by pointers, each told before its first
// use. Methods have numbers of their own (a call word has 24 bits for them); classes, modules and
// assemblies share another count.
//
// Functions named known_*() only look up: they work in signal handlers and while the world stands
// still. The others ask the runtime for names; they need a thread of the runtime outside both.
#pragma once

#include "agent/common/tools/pointer_table.hpp"
#include "agent/mono/runtime/runtime.hpp"
#include "base/types.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent::mono {

// --- methods ------------------------------------------------------------------------------------

namespace detail {
extern PointerTable methods;

// What stands behind a pointer: its number in 24 bits, the stream it was last told in, in 8, and 32
// for the table's own use.
inline constexpr std::uint64_t kNumber = format::native::kMaxMethod;
inline constexpr unsigned kStreamShift = 24;
inline constexpr std::uint32_t kLastStream = 255;
extern std::atomic<std::uint32_t> stream;  // from 1

inline bool is_told(std::uint64_t value) {
  return (value >> kStreamShift & kLastStream) == stream.load(std::memory_order_relaxed);
}
inline std::uint64_t told(std::uint32_t number, bool was_told) {
  return was_told ? number | std::uint64_t{stream.load(std::memory_order_relaxed)} << kStreamShift
                  : number;
}
std::uint32_t tell_method(MonoMethod* method, MonoJitInfo* code);
}  // namespace detail

// A recording begins in which nothing is told yet. False: there were too many.
bool begin_stream();
// Tells what a snapshot of the heap may need; on a thread of the runtime.
void tell_all_classes();

inline std::uint32_t known_method(const MonoMethod* method) {
  return static_cast<std::uint32_t>(detail::methods.find(method) & detail::kNumber);
}
// Never 0. The fast path of every call.
inline std::uint32_t method_number(MonoMethod* method) {
  const std::uint64_t value = detail::methods.find(method);
  if (detail::is_told(value)) [[likely]]
    return static_cast<std::uint32_t>(value & detail::kNumber);
  return detail::tell_method(method, nullptr);
}
// Of a frame's method. Generic code that instantiations share has one number in stacks, that of its
// shared form, once is_shared_form() has told.
std::uint32_t frame_number(MonoMethod* method);
// The number without asking names: 0 = not known.
std::uint32_t known_frame(const MonoMethod* method);
// Whether `code`, the method of compiled code, is what `method` runs; remembers it where they
// differ.
bool is_shared_form(MonoMethod* method, MonoMethod* code);
// The method was compiled: its definition tells the code's place.
std::uint32_t compiled_method(MonoMethod* method, MonoJitInfo* code);
// A number without a definition yet: the method is about to be compiled.
std::uint32_t reserve_method(MonoMethod* method);
// The same for signal handlers; 0 when that cannot be had now. Told by tell_pending_methods().
std::uint32_t method_number_in_signal(MonoMethod* method);
void tell_pending_methods();
// The pointer will mean another method.
void forget_method(MonoMethod* method);

// --- classes ------------------------------------------------------------------------------------

struct ClassFacts {
  std::uint32_t number = 0;  // 0 = not known
  // Of every instance, in bytes; 0 = they differ, or it is a class, of which it cannot be asked.
  std::uint32_t size = 0;
};
ClassFacts known_class(const MonoClass* type);
ClassFacts known_vtable(const MonoVTable* vtable);
ClassFacts class_facts(MonoClass* type);
ClassFacts vtable_facts(MonoVTable* vtable);
// The number of an object's class, kNoId for null.
base::Id class_of(MonoObject* object);
// A number for a class whose name cannot be asked yet.
std::uint32_t reserve_class(MonoClass* type);

// --- the rest -----------------------------------------------------------------------------------

base::Id module_number(MonoImage* image);
base::Id assembly_number(MonoAssembly* assembly);
// Something was unloaded: from here on a class, vtable or method that the runtime says it has just
// made is a new one, also where we know its address.
void addresses_come_again();
bool can_addresses_come_again();
void forget_class(MonoClass* type);
void forget_vtable(const MonoVTable* vtable);
void forget_vtables_of(MonoDomain* domain);
void forget_module(MonoImage* image);
void forget_assembly(MonoAssembly* assembly);

// From here on the runtime can be asked for the names of types.
void runtime_is_ready();
bool is_runtime_ready();

}  // namespace polytrace::agent::mono
