// SPDX-License-Identifier: Apache-2.0
// From every format into every other one and back: what was not told lost is there again, in order.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "event/text/text.hpp"
#include "format/samples.hpp"
#include "format/whole.hpp"
#include "support/long.hpp"
#include "support/random.hpp"

namespace polytrace::format::test {
namespace {

using Lines = std::vector<std::string>;

// Takes the first word away. Empty at the end.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> all;
  for (auto word = next_word(text); !word.empty(); word = next_word(text)) all.push_back(word);
  return all;
}

// "<time> <thread> <kind> ..."
event::Kind kind_of(std::string_view line) {
  std::string_view rest = line;
  next_word(rest);
  next_word(rest);
  const event::KindInfo* kind = event::find_kind(next_word(rest));
  if (kind != nullptr) return kind->kind;
  ADD_FAILURE() << line;
  return event::Kind::Note;
}

std::map<event::Kind, Lines> by_kind(const Lines& lines) {
  std::map<event::Kind, Lines> kinds;
  for (const std::string& line : lines) kinds[kind_of(line)].push_back(line);
  return kinds;
}

// A line apart from its time, which another clock may count. It holds views of the line.
struct Said {
  std::int64_t time;
  std::vector<std::string_view> words;
};
Said said(const std::string& line) {
  auto all = split_words(line);
  const std::int64_t time = std::stoll(line);
  all.erase(all.begin());
  return {time, std::move(all)};
}
std::vector<Said> said(const Lines& lines) {
  std::vector<Said> all;
  for (const std::string& line : lines) all.push_back(said(line));
  return all;
}

// Whether `got` says all that `line` says. A writer may complete what was not told.
bool says_all(const Said& got, const Said& line) {
  return std::ranges::all_of(line.words, [&](std::string_view word) {
    return word.ends_with("=0x0") || word.ends_with("=[]") || word.ends_with("=0") ||
           std::ranges::find(got.words, word) != got.words.end();
  });
}

// Where types were named by vtables, and vtables are lost, allocations name the classes themselves.
void forget_types(Lines& allocations) {
  for (std::string& line : allocations) {
    const auto at = line.find(" class=");
    if (at != line.npos) line.erase(at, line.find(' ', at + 1) - at);
  }
}

struct Losses {
  std::set<event::Kind> kinds;                // of which anything was lost
  std::map<event::Kind, std::size_t> events;  // that were lost
  std::set<event::Kind> changed;              // that became events of a kindred kind
  bool everywhere = false;                    // what was lost is not bound to a kind

