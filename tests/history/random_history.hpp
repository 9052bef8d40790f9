// SPDX-License-Identifier: Apache-2.0
// Makes a history and its oracle out of one seed.
#pragma once

#include <functional>
#include <random>

#include "history/oracle.hpp"

namespace polytrace::history::test {

struct Shape {
  std::uint64_t seed = 1;
  unsigned keys = 20;
  unsigned changes = 3000;
  std::uint32_t per_segment = 200;
  Tick start = 0;
  std::uint64_t longest_step = 1000;
  Layout layout = Layout::segmented;
  bool sparse = false;  // keys anywhere in 32 bits, without a tree
};

class RandomHistory {
 public:
  RandomHistory(const std::string& path, const Shape& shape);

  // All changes; `each` is called after every one.
  void feed(const std::function<void()>& each = [] {});
  void close();

  Builder& builder() { return builder_; }
  const Oracle& oracle() const { return oracle_; }
  Tick now() const { return now_; }
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

 private:
  struct Line {
    Key key;
    Type type;
    bool inserts;
    bool touched = false;
    Tick last = 0;
  };
  void add_key(unsigned i);
  void change();
  void pass();
  void insert(Line& line, Tick t);
  Value any_value(Type type);

  Shape shape_;
  std::mt19937_64 random_;
  Builder builder_;
  Oracle oracle_;
  std::vector<Line> lines_;
  std::string text_;
  Tick now_;
};

// Every query at random places agrees with the oracle.
void expect_same_answers(const History& history, const Oracle& oracle, std::uint64_t seed);

}  // namespace polytrace::history::test
