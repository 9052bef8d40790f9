// SPDX-License-Identifier: Apache-2.0
#include "agent/mono/runtime/ahead.hpp"

#include <link.h>

#include <algorithm>
#include <string>
#include <vector>

#include "agent/common/runtime/introduction.hpp"
#include "agent/common/tools/guard.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

pthread_mutex_t g_ahead_mutex = PTHREAD_MUTEX_INITIALIZER;
std::vector<std::string> g_ahead;  // told

bool is_compiled_assembly(std::string_view library) {
  return library.ends_with(".dll.so") || library.ends_with(".exe.so");
}

// Nothing else is asked while the loader waits for us.
int take_library(dl_phdr_info* library, std::size_t, void* found) {
  const std::string_view name = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  if (is_compiled_assembly(name)) static_cast<std::vector<std::string>*>(found)->emplace_back(name);
  return 0;
}

}  // namespace

void tell_compiled_ahead() {
  if (!settings().common.events.calls) return;
  std::vector<std::string> found;
  dl_iterate_phdr(take_library, &found);
  const Guard guard(g_ahead_mutex);
  for (std::string& library : found) {
    if (std::ranges::find(g_ahead, library) != g_ahead.end()) continue;
    define_setting("mono.aot", library);
    g_ahead.push_back(std::move(library));
  }
}

void forget_compiled_ahead() {
  const Guard guard(g_ahead_mutex);
  g_ahead.clear();
}

}  // namespace polytrace::agent::mono
