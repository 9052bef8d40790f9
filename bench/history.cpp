// SPDX-License-Identifier: Apache-2.0
// Builds a history of mixed types and times every kind of query on it:
//   history build KEYS CHANGES OUTPUT [churn]
//   history query OUTPUT
//   history cold OUTPUT KIND      one query on a file that is not in the page cache
//   history first OUTPUT          opening a file and one query of one key, as a command does
// Keys change at rates from 1 to 32000, in random intervals; one in 16 values is null. With `churn`
// each key is busy in a short part of the time only. Prints "name value" lines; history.sh compares
// them with their targets.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <queue>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "history/builder.hpp"
#include "history/history.hpp"

namespace {

using namespace polytrace::history;

// xorshift64*: deterministic on every machine, and cheap.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0x9e3779b97f4a7c15U) : state_(seed) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DU >> 16;
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }
  double share() { return static_cast<double>(next() + 1) / static_cast<double>(1ULL << 48); }

 private:
  std::uint64_t state_;
};

double seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
double cpu() { return seconds(CLOCK_PROCESS_CPUTIME_ID); }
double wall() { return seconds(CLOCK_MONOTONIC); }

void tell(const char* name, double value) { fmt::print("{} {:.6g}\n", name, value); }

[[noreturn]] void fail(const polytrace::base::Error& error) {
  fmt::print(stderr, "{}\n", polytrace::base::to_text(error));
  std::exit(1);
}
template <class T>
T must(polytrace::base::result<T> got) {
  if (!got) fail(got.error());
  if constexpr (!std::is_void_v<T>) return std::move(*got);
}

// "RssAnon" and the like, in MiB.
double resident(const char* what) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != std::string(what) + ":") continue;
    double kib = 0;
    status >> kib;
    return kib / 1024;
  }
  return 0;
}

// The changes of all keys in one order of time.
class Workload {
 public:
  struct Change {
    Tick t;
    std::uint32_t key;
    std::uint32_t value;
  };

  Workload(std::uint32_t keys, std::uint64_t changes, bool churn) {
    constexpr double kFastest = 32000;
    constexpr double kSpan = 1e10;  // ten seconds
    double total = 0;
    for (std::uint32_t i = 0; i < keys; ++i) {
      rate_.push_back(churn ? 1 : std::pow(kFastest, random_.share()));
      total += rate_.back();
    }
    const double per_rate = static_cast<double>(changes) / total;
    for (std::uint32_t i = 0; i < keys; ++i) {
      const double life = churn ? kSpan / 50 : kSpan;
      mean_.push_back(life / (rate_[i] * per_rate));
      const double born = churn ? random_.share() * (kSpan - life) : 0;
      left_.push_back(churn ? static_cast<std::uint64_t>(per_rate) : ~std::uint64_t{0});
      due_.push({static_cast<Tick>(born) + step(i), i});
    }
  }
  Change next() {
    const auto [t, key] = due_.top();
    due_.pop();
    if (--left_[key] > 0) due_.push({t + step(key), key});
    return {t, key, static_cast<std::uint32_t>(random_.next())};
  }
  bool done() const { return due_.empty(); }

 private:
  struct Due {
    Tick t;
    std::uint32_t key;
    bool operator<(const Due& other) const { return t != other.t ? t > other.t : key > other.key; }
  };
  Tick step(std::uint32_t key) {
    return static_cast<Tick>(-std::log(random_.share()) * mean_[key]) + 1;
  }

  Random random_;
  std::vector<double> rate_;
  std::vector<double> mean_;
  std::vector<std::uint64_t> left_;
  std::priority_queue<Due> due_;
};

class Values {
 public:
  Values() {
    for (unsigned i = 0; i < 64; ++i) texts_.push_back(fmt::format("state of a thread {}", i));
  }
  Value of(std::uint32_t key, std::uint32_t random) const {
    if (random % 16 == 0) return Value::null();
    random /= 16;
    switch (key % 4) {
      case 0: return Value::of(static_cast<std::int64_t>(random % 1000));
      case 1: return Value::text(texts_[random % texts_.size()]);
      case 2: return Value::of(random % 2 == 0);
      default: return Value::of(static_cast<double>(random % 10000) / 100);
    }
  }

