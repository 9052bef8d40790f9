// SPDX-License-Identifier: Apache-2.0
#include "collector/hub/store_roll.hpp"

#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "base/wall_clock.hpp"
#include "support/waiting.hpp"

namespace polytrace::collector {
namespace {

// What it was told, and what of it were warnings; by its thread.
class Log {
 public:
  Tell tell() {
    return [this](const LogEntry& entry) {
      const std::scoped_lock lock(mutex_);
      ++(entry.weight == Weight::warning ? warnings : news)[entry.text];
    };
  }
  std::map<std::string, int> warnings, news;

 private:
  std::mutex mutex_;
};

Config of_tenants() {
  Config config;
  config.tenants = {{"a", "pt_a", {}}, {"b", "pt_b", {}}};
  return config;
}

// Runs once and ends; the databases that were rolled.
std::vector<std::string> run_once(const Config& config, const RollStore& one, Figures& figures,
                                  Log& log) {
  std::vector<std::string> databases;
  std::promise<void> all;
  const std::size_t wanted = std::max<std::size_t>(1, config.tenants.size());
  const RollStore roll = [&](const std::string& database, const std::atomic<bool>& stop) {
    Rolled rolled = one(database, stop);
    databases.push_back(database);
    if (databases.size() == wanted) all.set_value();
    return rolled;
  };
  const auto running = StoreRoll::make(config, roll, figures, log.tell());
  all.get_future().wait();
  // The last one's outcome is counted behind its return.
  while (figures.roll_failures_total == 0 && figures.rolled_at == 7) std::this_thread::yield();
  return databases;
}

TEST(store_roll, goes_over_all_tenants_at_once) {
  Figures figures;
  Log log;
  const auto before = static_cast<std::uint64_t>(base::wall_seconds());
  const auto databases = run_once(
      of_tenants(),
      [&](const std::string& database, const std::atomic<bool>&) {
        figures.rolled_at = 7;  // as of long ago
        return Rolled{{database + " was due"}, {}};
      },
      figures, log);
  EXPECT_EQ(databases, (std::vector<std::string>{"pt_a", "pt_b"}));
  EXPECT_GE(figures.rolled_at, before);
  EXPECT_EQ(figures.roll_failures_total, 0U);
  EXPECT_EQ(log.news, (std::map<std::string, int>{{"pt_a was due", 1}, {"pt_b was due", 1}}));
  EXPECT_TRUE(log.warnings.empty());
}

TEST(store_roll, a_fault_of_one_is_told_and_counted_and_holds_up_no_other) {
  Figures figures;
  Log log;
  const auto databases = run_once(
      of_tenants(),
      [&](const std::string& database, const std::atomic<bool>&) {
        figures.rolled_at = 7;
        return database == "pt_a" ? Rolled{{}, {"it is away"}} : Rolled{};
      },
      figures, log);
  EXPECT_EQ(databases.size(), 2U);
  EXPECT_EQ(figures.rolled_at, 7U);
  EXPECT_EQ(figures.roll_failures_total, 1U);
  ASSERT_EQ(log.warnings.size(), 1U);
  EXPECT_EQ(log.warnings.begin()->first, "it is away; tried again in ten minutes");
}

TEST(store_roll, without_tenants_it_is_about_the_stores_own_database) {
  Figures figures;
  Log log;
  const auto databases = run_once(
      {},
      [&](const std::string&, const std::atomic<bool>&) {
        figures.rolled_at = 7;
        return Rolled{};
      },
      figures, log);
  EXPECT_EQ(databases, std::vector<std::string>{""});
  EXPECT_TRUE(log.news.empty());
}

TEST(store_roll, one_that_is_under_way_holds_up_no_end) {
  Figures figures;
  Log log;
  std::promise<void> under_way;
  int asked = 0;
  const RollStore roll = [&](const std::string&, const std::atomic<bool>& stop) {
    if (++asked == 1) under_way.set_value();
    EXPECT_TRUE(test::wait_until([&] { return stop.load(); }));
    return Rolled{{}, {"given up"}};
  };
  const Config config = of_tenants();
  auto running = StoreRoll::make(config, roll, figures, log.tell());
  under_way.get_future().wait();
  running.reset();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(figures.roll_failures_total, 0U);
  EXPECT_TRUE(log.warnings.empty());
}

}  // namespace
}  // namespace polytrace::collector
