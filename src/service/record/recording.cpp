// SPDX-License-Identifier: Apache-2.0
#include "service/record/recording.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "format/native/wire/wire.hpp"

namespace polytrace::service {
namespace {

// The file's header, with the counters in it.
constexpr std::size_t kStatusFile = format::native::kUnit;
static_assert(agent::kStatusOffset + sizeof(agent::Status) <= kStatusFile);

const agent::Status& status_in(const void* memory) {
  return *reinterpret_cast<const agent::Status*>(static_cast<const std::byte*>(memory) +
                                                 agent::kStatusOffset);
}

void* map_status(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return nullptr;
  struct stat found{};
  void* memory = MAP_FAILED;
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
      found.st_size >= static_cast<off_t>(kStatusFile))
    memory = mmap(nullptr, kStatusFile, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

LiveStatus::~LiveStatus() {
  if (memory_ != nullptr) munmap(memory_, kStatusFile);
}

bool LiveStatus::found() {
  if (memory_ != nullptr) return true;
  void* const memory = map_status(path_);
  if (memory == nullptr) return false;
  // A file that is still being made has no mark yet.
  if (status_in(memory).mark == agent::kStatusMark) memory_ = memory;
  else munmap(memory, kStatusFile);
  return memory_ != nullptr;
}

std::optional<RecordingFigures> LiveStatus::figures() {
  if (!found()) return std::nullopt;
  const agent::Status& status = status_in(memory_);
  return RecordingFigures{status.events.load(),      status.bytes.load(),
                          status.lost.load(),        status.stalled.load(),
                          status.write_error.load(), static_cast<agent::Cut>(status.cut.load()),
                          status.left_out.load()};
}

RecordingEnd watch_recording(const RecordingPlan& plan, const RecordingWatch& watch) {
  using Clock = std::chrono::steady_clock;
  constexpr double kHurry = 10;  // seconds in which an agent has begun, if it ever does
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  // An agent that ends by itself is asked to when it is late.
  constexpr double kLate = 3;  // seconds
  const double told = std::chrono::duration<double>(plan.duration).count();
  const double most = told > 0 && plan.ends_itself ? told + kLate : told;
  LiveStatus status(plan.stream);
  const auto is_cut = [&] {
    const auto figures = plan.ends_when_cut ? status.figures() : std::nullopt;
    return figures && figures->cut != agent::Cut::none;
  };
  bool stopped = false;
  while (!watch.ended() && !is_cut()) {
    const bool due = watch.stop_asked() || (most > 0 && seconds() >= most);
    if (due && !stopped) watch.stop();
    stopped |= due;
    watch.look(status, seconds());
    // The counters are only there while the program runs: look often until they are found, but not
    // for ever.
    const bool at_ease = status.found() || seconds() > kHurry;
    std::this_thread::sleep_for(std::chrono::milliseconds(at_ease ? 20 : 2));
  }
  return {seconds(), status.figures(), {}};
}

}  // namespace polytrace::service
