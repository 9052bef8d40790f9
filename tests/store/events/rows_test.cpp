// SPDX-License-Identifier: Apache-2.0
// Rows in columns are what the events of their kind tell, field by field; a stretch of time and
// some threads are those of the whole.
#include "store/ask/events/row_scan.hpp"

#include <bit>
#include <map>
#include <random>

#include "event/visit.hpp"
#include "store/built.hpp"
#include "support/random.hpp"

namespace polytrace::store::indexes {
namespace {

using event::Batch;
using event::Event;
using event::Kind;
using event::Tag;

// A scan's rows, one after the other.
struct Scanned {
  std::vector<u64> rows;
  std::vector<std::vector<u64>> columns;
};

Scanned scanned(const IndexFrames& frames, Kind kind, const Range& range,
                const std::vector<u16>& fields) {
  Scanned all;
  all.columns.resize(fields.size());
  const auto done = scan_rows(frames, kind, range, fields, [&](const RowPage& page) {
    EXPECT_GT(page.rows.size(), 0U);
    EXPECT_LE(page.rows.size(), kPageRows);
    all.rows.insert(all.rows.end(), page.rows.begin(), page.rows.end());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      EXPECT_EQ(page.columns[i].size(), page.rows.size());
      all.columns[i].insert(all.columns[i].end(), page.columns[i].begin(), page.columns[i].end());
    }
  });
  EXPECT_TRUE(done) << base::to_text(done.error());
  return all;
}

// All fields that are no lists, and those that no kind has.
std::vector<u16> all_fields(Kind kind) {
  std::vector<u16> fields{kTimeField, kThreadField, kSubjectField, kPathField, kOpenPathField};
  const auto infos = fields_of(kind);
  for (u16 i = 0; i < infos.size(); ++i)
    if (infos[i].type != ColumnType::list) fields.push_back(i);
  return fields;
}

// Compares a row with an event's fields, in the order of the catalogue.
class FieldCheck {
 public:
  FieldCheck(const IndexFrames& frames, const Batch& batch, const Scanned& rows, std::size_t row,
             std::size_t column)
      : frames_(frames), batch_(batch), rows_(rows), row_(row), column_(column) {}
  std::string fault;

  template <Tag tag, class T>
  void field(std::string_view name, const T& value) {
    if constexpr (tag == Tag::kStack) {
      check_path(name, value, rows_.columns[column_++][row_]);
    } else if constexpr (!std::is_base_of_v<event::Range, T>) {
      const u64 number = rows_.columns[column_++][row_];
      if constexpr (event::is_text(tag)) {
        const std::string_view text = number == ~u64{0} ? "" : frames_.text(number);
        expect(name, text == value);
      } else if constexpr (std::is_same_v<T, event::f64>) {
        expect(name, number == std::bit_cast<u64>(value));
      } else {
        expect(name, static_cast<T>(number) == value);
      }
    }
  }

 private:
  void expect(std::string_view name, bool is_right) {
    if (!is_right) fault = name;
  }
  // A stack is a path, or its frames are told one by one; then the row has no path.
  void check_path(std::string_view name, const event::Stack& stack, u64 path) {
    const u64 any = rows_.columns[3][row_], open = rows_.columns[4][row_];
    expect(name, any == (path != ~u64{0} ? path : open));
    if (path == ~u64{0}) return;
    std::vector<base::Id> told;
    frames_.frames(path, told);
    const auto frames = batch_.list(stack);
    expect(name, stack.present() && std::ranges::equal(told, frames));
  }

