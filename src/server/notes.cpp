// SPDX-License-Identifier: Apache-2.0
#include "server/notes.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/codes.hpp"
#include "service/words/environment.hpp"

namespace polytrace::server {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostNotesBytes = 1 << 20;

// Empty where there is none.
fs::path folder() {
  const std::string_view state = service::variable("XDG_STATE_HOME");
  if (state.starts_with('/')) return fs::path(state) / "polytrace" / "notes";
  const std::string_view home = service::variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".local/state/polytrace/notes";
}

Notes notes_of(std::string text) {
  std::string tag = fmt::format("\"{:016x}\"", XXH3_64bits(text.data(), text.size()));
  return {std::move(text), std::move(tag)};
}

base::Unexpected cannot_write(const std::string& why) {
  return base::fail(base::Code::write_failed, why);
}

}  // namespace

base::result<Notes> load_notes(const std::string& trace_id) {
  const fs::path path = folder() / (trace_id + ".json");
  std::error_code fault;
  if (!fs::is_regular_file(path, fault)) return notes_of("{}");
  if (fs::file_size(path, fault) > kMostNotesBytes)
    return base::fail(base::Code::read_failed, path.string() + " is larger than 1 MiB");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return base::fail(base::Code::read_failed, path.string());
  return notes_of(std::move(text).str());
}

base::result<Notes> keep_notes(const std::string& trace_id, const std::string& text) {
  static std::atomic<unsigned> count = 0;
  const fs::path place = folder();
  if (place.empty()) return cannot_write("there is no folder for notes: set HOME");
  std::error_code fault;
  const bool made = fs::create_directories(place, fault);
  if (fault) return cannot_write(place.string() + ": " + fault.message());
  if (made) fs::permissions(place, fs::perms::owner_all, fault);
  const fs::path path = place / (trace_id + ".json");
  const fs::path draft = place / fmt::format("{}.{}.{}.new", trace_id, getpid(), ++count);
  {
    std::ofstream file(draft, std::ios::binary);
    chmod(draft.c_str(), S_IRUSR | S_IWUSR);
    file << text;
    if (!file.flush()) return cannot_write(draft.string());
  }
  fs::rename(draft, path, fault);
  if (fault) return cannot_write(path.string() + ": " + fault.message());
  return notes_of(text);
}

}  // namespace polytrace::server