 private:
  std::vector<std::string> texts_;
};

constexpr Type kTypes[]{Type::integer, Type::string, Type::boolean, Type::real};

void build(std::uint32_t keys, std::uint64_t changes, const char* path, bool churn) {
  constexpr std::size_t kBatch = 4 * 1024;  // stays in the cache
  struct Change {
    Tick t;
    Key key;
    Value value = Value::null();
  };
  Workload workload(keys, changes, churn);
  const Values values;
  double used = cpu();
  auto builder = must(Builder::create(path, {.replace = true}));
  std::vector<Key> names;
  for (std::uint32_t i = 0; i < keys; ++i) {
    names.push_back(builder.key({"threads", std::to_string(i)}));
    must(builder.declare(names.back(), kTypes[i % 4]));
  }
  used = cpu() - used;
  std::vector<Change> batch;
  Tick last = 0;
  std::uint64_t fed = 0;
  while (fed < changes && !workload.done()) {
    batch.clear();
    while (batch.size() < kBatch && fed + batch.size() < changes && !workload.done()) {
      const auto [t, key, value] = workload.next();
      batch.push_back({t, names[key], values.of(key, value)});
    }
    const double before = cpu();
    for (const auto& change : batch) {
      if (auto done = builder.modify(change.t, change.key, change.value); !done) fail(done.error());
    }
    used += cpu() - before;
    fed += batch.size();
    last = batch.back().t;
  }
  const double before = cpu();
  must(builder.close(last));
  used += cpu() - before;
  const Facts facts = builder.facts();
  tell("build_changes_per_cpu_second", static_cast<double>(fed) / used);
  tell("build_cpu_seconds", used);
  tell("intervals", static_cast<double>(facts.intervals));
  tell("bytes_per_interval",
       static_cast<double>(facts.bytes) / static_cast<double>(facts.intervals));
  tell("segments", static_cast<double>(facts.segments));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  tell("build_peak_mib", static_cast<double>(usage.ru_maxrss) / 1024);
}

// Processor time of one call, the median of `times` turns of `batch` calls each. Nothing waits for
// the disk here: time taken by others on a shared machine is not counted.
template <class Once>
void median(const char* name, unsigned times, unsigned batch, Once once) {
  std::vector<double> all;
  for (unsigned i = 0; i < times; ++i) {
    const double before = cpu();
    for (unsigned j = 0; j < batch; ++j) once();
    all.push_back((cpu() - before) / batch);
  }
  std::ranges::sort(all);
  tell(name, all[all.size() / 2] * 1e6);
}

struct Sum {
  std::uint64_t intervals = 0;
  std::uint64_t bits = 0;
  void operator()(const Interval& interval) {
    ++intervals;
    bits += interval.value.bits() + interval.value.text().size() +
            static_cast<std::uint64_t>(interval.start ^ interval.end);
  }
};

// What samples of 100 keys cannot be below: of each segment and key they look where its run is, and
// at the run. As many lines of the file, anywhere, one waiting for no other.
void touch(const char* path, std::uint64_t segments, Random& random) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  const auto size = static_cast<std::size_t>(lseek(fd, 0, SEEK_END));
  void* const at = mmap(nullptr, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (at == MAP_FAILED) return;
  const auto* const bytes = static_cast<const std::byte*>(at);
  std::uint64_t sum = 0;
  median("touched_us", 11, 1, [&] {
    for (std::uint64_t i = 0; i < segments * 100 * 2; ++i)
      sum += static_cast<std::uint64_t>(bytes[random.next() * 4096 % size]);
  });
  asm volatile("" : : "r"(sum));
  munmap(at, size);
  close(fd);
}

