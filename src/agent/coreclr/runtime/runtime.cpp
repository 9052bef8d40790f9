// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/runtime/runtime.hpp"

namespace polytrace::agent::coreclr {
namespace detail {

std::atomic<void*> runtime = nullptr;

}  // namespace detail

namespace {

// ICorProfilerInfo12, of .NET 5: the newest we need.
constexpr Guid kInfo = guid("27B24CCD-1CB1-47C5-96EE-98190DC30959");

struct Version {
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  std::uint16_t build = 0;
};

Version version_told() {
  Version told;
  ask(info::kGetRuntimeInformation, nullptr, nullptr, &told.major, &told.minor, &told.build,
      nullptr, 0, nullptr, nullptr);
  return told;
}

}  // namespace

// Never let go: other threads may be asking.
bool hold_runtime(void* unknown) {
  void* found = nullptr;
  if (call(unknown, kQueryInterface, kInfo, &found) != kOk) return false;
  detail::runtime.store(found, std::memory_order_release);
  return true;
}

bool shows_heap() {
  constexpr Guid kNewest = guid("B446462D-BD22-41DD-872D-DC714C49EB56");  // ICorProfilerInfo15
  void* const runtime = detail::runtime.load(std::memory_order_acquire);
  Held newest;
  return runtime != nullptr && call(runtime, kQueryInterface, kNewest, newest.place()) == kOk;
}

void forget_runtime() { detail::runtime.store(nullptr, std::memory_order_release); }

std::string runtime_version() {
  const Version version = version_told();
  if (version.major == 0) return {};
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' +
         std::to_string(version.build);
}

int runtime_major() { return version_told().major; }

}  // namespace polytrace::agent::coreclr
