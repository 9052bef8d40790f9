// SPDX-License-Identifier: Apache-2.0
// The numbers that events use for what the runtime knows by id, each told before its first use.
// Methods and classes have numbers of their own, because the runtime's ids come again; modules,
// assemblies and domains go by the runtime's (loading.cpp).
#pragma once

#include <string>
#include <vector>

#include "agent/common/runtime/note.hpp"
#include "agent/common/tools/pointer_table.hpp"
#include "agent/coreclr/runtime/abi.hpp"
#include "format/native/wire/wire.hpp"

namespace polytrace::agent::coreclr {

namespace detail {
extern PointerTable methods;
extern PointerTable classes;

// What stands behind an id: its number in 24 bits, the recording it was last told in, in 8, and 32
// for the table's own use.
inline constexpr std::uint64_t kNumber = format::native::kMaxMethod;
inline constexpr unsigned kStreamShift = 24;
inline constexpr std::uint32_t kLastStream = 255;
inline constexpr unsigned kOwnShift = 32;
extern std::atomic<std::uint32_t> stream;  // from 1

inline const void* key(RuntimeId id) { return reinterpret_cast<const void*>(id); }
inline bool is_told(std::uint64_t value) {
  return (value >> kStreamShift & kLastStream) == stream.load(std::memory_order_relaxed);
}
inline std::uint64_t told(std::uint32_t number, bool was_told) {
  return was_told ? number | std::uint64_t{stream.load(std::memory_order_relaxed)} << kStreamShift
                  : number;
}
// Of a method: where its code is was told, or cannot be.
inline constexpr std::uint64_t kCoded = std::uint64_t{4} << kOwnShift;
std::uint32_t tell_method(RuntimeId function);
std::uint32_t tell_running_method(RuntimeId function);
}  // namespace detail

// Modules that can be unloaded: those that a thing needs, where it ends with the first of them. The
// runtime tells the end of modules and of the classes they define, but not that of methods, arrays
// and instantiations.
using Homes = std::vector<RuntimeId>;
bool can_be_unloaded(RuntimeId module);
// The file it was loaded from; "" for one that was made at run time.
std::string module_path(RuntimeId module);

struct Tenant {
  RuntimeId home;
  RuntimeId id;  // of a method or class
};
// Those of a module, which are no tenants any more. REQUIRES: the lock of their table.
Homes take_tenants(std::vector<Tenant>& tenants, RuntimeId home);

// A recording begins in which nothing is told yet. False: there were too many.
bool begin_stream();

// --- methods ------------------------------------------------------------------------------------

// Never 0.
inline std::uint32_t method_number(RuntimeId function) {
  const std::uint64_t value = detail::methods.find(detail::key(function));
  if (detail::is_told(value)) [[likely]]
    return static_cast<std::uint32_t>(value & detail::kNumber);
  return detail::tell_method(function);
}
// The same of a method that runs: where its code is, is told, too.
inline std::uint32_t running_method(RuntimeId function) {
  const std::uint64_t value = detail::methods.find(detail::key(function));
  if (detail::is_told(value) && (value & detail::kCoded) != 0) [[likely]]
    return static_cast<std::uint32_t>(value & detail::kNumber);
  return detail::tell_running_method(function);
}
// A number without a definition yet: the method is about to be compiled.
std::uint32_t reserve_method(RuntimeId function);
// The method was compiled, perhaps again: where the new code is, and the IL it comes from.
std::uint32_t compiled_method(RuntimeId function);
// Whether calls of the method are recorded, as the filters say. Remembered.
bool is_wanted(RuntimeId function);
// Without asking the runtime: not known is no.
bool is_known_wanted(RuntimeId function);
// Two methods that are none, as CoreProfiler numbers them.
void tell_pseudo_methods();
// All that may be called, in a recording that begins: hooks do not ask whether they are told.
void tell_methods();
// It is no more, and its id may mean another method.
void forget_method(RuntimeId function);
void forget_methods_of(RuntimeId module);

// --- classes ------------------------------------------------------------------------------------

inline constexpr std::uint32_t kSizesDiffer = ~std::uint32_t{0};
struct ClassFacts {
  std::uint32_t number = 0;  // 0 = not known
  std::uint32_t size = 0;    // of every instance, in bytes; 0 = not known yet
};
inline ClassFacts known_class(RuntimeId type) {
  const std::uint64_t value = detail::classes.find(detail::key(type));
  if (!detail::is_told(value)) return {};
  return {static_cast<std::uint32_t>(value & detail::kNumber),
          static_cast<std::uint32_t>(value >> detail::kOwnShift)};
}
// The same, told now where it is not.
ClassFacts class_facts(RuntimeId type);
// The first object of a class was `size` bytes: so are all others, where sizes do not differ.
ClassFacts sized_class(RuntimeId type, std::size_t size);
// A number for a class whose name cannot be asked yet.
std::uint32_t reserve_class(RuntimeId type);
void forget_class(RuntimeId type);
void forget_classes_of(RuntimeId module);
// Full name with arguments (names/type_name.hpp); what it needs is added to `homes`.
std::string class_name(RuntimeId type, Homes& homes);

}  // namespace polytrace::agent::coreclr