  void add(const event::Loss& loss) {
    for (std::size_t i = 0; i < event::kKindCount; ++i) {
      if (loss.events[i] != 0) kinds.insert(static_cast<event::Kind>(i));
      events[static_cast<event::Kind>(i)] += loss.events[i];
    }
    for (const auto& [name, count] : loss.fields) add_field(name);
  }
  void add_field(const std::string& name) {
    for (std::size_t i = 0; i < event::kKindCount; ++i) {
      const auto kind = static_cast<event::Kind>(i);
      const std::string prefix = std::string(event::describe(kind).name) + ".";
      if (!name.starts_with(prefix)) continue;
      kinds.insert(kind);
      if (name == prefix + "kind") changed.insert(kind);
      return;
    }
    everywhere = true;
  }
};

// Each of `lines`, in order, is said by one of `got`, and all of them are later by the same time,
// which the first one found decides.
void expect_all_said(const Lines& lines, const Lines& got, std::optional<std::int64_t>& later) {
  const std::vector<Said> all = said(got);
  auto at = all.begin();
  for (const std::string& line : lines) {
    const Said wanted = said(line);
    const auto found = std::find_if(at, all.end(), [&](const Said& has) {
      return (!later || has.time - wanted.time == *later) && says_all(has, wanted);
    });
    ASSERT_NE(found, all.end()) << line;
    later = found->time - wanted.time;
    at = found + 1;
  }
}

void expect_there_again(const Format& from, const Format& to, const Lines& lines) {
  const auto there = write_lines(to, to.write_versions[0], lines);
  ASSERT_TRUE(there) << base::to_text(there.error());
  if (there->bytes.empty()) {  // nothing of it can be held, and a stream needs no header
    EXPECT_GE(there->loss.total(), lines.size());
    return;
  }
  const Whole other = read_whole(there->bytes);
  ASSERT_FALSE(other.open_error) << base::to_text(*other.open_error);
  EXPECT_EQ(other.format, to.name);
  EXPECT_EQ(other.notices.exit_code(), 0);
  const auto back = write_lines(from, from.write_versions[0], other.lines);
  ASSERT_TRUE(back) << base::to_text(back.error());
  const Whole again = read_whole(back->bytes);
  EXPECT_EQ(again.notices.exit_code(), 0);
  Losses losses;
  losses.add(there->loss);
  losses.add(back->loss);
  auto told = by_kind(lines);
  if (losses.kinds.contains(event::Kind::Vtable)) forget_types(told[event::Kind::Alloc]);
  auto kept = by_kind(again.lines);
  std::optional<std::int64_t> later;
  for (const auto& [kind, of_kind] : told) {
    SCOPED_TRACE(event::describe(kind).name);
    // What several events tell of a process may become one.
    if (kind != event::Kind::Process && !losses.changed.contains(kind)) {
      EXPECT_GE(kept[kind].size() + losses.events[kind], of_kind.size());
    }
    if (losses.everywhere || losses.kinds.contains(kind)) continue;
    expect_all_said(of_kind, kept[kind], later);
  }
}

struct Pair {
  const Format* from;
  const Format* to;
  friend std::ostream& operator<<(std::ostream& out, const Pair& pair) {
    return out << pair.from->name << " and " << pair.to->name;
  }
};

std::vector<Pair> all_pairs() {
  std::vector<Pair> pairs;
  for (const Format* from : formats()) {
    for (const Format* to : formats()) {
      if (from != to && from->create != nullptr && to->create != nullptr)
        pairs.push_back({from, to});
    }
  }
  return pairs;
}

class pairs : public testing::TestWithParam<Pair> {};

// Whether a format is the one into which a sample is converted every day; ./dev test --long
// converts each sample into all of them.
bool is_target_of(const Format& from, std::size_t sample, const Format& to) {
  std::vector<const Format*> targets;
  for (const Pair& pair : all_pairs())
    if (pair.from == &from) targets.push_back(pair.to);
  return polytrace::test::is_long() || targets[sample % targets.size()] == &to;
}

TEST_P(pairs, real_samples_come_back) {
  const auto& [from, to] = GetParam();
  const std::vector<Sample> all = samples(from->name, from->suffix);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_target_of(*from, i, *to)) continue;
    const Sample& sample = all[i];
    SCOPED_TRACE(sample.name);
    const Whole original = read_whole(*base::open_source(sample.path));
    // As the source's format says it today: an older version may have said less.
    const auto written = write_lines(*from, from->write_versions[0], original.lines);
    ASSERT_TRUE(written);
    expect_there_again(*from, *to, read_whole(written->bytes).lines);
  }
}

TEST_P(pairs, random_events_come_back) {
  const auto& [from, to] = GetParam();
  for (std::size_t i = 0; i < event::kKindCount; ++i) {
    const auto kind = static_cast<event::Kind>(i);
    if (!from->holds(kind, from->write_versions[0])) continue;
    SCOPED_TRACE(event::describe(kind).name);
    polytrace::test::RandomEvents random(i);
    event::Batch batch;
    for (int j = 0; j < 200; ++j) random.add(batch, kind);
    Lines lines;
    for (const event::Event& event : batch.events) lines.push_back(event::to_text(batch, event));
    const auto written = write_lines(*from, from->write_versions[0], lines);
    ASSERT_TRUE(written);
    expect_there_again(*from, *to, read_whole(written->bytes).lines);
  }
}

INSTANTIATE_TEST_SUITE_P(formats, pairs, testing::ValuesIn(all_pairs()), [](const auto& parameter) {
  return std::string(parameter.param.from->name) + "_and_" + std::string(parameter.param.to->name);
});

}  // namespace
}  // namespace polytrace::format::test
