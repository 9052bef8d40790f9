// SPDX-License-Identifier: Apache-2.0
#include "analysis/heap/graph/fields.hpp"

#include "analysis/asked.hpp"
#include "analysis/dumped.hpp"
#include "analysis/heap/questions.hpp"
#include "analysis/heap/study.hpp"

namespace polytrace::test {
namespace {

using analysis::HeapStudy;
using analysis::HeapView;
using analysis::ReferenceFields;
using event::Dump;
using event::DumpStage;

constexpr base::Id kClassClass = 0x1, kBigClass = 0x100, kMapClass = 0x200, kLinkedMap = 0x300;
constexpr base::Id kArrayClass = 0x400, kNodeClass = 0x500, kTextClass = 0x600;
constexpr base::Id kTheMap = 0x1000, kTheArray = 0x2000, kTheNode = 0x3000, kTheText = 0x4000;
constexpr std::uint64_t kPlaceInArray = 12345;  // in the array
constexpr std::uint64_t kStaticOffset = 8, kOwnBytes = 16;
const analysis::TableOptions kAllRows{"", 0};

event::Field field(std::string_view name, std::uint64_t offset, bool is_static = false) {
  event::Field out;
  out.name = name;
  out.offset = offset;
  out.is_static = is_static;
  return out;
}

event::Field inherited(base::Id super, std::uint64_t offset) {
  event::Field out;
  out.class_id = super;
  out.offset = offset;
  return out;
}

// A static field holds a map, which inherits its table, where a node far in holds a text.
void tell_heap(event::Batch& batch, Stream& main, bool with_fields) {
  event::Process process;
  process.pointer_size = 8;
  main.add(0, 0, process);
  main.type(kClassClass, "java.lang.Class")
      .type(kBigClass, "com.acme.Big")
      .type(kMapClass, "util.HashMap");
  main.type(kLinkedMap, "util.LinkedMap")
      .type(kArrayClass, "util.Node[]")
      .type(kNodeClass, "util.Node");
  main.type(kTextClass, "Text").add(10, 0, Dump{DumpStage::start, {}});
  if (with_fields) {
    main.add(10, kBigClass, field("LEAK", kStaticOffset, true)).add(10, kBigClass, field("own", 8));
    main.add(10, kLinkedMap, field("head", 0)).add(10, kLinkedMap, inherited(kMapClass, kOwnBytes));
    main.add(10, kMapClass, field("table", 4));
    main.add(10, kNodeClass, field("next", 0)).add(10, kNodeClass, field("value", 8));
  }
  const auto refer = [&](base::Id from, base::Id type, base::Id to, std::uint64_t offset) {
    event::Refs refs = main.refs({to});
    batch.column<event::Ref>()[refs.first].offset = offset;
    main.add(10, from, object(type, 100, refs));
  };
  main.add(10, kBigClass, event::Root{});
  refer(kBigClass, kClassClass, kTheMap, kStaticOffset);
  refer(kTheMap, kLinkedMap, kTheArray, kOwnBytes + 4);
  refer(kTheArray, kArrayClass, kTheNode, kPlaceInArray * 8);
  refer(kTheNode, kNodeClass, kTheText, 8);
  main.add(10, kTheText, object(kTextClass, 5000));
  main.add(10, 0, Dump{DumpStage::end, {}});
}

struct NamedHeap {
  event::Batch batch;
  HeapStudy study{std::nullopt};
  analysis::Dominators dominators;
  std::optional<ReferenceFields> fields;

  explicit NamedHeap(bool with_fields) {
    Stream main(batch, 1);
    tell_heap(batch, main, with_fields);
    study.consume(batch);
    study.finish();
    dominators = analysis::Dominators::of(study.graph());
    fields.emplace(study.fields(), study.names(), 0);
  }
  HeapView view() { return {study.graph(), dominators, study.names(), &*fields}; }
  std::vector<std::string> path() {
    const Table table = path_table(view(), view().find("Text"), kAllRows);
    std::vector<std::string> out;
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      out.push_back(text(table, row, "field"));
    return out;
  }
};

TEST(heap_fields, a_path_reads_by_the_fields_once_they_are_found) {
  NamedHeap heap(true);
  EXPECT_FALSE(heap.fields->wants_pass());
  EXPECT_EQ(heap.path(), (std::vector<std::string>{"", "", "", "", ""}));
  ASSERT_TRUE(heap.fields->wants_pass());
  EXPECT_FALSE(heap.fields->consume(heap.batch));  // all found: no need to go on
  EXPECT_FALSE(heap.fields->wants_pass());
  EXPECT_EQ(heap.path(), (std::vector<std::string>{"static Big.LEAK", "HashMap.table", "[12345]",
                                                   "Node.value", ""}));
}

TEST(heap_fields, suspects_say_them_too) {
  NamedHeap heap(true);
  suspect_table(heap.view(), {}, kAllRows);
  heap.fields->consume(heap.batch);
  const Table table = suspect_table(heap.view(), {}, kAllRows);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(text(table, 0, "reason"),
            "it is that large itself; held by static Big.LEAK > HashMap.table > [12345] > "
            "Node.value");
}

TEST(heap_fields, without_names_nobody_looks_for_them) {
  NamedHeap heap(false);
  const Table table = path_table(heap.view(), heap.view().find("Text"), kAllRows);
  EXPECT_EQ(table.rows.size(), 5U);
  EXPECT_EQ(std::ranges::find(table.columns, "field", &analysis::ColumnInfo::key),
            table.columns.end());
  EXPECT_FALSE(heap.fields->wants_pass());
}

TEST(heap_fields, only_the_snapshot_that_is_asked_about_counts) {
  NamedHeap heap(true);
  heap.path();
  ReferenceFields second(heap.study.fields(), heap.study.names(), 1);
  second.between(kTheNode, kTheText);
  EXPECT_TRUE(second.consume(heap.batch));
  EXPECT_EQ(second.between(kTheNode, kTheText), "");
  second.consume(heap.batch);
  EXPECT_EQ(second.between(kTheNode, kTheText), "Node.value");
}

}  // namespace
}  // namespace polytrace::test