void query(const char* path) {
  Random random(42);
  Sum sum;
  median("open_us", 11, 1, [&] { sum.bits += must(History::open(path)).facts().keys; });
  const auto history = must(History::open(path));
  // Only keys that hold values.
  std::vector<Key> keys;
  for (const Key key : history.keys()) {
    if (history.type(key) != Type::open) keys.push_back(key);
  }
  const Facts& facts = history.facts();
  const auto length = static_cast<std::uint64_t>(facts.end - facts.start) + 1;
  const auto any_tick = [&] {
    return facts.start + static_cast<Tick>(random.next() * 16 % length);
  };
  const auto any_key = [&] { return keys[random.below(keys.size())]; };
  must(history.verify());
  must(history.full(any_tick(), sum));
  median("full_us", 101, 1, [&] { must(history.full(any_tick(), sum)); });
  median("at_us", 201, 100, [&] { must(history.at(any_tick(), any_key())); });
  median("whole_key_us", 101, 10,
         [&] { must(history.range(any_key(), facts.start, facts.end, sum)); });
  const auto samples = [&](std::uint64_t count) {
    std::vector<Tick> times;
    std::vector<Key> some;
    for (std::uint64_t i = 0; i < count; ++i)
      times.push_back(facts.start + static_cast<Tick>(length / count * i));
    for (unsigned i = 0; i < 100; ++i) some.push_back(any_key());
    must(history.sampled(some, times, sum));
  };
  median("sampled_us", 11, 1, [&] { samples(1000); });
  // Where there are fewer segments than samples, this opens the same runs, for one state of each.
  median("one_each_us", 11, 1, [&] { samples(facts.segments); });
  touch(path, facts.segments, random);
  tell("query_anonymous_mib", resident("RssAnon"));
  tell("query_mapped_mib", resident("RssFile"));
  tell("checksum", static_cast<double>(sum.intervals + sum.bits % 1000));
}

// Only what the file system reads for this process counts.
double read_requests_bytes() {
  std::ifstream io("/proc/self/io");
  for (std::string word; io >> word;) {
    if (word != "read_bytes:") continue;
    double bytes = 0;
    io >> bytes;
    return bytes;
  }
  return 0;
}

void cold(const char* path, const std::string& kind) {
  const auto history = must(History::open(path));
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  const Facts& facts = history.facts();
  const Tick t = facts.start + (facts.end - facts.start) / 7 * 3;
  Sum sum;
  const double bytes = read_requests_bytes();
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  const double started = wall();
  const double used = cpu();
  if (kind == "full") must(history.full(t, sum));
  else must(history.at(t, history.keys()[history.keys().size() / 2]));
  tell("cold_us", (wall() - started) * 1e6);
  tell("cold_cpu_us", (cpu() - used) * 1e6);
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  tell("cold_read_kib", (read_requests_bytes() - bytes) / 1024);
  tell("cold_major_faults", static_cast<double>(after.ru_majflt - before.ru_majflt));
  close(fd);
}

void first(const char* path) {
  const double started = wall();
  const auto history = must(History::open(path));
  const Facts& facts = history.facts();
  must(history.at(facts.start + (facts.end - facts.start) / 2, history.keys().back()));
  tell("first_ms", (wall() - started) * 1e3);
  tell("first_anonymous_mib", resident("RssAnon"));
}

}  // namespace

int main(int count, char** words) {
  const std::string verb = count > 2 ? words[1] : "";
  if (verb == "build" && count >= 5) {
    build(static_cast<std::uint32_t>(std::strtod(words[2], nullptr)),
          static_cast<std::uint64_t>(std::strtod(words[3], nullptr)), words[4], count > 5);
  } else if (verb == "query") {
    query(words[2]);
  } else if (verb == "cold" && count == 4) {
    cold(words[2], words[3]);
  } else if (verb == "first") {
    first(words[2]);
  } else {
    return fmt::print(stderr, "usage: history build|query|cold|first ...\n"), 2;
  }
  return 0;
}