  const IndexFrames& frames_;
  const Batch& batch_;
  const Scanned& rows_;
  std::size_t row_;
  std::size_t column_;
};

// A call without details has no row.
bool has_row(const Event& event) {
  return !event::is_call(event.kind) || event.detail != event::kAbsent;
}

void expect_rows(const Batch& batch) {
  const Batch* const all[]{&batch};
  const auto frames = index_of(all);
  std::map<Kind, Scanned> tables;
  std::map<Kind, std::size_t> next;
  for (std::size_t kind = 0; kind < event::kKindCount; ++kind)
    tables[Kind(kind)] = scanned(*frames, Kind(kind), {}, all_fields(Kind(kind)));
  for (const Event& event : batch.events) {
    if (!has_row(event)) continue;
    const Scanned& rows = tables[event.kind];
    const std::size_t row = next[event.kind]++;
    ASSERT_LT(row, rows.rows.size()) << event::describe(event.kind).name;
    ASSERT_EQ(rows.rows[row], row);
    ASSERT_EQ(static_cast<base::Time>(rows.columns[0][row]), event.time);
    ASSERT_EQ(frames->thread(rows.columns[1][row]), batch.thread(event));
    const u64 subject = rows.columns[2][row];
    if (subject != ~u64{0}) {
      ASSERT_EQ(frames->subject(event.kind, subject), event.id);
    }
    event::with_details(batch, event, [&](const auto& details) {
      FieldCheck check(*frames, batch, rows, row, 5);
      event::visit_fields(check, details);
      EXPECT_EQ(check.fault, "") << event::describe(event.kind).name << " row " << row;
    });
  }
  for (const auto& [kind, rows] : tables) EXPECT_EQ(rows.rows.size(), next[kind]);
}

TEST(row_scan, gives_what_every_sample_tells) {
  const auto opened =
      for_each_recording(1, [](event::Reader& reader) { expect_rows(tell(reader)->batch); });
  EXPECT_GE(opened, 15U);
}

TEST(row_scan, gives_what_any_events_tell) {
  test::RandomEvents random(3);
  Batch batch;
  for (int i = 0; i < 30'000; ++i) random.add_any(batch);
  expect_rows(batch);
}

// Several segments, some of them in the range as a whole.
TEST(row_scan, of_a_stretch_and_threads_is_that_of_the_whole) {
  Batch batch;
  std::mt19937_64 random(5);
  for (int i = 0; i < 200'000; ++i) {
    const auto slot = batch.thread_slot(10 + random() % 5);
    const auto time = 1000 + 10 * i + static_cast<base::Time>(random() % 300);
    batch.add(time, slot, 7, event::Alloc{.size = random() % 100});
  }
  const Batch* const all[]{&batch};
  const auto frames = index_of(all, {.most_open = 1 << 20});
  EXPECT_GT(frames->segments(Kind::Alloc).size(), 3U);
  const std::vector<u16> fields{kTimeField, field_number(Kind::Alloc, "size"), kThreadField};
  const Scanned whole = scanned(*frames, Kind::Alloc, {}, fields);
  ASSERT_EQ(whole.rows.size(), batch.events.size());
  for (int i = 0; i < 60; ++i) {
    Range range;
    range.from = static_cast<base::Time>(random() % 2'100'000);
    range.to = range.from + static_cast<base::Time>(random() % (i % 3 == 0 ? 3000 : 1'500'000));
    if (i % 2 == 0) range.threads = {3, 1};
    std::vector<u64> rows, sizes;
    for (std::size_t row = 0; row < whole.rows.size(); ++row) {
      const auto time = static_cast<base::Time>(whole.columns[0][row]);
      const u64 thread = whole.columns[2][row];
      if (time < range.from || time >= range.to) continue;
      if (i % 2 == 0 && thread != 1 && thread != 3) continue;
      rows.push_back(row);
      sizes.push_back(batch.details<event::Alloc>(batch.events[row]).size);
    }
    const Scanned part = scanned(*frames, Kind::Alloc, range, fields);
    ASSERT_EQ(part.rows, rows);
    ASSERT_EQ(part.columns[1], sizes);
  }
}

TEST(row_scan, refuses_lists_and_ends_when_stopped) {
  test::RandomEvents random(3);
  Batch batch;
  for (int i = 0; i < 100; ++i) random.add(batch, Kind::DumpObject);
  const Batch* const all[]{&batch};
  const auto frames = index_of(all);
  const auto scan = [&](const Range& range, u16 field) {
    return scan_rows(*frames, Kind::DumpObject, range, {field}, [](const RowPage&) {});
  };
  EXPECT_FALSE(scan({}, field_number(Kind::DumpObject, "refs")));
  EXPECT_TRUE(scan({}, field_number(Kind::DumpObject, "size")));
  const std::atomic<bool> stop{true};
  Range range;
  range.stop = &stop;
  EXPECT_FALSE(scan(range, kTimeField));
}

}  // namespace
}  // namespace polytrace::store::indexes
