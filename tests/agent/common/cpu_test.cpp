// SPDX-License-Identifier: Apache-2.0
// CPU times of threads, which another thread reads. What they used is read beside the recorder,
// from the thread's own clock.
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/common/recording.hpp"
#include "support/waiting.hpp"

namespace polytrace::test {
namespace {

using agent::Recorder;
using Cpu = Recorded::Cpu;

constexpr std::string_view kWhenAsked = "cpu=3600s";  // and at the beginning

std::uint64_t own_cpu() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t sum_of(const std::vector<Cpu>& all) {
  std::uint64_t sum = 0;
  for (const Cpu& one : all) sum += one.used;
  return sum;
}

// Until it has used so much more.
void compute(std::uint64_t nanoseconds) {
  const std::uint64_t until = own_cpu() + nanoseconds;
  while (own_cpu() < until) {
  }
}

bool sleeps(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name = text.rfind(')');
  return name != std::string::npos && text.substr(name, 3) == ") S";
}

// A thread that has a name in the stream, records nothing, and waits.
class Waiting {
 public:
  explicit Waiting(base::Id number) {
    thread_ = std::thread([this, number] {
      agent::name_thread(number);
      system_ = gettid();
      end_.get_future().wait();
    });
    EXPECT_TRUE(wait_until([this] { return system_ != 0 && sleeps(system_); }));
  }
  ~Waiting() { end(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  void end() {
    if (!thread_.joinable()) return;
    end_.set_value();
    thread_.join();
  }

 private:
  std::thread thread_;
  std::atomic<int> system_ = 0;
  std::promise<void> end_;
};

TEST(cpu, of_a_thread_adds_up_to_what_it_used) {
  Recording recording("cpu=1ms");
  std::uint64_t before = 0, named = 0, used = 0;
  std::thread([&] {
    before = own_cpu();
    agent::name_thread(7);
    named = own_cpu();
    for (int i = 0; i < 20; ++i) {
      agent::enter(1);
      compute(1'000'000);
      agent::leave(1);
    }
    used = own_cpu();
    agent::end_thread();
    before = own_cpu() - before;
  }).join();
  const std::vector<Cpu> told = recording.stop_and_read().cpu_of(7);
  ASSERT_FALSE(told.empty());
  EXPECT_GE(sum_of(told), used - named);
  EXPECT_LE(sum_of(told), before);
}

TEST(cpu, of_a_thread_that_ends_at_once_is_told_once) {
  Recording recording(kWhenAsked);
  EXPECT_TRUE(Recorder::the().flush(kPatience));  // the beginning is over
  std::thread([] {
    agent::name_thread(7);
    compute(1'000'000);
  }).join();
  const std::vector<Cpu> told = recording.stop_and_read().cpu_of(7);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_GE(told[0].used, 1'000'000U);
  EXPECT_GE(told[0].span, told[0].used);
}

// The first event tells since when its time is known; then it is told once that there was none.
TEST(cpu, of_a_thread_that_waits_is_none_and_known) {
  Recording recording(kWhenAsked);
  EXPECT_TRUE(Recorder::the().flush(kPatience));  // the beginning is over
  Waiting waiting(7);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Recorder::the().flush(kPatience));
  const std::vector<Cpu> so_far = recording.read_stream().cpu_of(7);
  ASSERT_EQ(so_far.size(), 2U);
  EXPECT_GT(so_far[0].used, 0U);
  EXPECT_GT(so_far[0].span, 0U);
  EXPECT_EQ(so_far[1].used, 0U);
  EXPECT_EQ(so_far[1].span, 0U);
  waiting.end();
  // It was awake since the last flush, not since the event before.
  const Recorded recorded = recording.stop_and_read();
  const std::vector<Cpu> told = recorded.cpu_of(7);
  ASSERT_EQ(told.size(), 3U);
  EXPECT_GT(told[2].used, 0U);
  EXPECT_GT(told[2].span, 0U);
}

TEST(cpu, of_many_threads_is_told_of_each) {
  Recording recording(kWhenAsked);
  EXPECT_TRUE(Recorder::the().flush(kPatience));  // the beginning is over
  constexpr base::Id kThreads = 200;
  {
    std::vector<std::unique_ptr<Waiting>> threads;
    for (base::Id i = 1; i <= kThreads; ++i) threads.push_back(std::make_unique<Waiting>(i));
    EXPECT_TRUE(Recorder::the().flush(kPatience));
    EXPECT_TRUE(Recorder::the().flush(kPatience));
    const Recorded recorded = recording.read_stream();
    for (base::Id i = 1; i <= kThreads; ++i) EXPECT_EQ(recorded.cpu_of(i).size(), 2U) << i;
    EXPECT_EQ(Recorder::the().status().threads.load(), 0U);
  }
  EXPECT_EQ(recording.stop_and_read().lost(), 0U);
}

TEST(cpu, used_before_a_recording_or_while_it_pauses_is_in_no_sum_of_its_own) {
  std::promise<void> go;
  std::promise<void> done;
  std::promise<void> end;
  std::uint64_t earlier = 0;
  std::thread thread([&] {
    agent::name_thread(7);
    compute(30'000'000);
    earlier = own_cpu();
    done.set_value();
    go.get_future().wait();
    agent::enter(1);
    agent::leave(1);
    end.get_future().wait();
  });
  done.get_future().wait();
  Recording recording(kWhenAsked);
  go.set_value();
  end.set_value();
  thread.join();
  EXPECT_LT(sum_of(recording.stop_and_read().cpu_of(7)), earlier);
}

TEST(cpu, is_off_where_nothing_needs_it) {
  agent::Faults faults;
  const auto interval = [&](std::string_view text) {
    return agent::cpu_interval(agent::parse_options(text, faults));
  };
  EXPECT_EQ(interval(""), 100'000'000U);
  EXPECT_EQ(interval("events=samples=1ms"), 100'000'000U);
  EXPECT_EQ(interval("events=gc"), 0U);
  EXPECT_EQ(interval("format=mlpd"), 0U);
  EXPECT_EQ(interval("format=tracelog,cpu=yes"), 100'000'000U);
  EXPECT_EQ(interval("events=gc,cpu=20ms"), 20'000'000U);
  EXPECT_EQ(interval("cpu=off"), 0U);
  EXPECT_EQ(interval("cpu=no"), 0U);
  EXPECT_TRUE(faults.empty());
  interval("cpu=10us");
  EXPECT_EQ(faults.size(), 1U);
}

TEST(cpu, is_in_no_stream_that_does_not_want_it) {
  Recording recording("cpu=off");
  Waiting waiting(7);
  EXPECT_TRUE(Recorder::the().flush(kPatience));
  waiting.end();
  EXPECT_TRUE(recording.stop_and_read().cpu_of(7).empty());
}

}  // namespace
}  // namespace polytrace::test
