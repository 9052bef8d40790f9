// SPDX-License-Identifier: Apache-2.0
// Which runtimes are on this machine.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "service/runtimes/program_lines.hpp"
#include "service/runtimes/runtimes.hpp"
#include "service/words/environment.hpp"

namespace polytrace::service {
namespace {

namespace fs = std::filesystem;

// The value of a line NAME="VALUE" in a JDK's file `release`.
std::string release_value(const fs::path& home, std::string_view name) {
  std::ifstream file(home / "release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name) || line.size() <= name.size() + 2) continue;
    const std::string value = line.substr(name.size() + 1);
    return value.starts_with('"') ? value.substr(1, value.size() - 2) : value;
  }
  return {};
}

// Homes of JDKs: of java in PATH, $JAVA_HOME, and where distributions put them.
std::set<std::string> java_homes() {
  std::set<std::string> homes;
  std::error_code none;
  const auto add = [&](const fs::path& home) {
    const fs::path real = fs::canonical(home, none);
    if (!none && access((real / "bin/java").c_str(), X_OK) == 0) homes.insert(real);
  };
  const fs::path java = fs::canonical(find_in_path("java"), none);
  if (!none) add(java.parent_path().parent_path());
  if (const char* home = std::getenv("JAVA_HOME"); home != nullptr) add(home);
  for (const auto& entry : fs::directory_iterator("/usr/lib/jvm", none)) add(entry.path());
  return homes;
}

// "Mono JIT compiler version 6.8.0.105 (Debian ...)"
std::string mono_version(const std::string& program) {
  constexpr std::string_view kMark = " version ";
  for (const std::string& line : program_lines({program, "--version"})) {
    const std::size_t at = line.find(kMark);
    if (at == line.npos) continue;
    const std::string rest = line.substr(at + kMark.size());
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

// "Microsoft.NETCore.App 10.0.0 [/usr/share/dotnet/shared/Microsoft.NETCore.App]"
std::vector<std::string> dotnet_versions(const std::string& program) {
  constexpr std::string_view kRuntime = "Microsoft.NETCore.App ";
  std::vector<std::string> versions;
  for (const std::string& line : program_lines({program, "--list-runtimes"})) {
    if (!line.starts_with(kRuntime)) continue;
    const std::string rest = line.substr(kRuntime.size());
    versions.push_back(rest.substr(0, rest.find(' ')));
  }
  return versions;
}

}  // namespace

std::vector<InstalledRuntime> installed(const Runtime& runtime) {
  std::vector<InstalledRuntime> found;
  if (runtime.name == "java") {
    for (const std::string& home : java_homes())
      found.push_back({release_value(home, "JAVA_VERSION"), home + "/bin/java"});
    return found;
  }
  const std::string path = find_in_path(runtime.program);
  if (path.empty()) return found;
  if (runtime.name == "mono") return {{mono_version(path), path}};
  for (std::string& version : dotnet_versions(path)) found.push_back({std::move(version), path});
  if (found.empty()) found.push_back({{}, path});
  return found;
}

}  // namespace polytrace::service
