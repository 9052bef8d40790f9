// SPDX-License-Identifier: Apache-2.0
// What is kept when the process is killed, memory or disk are full, or nobody reads.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include "agent/common/recording.hpp"
#include "agent/common/stream/output.hpp"
#include "support/waiting.hpp"

namespace polytrace::test {
namespace {

using agent::Recorder;
using Event = Recorded::Event;

// --- a killed process ---------------------------------------------------------------------------

constexpr std::uint32_t kWorkers = 3;

struct Progress {  // shared with the child
  std::atomic<std::uint64_t> stored[kWorkers];
};

Progress* shared_progress() {
  void* const memory =
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return new (memory) Progress;
}

void record_for_ever(Progress& progress, std::uint32_t worker) {
  agent::name_thread(10 + worker);
  event::Note note;
  note.text = "a body between calls";
  for (std::uint32_t i = 1;; ++i) {
    const std::uint32_t method = 1 + i % 1'000'000;
    if (i % 64 == 0) agent::emit(note, i);
    else if (i % 50 == 0) agent::alloc_array_at(i % 1'000'000, i);
    else agent::enter(method);
    progress.stored[worker].store(i, std::memory_order_release);
  }
}

[[noreturn]] void run_child(const std::string& file, Progress& progress) {
  agent::Faults faults;
  agent::Options options = agent::parse_options("flush=3ms,buffer=4m,cpu=off", faults);
  options.file = file;
  options.min_free = 0;
  if (!Recorder::the().start(options, faults)) _exit(1);
  std::vector<std::thread> threads;
  for (std::uint32_t i = 1; i < kWorkers; ++i)
    threads.emplace_back(record_for_ever, std::ref(progress), i);
  record_for_ever(progress, 0);
  _exit(2);
}

// Numbers of the events of one worker, as they were made above.
bool is_event(const Event& event, std::uint64_t i) {
  if (i % 64 == 0) return event.kind == Event::kBody && event.extra == i + 1;
  if (i % 50 == 0)
    return event.kind == Event::kAllocArray && event.value == i % 1'000'000 && event.extra == i;
  return event.kind == Event::kEnter && event.value == 1 + i % 1'000'000;
}

TEST(losses, a_killed_process_leaves_every_stored_event) {
  std::mt19937_64 engine(20260131);
  for (int round = 0; round < 12; ++round) {
    const TemporaryFolder folder;
    Progress* const progress = shared_progress();
    const pid_t child = fork();
    if (child == 0) run_child(folder.file("trace.ptrace"), *progress);
    EXPECT_TRUE(wait_until([&] { return progress->stored[kWorkers - 1] != 0; }));
    usleep(static_cast<useconds_t>(engine() % 25'000));  // wait: any moment will do
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    const Recorded recorded = read_recording(folder.file("trace.ptrace"));
    ASSERT_EQ(recorded.fault, "");
    EXPECT_FALSE(recorded.ended);
    const auto threads = recorded.by_thread();
    for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
      const std::uint64_t stored = progress->stored[worker];
      if (stored == 0) continue;
      const std::vector<Event>& events = threads.at(10 + worker);
      // The one behind the last that was said to be stored may be there.
      ASSERT_GE(events.size(), stored) << "round " << round;
      ASSERT_LE(events.size(), stored + 1) << "round " << round;
      for (std::uint64_t i = 1; i <= events.size(); ++i)
        ASSERT_TRUE(is_event(events[i - 1], i)) << "round " << round << " event " << i;
    }
    munmap(progress, sizeof(Progress));
  }
}

// --- memory is full -----------------------------------------------------------------------------

// The other end of the stream: takes nothing until it is told to.
class PipeReader {
 public:
  explicit PipeReader(std::string file) : file_(std::move(file)) {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
  }
  ~PipeReader() { finish(); }
  PipeReader(const PipeReader&) = delete;
  PipeReader& operator=(const PipeReader&) = delete;

  int write_end() const { return ends_[1]; }
  bool takes_more() const {
    pollfd pipe{ends_[1], POLLOUT, 0};
    return poll(&pipe, 1, 0) == 1;
  }
  void begin() {
    thread_ = std::thread([this] {
      std::ofstream file(file_, std::ios::binary);
      char buffer[65536];
      for (ssize_t got = 0; (got = read(ends_[0], buffer, sizeof buffer)) > 0;)
        file.write(buffer, got);
    });
  }
  Recorded finish() {
    if (thread_.joinable()) thread_.join();
    if (ends_[0] >= 0) close(ends_[0]);
    ends_[0] = -1;
    return read_recording(file_);
  }

 private:
  std::string file_;
  int ends_[2] = {-1, -1};
  std::thread thread_;
};

TEST(losses, what_drop_leaves_out_is_counted_exactly) {
  const TemporaryFolder folder;
  PipeReader reader(folder.file("stream"));
  Recording recording("policy=drop,buffer=1m,flush=1ms", reader.write_end());
  constexpr std::uint64_t kEvents = 1'000'000;
  constexpr std::uint64_t kThreads = 3;
  const auto fill = [](std::uint64_t thread) {
    agent::name_thread(20 + thread);
    for (std::uint32_t i = 1; i <= kEvents; ++i) agent::enter(i);
  };
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i) threads.emplace_back(fill, i);
  for (std::thread& thread : threads) thread.join();
  const std::uint64_t lost = Recorder::the().status().lost;
  EXPECT_GT(lost, 0U);
  reader.begin();
  // Some go on, so that losses are told within the stream as well.
  ASSERT_TRUE(Recorder::the().flush(kPatience));
  std::thread([&] { fill(kThreads); }).join();
  EXPECT_TRUE(recording.stop());
  const Recorded recorded = reader.finish();
  EXPECT_EQ(recorded.fault, "");
  EXPECT_TRUE(recorded.ended);
  EXPECT_EQ(recorded.count(Event::kEnter) + recorded.lost(), kEvents * (kThreads + 1));
  EXPECT_EQ(recorded.lost(), Recorder::the().status().lost);
  // Those that had ended when there was memory again are told by their threads, too.
  for (const auto& [thread, events] : recorded.by_thread()) {
    const auto entries = std::ranges::count(events, Event::kEnter, &Event::kind);
    if (thread < 20 || thread > 20 + kThreads) continue;
    EXPECT_EQ(static_cast<std::uint64_t>(entries) + Recorded::lost_in(events), kEvents) << thread;
  }
}

TEST(losses, callbacks_that_may_not_wait_drop_and_are_counted) {
  const TemporaryFolder folder;
  PipeReader reader(folder.file("stream"));
  Recording recording("policy=block,buffer=1m,flush=1ms", reader.write_end());
  std::uint64_t kept = 0;
  constexpr std::uint64_t kEvents = 200'000;
  event::Gc gc;
  gc.generations = 7;
  for (std::uint64_t i = 0; i < kEvents; ++i)
    if (agent::emit(gc, i, {}, agent::Patience::never)) ++kept;
  EXPECT_LT(kept, kEvents);
  reader.begin();
  agent::end_thread();
  EXPECT_TRUE(recording.stop());
  const Recorded recorded = reader.finish();
  EXPECT_EQ(recorded.lost(), kEvents - kept);
}

TEST(losses, more_threads_than_segments_do_not_wait_for_each_other) {
  Recording recording("policy=block,buffer=1m");
  constexpr std::uint64_t kThreads = 300;  // of 256 segments
  std::atomic<std::uint64_t> tried = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      agent::enter(1);
      ++tried;
      EXPECT_TRUE(wait_until([&] { return tried >= kThreads; }));  // all of them live
    });
  for (std::thread& thread : threads) thread.join();
  const Recorded recorded = recording.stop_and_read();
  EXPECT_GT(recorded.lost(), 0U);
  EXPECT_EQ(recorded.count(Event::kEnter) + recorded.lost(), kThreads);
}

