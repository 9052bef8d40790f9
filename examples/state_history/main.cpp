// SPDX-License-Identifier: Apache-2.0
// A state history without any trace: the phases and the queue of a small machine are built, queried
// and told. Fails when an answer is not what was put in.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "history/builder.hpp"
#include "history/history.hpp"

namespace {

using namespace polytrace;
using history::Interval;
using history::Tick;
using history::Value;

base::result<void> build(const std::string& path) {
  auto made = history::Builder::create(path, {.ticks_per_second = 1000});
  if (!made) return tl::unexpected(made.error());
  const auto phase = made->key({"Machine", "Phase"});
  const auto queue = made->key({"Machine", "Queue"});
  for (Tick second = 0; second < 10; ++second) {
    const Tick t = second * 1000;
    const Value value = Value::text(second % 3 == 0 ? "idle" : "working");
    if (auto done = made->modify(t, phase, value); !done) return done;
    if (auto done = made->modify(t + 250, queue, Value::of(second * second)); !done) return done;
  }
  return made->close(9999);
}

void print(const Interval& interval) {
  const Value& value = interval.value;
  const std::string text = value.type() == history::Type::string ? std::string(value.text())
                           : value.type() == history::Type::integer
                               ? std::to_string(value.integer())
                               : "null";
  std::printf("  key %u, %lld to %lld: %s\n", interval.key, static_cast<long long>(interval.start),
              static_cast<long long>(interval.end), text.c_str());
}

// The number of intervals of the phase; 0 when something is wrong.
int query(const std::string& path) {
  const auto opened = history::History::open(path);
  if (!opened) return std::fprintf(stderr, "%s\n", base::to_text(opened.error()).c_str()), 0;
  const history::Tree& tree = opened->tree();
  const auto phase = tree.key(tree.match("Machine/Phase").at(0));
  const auto queue = tree.key(tree.match("Machine/Queue").at(0));
  std::puts("All states at 4500:");
  const auto full = opened->full(4500, print);
  std::puts("The phase, all the time:");
  int intervals = 0;
  const auto range = opened->range(phase, 0, 9999, [&](const Interval& interval) {
    print(interval);
    ++intervals;
  });
  const auto at = opened->at(4500, queue);
  const bool right = full && range && at && *at && (*at)->value == Value::of(std::int64_t{16}) &&
                     (*at)->start == 4250 && (*at)->end == 5249;
  return right ? intervals : 0;
}

}  // namespace

int main() {
  std::string folder = (std::filesystem::temp_directory_path() / "state_history.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  const std::string path = folder + "/history.bin";
  const auto built = build(path);
  if (!built) std::fprintf(stderr, "%s\n", base::to_text(built.error()).c_str());
  const int intervals = built ? query(path) : 0;
  std::filesystem::remove_all(folder);
  return intervals == 7 ? 0 : 1;
}
