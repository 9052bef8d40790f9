// SPDX-License-Identifier: Apache-2.0
// Where the runtime comes in: it loads this library, calls DllGetClassObject() for a factory, that
// for a profiler, and asks the profiler for its newest interface. All interfaces of a profiler are
// one table. Nothing of it is ever freed.
#include <array>
#include <string_view>

#include "agent/coreclr/runtime/callbacks.hpp"

namespace polytrace::agent::coreclr {
namespace {

constexpr std::size_t kSlots = 98;  // of ICorProfilerCallback11

constexpr Guid kUnknownInterface = guid("00000000-0000-0000-C000-000000000046");
constexpr Guid kFactory = guid("00000001-0000-0000-C000-000000000046");
constexpr Guid kProfiler = guid("8F0C6B52-3E1D-4A7B-9C42-51D7E6A90B34");

// ICorProfilerCallback and what follows from it, to ICorProfilerCallback11.
constexpr Guid kCallbacks[] = {
    guid("176FBED1-A55C-4796-98CA-A9DA0EF883E7"), guid("8A8CC829-CCF2-49FE-BBAE-0F022228071A"),
    guid("4FD2ED52-7731-4B8D-9469-03D2CC3086C5"), guid("7B63B2E3-107D-4D48-B2F6-F61E229470D2"),
    guid("8DFBA405-8C9F-45F8-BFFA-83B14CEF78B5"), guid("FC13DF4B-4448-4F4F-950C-BA8D19D00C36"),
    guid("F76A2DBA-1D52-4539-866C-2AA518F9EFC3"), guid("5BED9B15-C079-4D47-BFE2-215A140C07E0"),
    guid("27583EC3-C8F5-482F-8052-194B8CE4705A"), guid("CEC5B60E-C69C-495F-87F6-84D28EE16FFB"),
    guid("42350846-AAED-47F7-B128-FD0C98881CDE")};

using Table = std::array<void*, kSlots>;
struct Interface {
  const Table* table;
};

bool is_callback(const Guid& asked) {
  for (const Guid& known : kCallbacks)
    if (asked == known) return true;
  return asked == kUnknownInterface;
}

HResult give(void* self, bool known, void** out) {
  if (out == nullptr) return kFailed;
  *out = known ? self : nullptr;
  return known ? kOk : kNoInterface;
}

std::uint32_t count_nothing(void*) { return 1; }
HResult ignore_event(void*) { return kOk; }

HResult query_profiler(void* self, const Guid& asked, void** out) {
  return give(self, is_callback(asked), out);
}

// The runtime passes the interface first; ours know it without.
template <class... Args>
struct Entry {
  template <HResult (*kFunction)(Args...)>
  static HResult call(void*, Args... args) {
    return kFunction(args...);
  }
};

template <class Function>
void* address(Function function) {
  return reinterpret_cast<void*>(function);
}

Table make_profiler() {
  Table table;
  table.fill(address(&ignore_event));
  table[0] = address(&query_profiler);
  table[1] = table[2] = address(&count_nothing);
#define CALLBACK(slot, name, ...) table[slot] = address(&Entry<__VA_ARGS__>::call<&name>);
#include "agent/coreclr/runtime/callbacks.def"
#undef CALLBACK
  return table;
}

Interface& profiler() {
  static const Table table = make_profiler();
  static Interface made{&table};
  return made;
}

HResult query_factory(void* self, const Guid& asked, void** out) {
  return give(self, asked == kFactory || asked == kUnknownInterface, out);
}

HResult create_profiler(void*, void* outer, const Guid& asked, void** out) {
  if (outer != nullptr) return kNoAggregation;
  return query_profiler(&profiler(), asked, out);
}

HResult lock_server(void*, Bool) { return kOk; }

Interface& factory() {
  static const Table table{address(&query_factory), address(&count_nothing),
                           address(&count_nothing), address(&create_profiler),
                           address(&lock_server)};
  static Interface made{&table};
  return made;
}

}  // namespace
}  // namespace polytrace::agent::coreclr

using polytrace::agent::coreclr::Guid;
using polytrace::agent::coreclr::HResult;

// The names under which the runtime looks for them.
extern "C" {
[[gnu::visibility("default")]] HResult class_object(const Guid& type, const Guid& asked,
                                                    void** out) __asm__("DllGetClassObject");
[[gnu::visibility("default")]] HResult can_unload_now() __asm__("DllCanUnloadNow");
}

HResult class_object(const Guid& type, const Guid& asked, void** out) {
  namespace coreclr = polytrace::agent::coreclr;
  if (type != coreclr::kProfiler) return coreclr::kNoClass;
  return coreclr::query_factory(&coreclr::factory(), asked, out);
}

HResult can_unload_now() { return polytrace::agent::coreclr::kFalse; }