TEST(losses, a_ring_keeps_what_came_last) {
  Recording recording("policy=ring,buffer=2m");
  constexpr std::uint32_t kEvents = 2'000'000;
  std::thread([] {
    agent::name_thread(1);
    for (std::uint32_t i = 1; i <= kEvents; ++i) agent::enter(i);
  }).join();
  const Recorded recorded = recording.stop_and_read();
  const std::vector<Event> events = recorded.by_thread().at(1);
  ASSERT_GT(events.size(), 50'000U);
  EXPECT_EQ(events.back().value, kEvents);
  for (std::size_t i = 1; i < events.size(); ++i)
    ASSERT_EQ(events[i].value, events[i - 1].value + 1);
  EXPECT_EQ(events.size() + recorded.lost(), kEvents);
}

TEST(losses, a_ring_can_be_dumped_and_goes_on) {
  Recording recording("policy=ring,buffer=2m");
  agent::name_thread(1);
  agent::enter(1);
  ASSERT_TRUE(Recorder::the().flush(kPatience));
  EXPECT_EQ(recording.read_stream().count(Event::kEnter), 0U);
  ASSERT_TRUE(Recorder::the().dump(kPatience));
  EXPECT_EQ(recording.read_stream().count(Event::kEnter), 1U);
  agent::enter(2);
  agent::end_thread();
  EXPECT_EQ(recording.stop_and_read().count(Event::kEnter), 2U);
}

// --- the output takes no more -------------------------------------------------------------------

TEST(losses, stop_does_not_wait_for_a_reader_that_stalls) {
  const TemporaryFolder folder;
  PipeReader reader(folder.file("stream"));
  Recording recording("policy=block,buffer=1m,flush=1ms", reader.write_end());
  std::thread blocked([] {
    agent::name_thread(1);
    for (std::uint32_t i = 1; i <= 1'000'000; ++i) agent::enter(i);
  });
  // A writer that is slow, and not stuck, makes threads wait as well.
  EXPECT_TRUE(
      wait_until([&] { return Recorder::the().status().stalls != 0 && !reader.takes_more(); }));
  EXPECT_FALSE(recording.stop(100'000'000));
  blocked.join();  // let go
  EXPECT_EQ(Recorder::the().state(), agent::State::failed);
}

// The segments fit, the stream does not.
constexpr std::size_t kFileLimit = std::size_t{3} << 20;

// In a child: limits of the file size are the process's.
int record_under_limit(const std::string& file) {
  const rlimit limit{kFileLimit, kFileLimit};
  setrlimit(RLIMIT_FSIZE, &limit);
  agent::Faults faults;
  agent::Options options = agent::parse_options("buffer=2m,flush=1ms,cpu=off", faults);
  options.file = file;
  options.min_free = 0;
  if (!Recorder::the().start(options, faults)) return 1;
  agent::name_thread(1);
  std::uint32_t i = 1;
  for (; Recorder::the().state() == agent::State::running; ++i) agent::enter(i % 1'000'000);
  if (Recorder::the().status().write_error != EFBIG) return 2;
  return Recorder::the().stop(kPatience) ? 3 : 0;
}

TEST(losses, a_full_disk_ends_the_recording_and_not_the_process) {
  const TemporaryFolder folder;
  const std::string file = folder.file("trace.ptrace");
  const pid_t child = fork();
  if (child == 0) _exit(record_under_limit(file));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const Recorded recorded = read_recording(file);
  EXPECT_EQ(recorded.fault, "");
  EXPECT_FALSE(recorded.ended);
  EXPECT_FALSE(recorded.cut_short);  // the last block is whole
  // All there is, without a gap, goes on into the segments that were not written. An event takes at
  // most a byte for its kind, four for its method and five for the time since the one before.
  constexpr std::size_t kMaxEventBytes = 10;
  const std::vector<Event> events = recorded.by_thread().at(1);
  ASSERT_GT(events.size(), kFileLimit / kMaxEventBytes);
  for (std::size_t i = 0; i < events.size(); ++i) ASSERT_EQ(events[i].value, (i + 1) % 1'000'000);
}

bool tells(const Recorded& recorded, const std::string& text) {
  for (const Event& event : recorded.events)
    if (event.body.find(text) != std::string::npos) return true;
  return false;
}

TEST(losses, a_disk_that_is_nearly_full_ends_the_stream_well) {
  const TemporaryFolder folder;
  agent::Faults faults;
  agent::Options options = agent::parse_options("flush=1ms,cpu=off", faults);
  options.file = folder.file("trace.ptrace");
  options.min_free = UINT64_MAX - 1;
  ASSERT_TRUE(Recorder::the().start(options, faults));
  ASSERT_TRUE(wait_until([] { return Recorder::the().state() != agent::State::running; }));
  EXPECT_TRUE(Recorder::the().stop(kPatience));
  const Recorded recorded = read_recording(options.file);
  EXPECT_EQ(recorded.fault, "");
  EXPECT_TRUE(recorded.ended);
  EXPECT_TRUE(tells(recorded, "cut off: the disk is nearly full"));
}

TEST(losses, a_limit_ends_the_stream_well_and_the_program_goes_on) {
  constexpr std::uintmax_t kLimit = 1 << 20;
  constexpr std::uintmax_t kBeyond = 4 << 20;  // what was on its way
  const TemporaryFolder folder;
  agent::Faults faults;
  agent::Options options = agent::parse_options("flush=1ms,limit=1MiB,min-free=0,cpu=off", faults);
  ASSERT_TRUE(faults.empty());
  options.file = folder.file("trace.ptrace");
  ASSERT_TRUE(Recorder::the().start(options, faults));
  std::uint32_t i = 0;
  while (Recorder::the().state() == agent::State::running) agent::enter(1 + ++i % 1000);
  for (std::uint32_t more = 0; more < 1'000'000; ++more) agent::enter(1);
  EXPECT_TRUE(Recorder::the().stop(kPatience));
  const auto size = std::filesystem::file_size(options.file);
  EXPECT_GE(size, kLimit);
  EXPECT_LT(size, kBeyond);
  const Recorded recorded = read_recording(options.file);
  EXPECT_EQ(recorded.fault, "");
  EXPECT_TRUE(recorded.ended);
  EXPECT_TRUE(tells(recorded, "cut off: its limit of 1 MiB is reached"));
}

TEST(losses, small_disks_keep_a_quarter_free_and_large_ones_a_twentieth) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_EQ(agent::least_free(64 * kMiB), 16 * kMiB);
  EXPECT_EQ(agent::least_free(1024 * kMiB), 64 * kMiB);
  EXPECT_EQ(agent::least_free(20480 * kMiB), 1024 * kMiB);
  EXPECT_EQ(agent::least_free(1024 * 1024 * kMiB), 2048 * kMiB);
}

TEST(losses, nothing_is_overwritten_and_no_link_followed) {
  const TemporaryFolder folder;
  const std::string there = folder.write("there", "precious");
  ASSERT_EQ(symlink(folder.file("elsewhere").c_str(), folder.file("link").c_str()), 0);
  for (const std::string& file : {there, folder.file("link"), folder.file("no/such")}) {
    agent::Faults faults;
    agent::Options options;
    options.file = file;
    EXPECT_FALSE(Recorder::the().start(options, faults)) << file;
    EXPECT_EQ(faults.size(), 1U);
  }
  EXPECT_EQ(content_of(there), "precious");
  EXPECT_EQ(folder.entries(), 2U);
}

}  // namespace
}  // namespace polytrace::test
