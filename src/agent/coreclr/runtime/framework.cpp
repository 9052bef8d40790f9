// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/runtime/framework.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/runtime.hpp"

namespace polytrace::agent::coreclr {
namespace {

// Of SHARED/NAME/VERSION/libcoreclr.so, with a separator at its end.
std::string shared_folder_of(const std::filesystem::path& library) {
  const auto folder = library.parent_path().parent_path().parent_path();
  return folder.filename() == "shared" ? folder.string() + '/' : std::string();
}

std::string find_framework_folder() {
  void* const runtime = detail::runtime.load(std::memory_order_acquire);
  Dl_info library{};
  // The interface's table is in the library itself.
  if (runtime == nullptr || dladdr(*static_cast<void**>(runtime), &library) == 0) return {};
  return library.dli_fname == nullptr ? std::string() : shared_folder_of(library.dli_fname);
}

}  // namespace

const std::string& framework_folder() {
  static const std::string folder = find_framework_folder();
  return folder;
}

bool is_of_framework(RuntimeId module) {
  const std::string& folder = framework_folder();
  return !folder.empty() && module_path(module).starts_with(folder);
}

}  // namespace polytrace::agent::coreclr
