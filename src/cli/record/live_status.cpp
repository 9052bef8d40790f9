// SPDX-License-Identifier: Apache-2.0
#include "cli/record/live_status.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/native/wire/wire.hpp"

namespace polytrace::cli {
namespace {

// The file's header, with the counters in it.
constexpr std::size_t kSize = format::native::kUnit;
static_assert(agent::kStatusOffset + sizeof(agent::Status) <= kSize);

const agent::Status& status_in(const void* memory) {
  return *reinterpret_cast<const agent::Status*>(static_cast<const std::byte*>(memory) +
                                                 agent::kStatusOffset);
}

void* map(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return nullptr;
  struct stat found{};
  void* memory = MAP_FAILED;
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
      found.st_size >= static_cast<off_t>(kSize))
    memory = mmap(nullptr, kSize, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

LiveStatus::~LiveStatus() {
  if (memory_ != nullptr) munmap(memory_, kSize);
}

bool LiveStatus::found() {
  if (memory_ != nullptr) return true;
  void* const memory = map(path_);
  if (memory == nullptr) return false;
  // A file that is still being made has no mark yet.
  if (status_in(memory).mark == agent::kStatusMark) memory_ = memory;
  else munmap(memory, kSize);
  return memory_ != nullptr;
}

std::optional<RecordingFigures> LiveStatus::figures() {
  if (!found()) return std::nullopt;
  const agent::Status& status = status_in(memory_);
  return RecordingFigures{status.events.load(),      status.bytes.load(),
                          status.lost.load(),        status.stalled.load(),
                          status.write_error.load(), static_cast<agent::Cut>(status.cut.load())};
}

}  // namespace polytrace::cli
