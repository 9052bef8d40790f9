// SPDX-License-Identifier: Apache-2.0
// Ten thousand damaged copies of each exchange file: none crashes its reader, and what is read can
// be written and read again.
#include <random>

#include "base/codes.hpp"
#include "history/csv/csv_reader.hpp"
#include "history/exchange.hpp"
#include "history/files/state_file.hpp"
#include "history/files/tree_file.hpp"
#include "history/trace_compass/ht_reader.hpp"
#include "history/trace_compass/tc_snapshot.hpp"
#include "support/mutate.hpp"

namespace polytrace::history {
namespace {

constexpr std::size_t kMutants = 10'000;

template <class Check>
std::size_t count_read(std::string_view clean, Check check) {
  std::mt19937_64 engine(7);
  const auto bytes = test::bytes_of(clean);
  std::size_t read = 0;
  for (std::size_t i = 0; i < kMutants; ++i) {
    const auto damaged = polytrace::test::mutate(bytes, engine);
    const std::string text(reinterpret_cast<const char*>(damaged.data()), damaged.size());
    read += check(text) ? 1U : 0U;
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "mutant " << i << ": " << text.substr(0, 1000);
      break;
    }
  }
  return read;
}

// Some copies are read: the damage is not so great that all were refused at once.
constexpr std::size_t kSome = kMutants / 100;

TEST(exchange_mutants, types) {
  const auto read = count_read(test::data("proposal_types.txt"), [](const std::string& text) {
    base::Notices notices;
    const auto file = parse_types(text, notices);
    if (!file) return false;
    EXPECT_EQ(*parse_types(to_json(*file), notices), *file);
    return true;
  });
  EXPECT_GT(read, kSome);
}

TEST(exchange_mutants, tree) {
  const auto read = count_read(test::data("proposal_tree.txt"), [](const std::string& text) {
    base::Notices notices;
    const auto file = parse_tree(text, notices);
    if (!file) return false;
    const auto json = to_json(file->tree, file->history_id);
    EXPECT_EQ(*to_json(parse_tree(*json, notices)->tree, file->history_id), *json);
    return true;
  });
  EXPECT_GT(read, kSome);
}

TEST(exchange_mutants, states) {
  const auto read = count_read(test::data("proposal_state.txt"), [](const std::string& text) {
    base::Notices notices;
    const auto file = parse_state(text, TypesFile{}, notices);
    if (!file) return false;
    const std::string json = to_json(*file, TypesFile{});
    EXPECT_EQ(to_json(*parse_state(json, TypesFile{}, notices), TypesFile{}), json);
    return true;
  });
  EXPECT_GT(read, kSome);
}

TEST(exchange_mutants, snapshot_of_trace_compass) {
  const auto read = count_read(test::data("kernel.snapshot.json"), [](const std::string& text) {
    base::Notices notices;
    return parse_tc_snapshot(text, notices).has_value();
  });
  EXPECT_GT(read, kSome);
}

// A whole history tree in few bytes: of each node of the recording, the first 150 intervals.
std::string small_tree() {
  constexpr std::size_t kNode = 65536;
  constexpr std::size_t kSmall = 8192;
  const std::string whole = test::data("stack.ht.gz");
  std::string small = whole.substr(0, 4096);
  small.replace(12, 4, std::string_view("\x00\x20\0\0", 4));  // bytes of a node
  for (std::size_t at = 4096; at + kNode < whole.size(); at += kNode) {
    small += whole.substr(at, kSmall);
    small.replace(small.size() - kSmall + 33, 4, std::string_view("\x96\0\0\0", 4));
  }
  return small + whole.substr(4096 + 5 * kNode);
}

std::size_t count_intervals(const std::string& bytes, base::Notices& notices, bool& read) {
  std::size_t count = 0;
  const auto source = base::memory_source(test::bytes_of(bytes));
  const auto file = read_ht(
      *source,
      [&](std::span<const Interval> given) {
        count += given.size();
        return base::result<void>();
      },
      notices);
  read = file.has_value();
  return count;
}

TEST(exchange_mutants, history_tree) {
  const std::string clean = small_tree();
  bool whole = false;
  base::Notices notices;
  EXPECT_EQ(count_intervals(clean, notices, whole), 750U);
  EXPECT_TRUE(whole && notices.empty());
  const auto read = count_read(clean, [](const std::string& text) {
    base::Notices found;
    bool readable = false;
    EXPECT_LE(count_intervals(text, found, readable), text.size());
    return readable;
  });
  EXPECT_GT(read, kSome);
}

TEST(exchange_mutants, csv) {
  const std::string clean =
      "path,start,end,type,value\na/b,1,2,int,5\n\"a,\"\"b\"\"\",3,4,string,\"x\r\ny\"\n"
      "a,5,6,bytes,AAEC\na,7,8,double,-1.5e300\na,9,10,null,\nb,1,1,none,\nc,1,1,bool,true\n";
  const auto read = count_read(clean, [](const std::string& text) {
    auto reader = CsvReader::open(base::memory_source(test::bytes_of(text)));
    if (!reader) return false;
    std::size_t rows = 0;
    for (auto next = reader->next(); next && !next->empty(); next = reader->next())
      rows += next->size();
    const auto* notice = reader->notices().find(base::Code::row_malformed);
    EXPECT_LE(rows + (notice == nullptr ? 0 : notice->count), text.size());
    return true;
  });
  EXPECT_GT(read, kSome);
}

}  // namespace
}  // namespace polytrace::history
