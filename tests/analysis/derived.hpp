// SPDX-License-Identifier: Apache-2.0
// States derived from a trace, asked for as text.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "analysis/states/states.hpp"
#include "event/text/text.hpp"
#include "history/history.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::test {

inline std::string text(const history::Value& value) {
  switch (value.type()) {
    case history::Type::integer: return fmt::format("{}", value.integer());
    case history::Type::real: return fmt::format("{}", value.real());
    case history::Type::string: return std::string(value.text());
    default: return value.is_null() ? "null" : "another type";
  }
}

class Derived {
 public:
  using Feed = std::function<void(analysis::States&)>;

  explicit Derived(const Feed& feed, const analysis::StatesOptions& options = {}) {
    if (const auto good = make(feed, options); !good) ADD_FAILURE() << base::to_text(good.error());
  }

  // "none" for a path that is not there.
  std::string at(history::Tick tick, const std::string& path) const {
    const auto nodes = history_->tree().match(path);
    if (nodes.size() != 1) return "none";
    const auto found = history_->at(tick, history_->tree().key(nodes[0]));
    if (!found) return base::to_text(found.error());
    return *found ? text((*found)->value) : "gap";
  }
  // All states of one path: "10 running; 50 ended".
  std::string over_time(const std::string& path) const {
    const auto nodes = history_->tree().match(path);
    if (nodes.size() != 1) return "none";
    std::string out;
    const auto done = history_->range(history_->tree().key(nodes[0]), extent_.first, extent_.last,
                                      [&](const history::Interval& interval) {
                                        out += fmt::format("{}{} {}", out.empty() ? "" : "; ",
                                                           interval.start, text(interval.value));
                                      });
    return done ? out : base::to_text(done.error());
  }
  const history::History& history() const { return *history_; }
  const base::Notices& notices() const { return notices_; }
  const analysis::StatesExtent& extent() const { return extent_; }
  // Names of the children, in order of creation, "a b c".
  std::string children(const std::string& path) const {
    std::string out;
    for (const auto node : history_->tree().match(path + "/*"))
      out += (out.empty() ? "" : " ") + std::string(history_->tree().name(node));
    return out;
  }

 private:
  base::result<void> make(const Feed& feed, const analysis::StatesOptions& options) {
    analysis::States states(options);
    feed(states);
    extent_ = states.extent();
    const std::string path = folder_.file("history.bin");
    auto builder = history::Builder::create(path, states.build_options());
    if (!builder) return base::Unexpected(builder.error());
    if (auto built = states.build(*builder); !built) return built;
    notices_ = states.notices();
    auto opened = history::History::open(path);
    if (!opened) return base::Unexpected(opened.error());
    history_.emplace(std::move(*opened));
    return history_->verify();
  }

  TemporaryFolder folder_;
  analysis::StatesExtent extent_;
  base::Notices notices_;
  std::optional<history::History> history_;
};

// Lines of canonical text; an empty line ends a batch.
inline Derived derive(std::string_view lines, const analysis::StatesOptions& options = {}) {
  return Derived(
      [&](analysis::States& states) {
        event::Batch batch;
        while (!lines.empty()) {
          const std::size_t end = std::min(lines.find('\n'), lines.size());
          const std::string_view line = lines.substr(0, end);
          lines.remove_prefix(std::min(end + 1, lines.size()));
          if (line.empty()) {
            EXPECT_TRUE(states.consume(batch));
            batch.clear();
          } else if (const auto parsed = event::parse_text(line, batch); !parsed) {
            ADD_FAILURE() << line << ": " << base::to_text(parsed.error());
          }
        }
        EXPECT_TRUE(states.consume(batch));
      },
      options);
}

}  // namespace polytrace::test
