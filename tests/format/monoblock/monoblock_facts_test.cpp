// SPDX-License-Identifier: Apache-2.0
// The three recordings of one run against truth.json, which says what happened in it: classes,
// methods, totals, and every thread's events with their counters.
//
// Not compared: fixed sizes and wrapper flags where the variant has none (shipped10, shipped6), and
// callers and objects of allocations where it stores none (review, shipped6). Loads, hits and the
// heap are not in truth.json: the cases have them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "event/batch.hpp"
#include "format/format.hpp"
#include "format/samples.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

using event::Kind;
using nlohmann::json;

const std::string kFolder = std::string(POLYTRACE_TEST_DATA) + "/monoblock/";

json truth() {
  std::ifstream file(kFolder + "truth.json");
  return json::parse(file);
}

// What the events of a recording say, in the words of truth.json.
struct BlockFacts {
  json classes = json::array();
  json methods = json::array();
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> allocated;  // count, bytes
  std::map<std::uint64_t, std::uint64_t> entered;
  std::map<std::uint64_t, json> threads;
};

json row_of(const event::Batch& batch, const event::Event& event) {
  static constexpr const char* kPhases[]{
      "gc_start", "gc_mark_start", "gc_mark_end", "gc_sweep_start",  "gc_sweep_end",
      "gc_end",   "gc_stop_start", "gc_stop_end", "gc_startw_start", "gc_startw_end"};
  const auto stage = [](auto value) { return std::string(event::name(value)); };
  switch (event.kind) {
    case Kind::Thread:
      return {batch.details<event::Thread>(event).life == event::Life::begin ? "thread_start"
                                                                             : "thread_end",
              event.id, event.time};
    case Kind::Enter: return {"enter", event.id, event.time};
    case Kind::Leave: return {"exit", event.id, event.time};
    case Kind::Jit: {
      const auto& jit = batch.details<event::Jit>(event);
      const bool freed = jit.stage == event::JitStage::freed;
      return {freed ? "method_freed" : "jit_" + stage(jit.stage), event.id, event.time};
    }
    case Kind::ClassLoad:
      return {"class_load_" + stage(batch.details<event::ClassLoad>(event).stage), event.id,
              event.time};
    case Kind::Throw: return {"exception", batch.details<event::Throw>(event).class_id, event.time};
    case Kind::Gc: {
      const auto& gc = batch.details<event::Gc>(event);
      return {kPhases[static_cast<std::size_t>(gc.phase)], event.id << 8 | gc.generation,
              event.time};
    }
    case Kind::HeapSize: {
      const auto& heap = batch.details<event::HeapSize>(event);
      return {"gc_resize", heap.total, heap.collection};
    }
    case Kind::Monitor: {
      const auto& monitor = batch.details<event::Monitor>(event);
      const std::string name = stage(monitor.stage);
      return {"lock_" + (name == "contended" ? "contention" : name), monitor.class_id, event.id,
              event.time};
    }
    case Kind::Alloc: {
      const auto& alloc = batch.details<event::Alloc>(event);
      json row{alloc.in_jit != 0 ? "jit_alloc" : "alloc", event.id, alloc.size};
      for (const base::Id caller : batch.list(alloc.stack)) row.push_back(caller);
      if (alloc.object != base::kNoId) row.push_back(alloc.object);
      return row;
    }
    default: return nullptr;
  }
}

void take(const event::Batch& batch, const event::Event& event, BlockFacts& facts) {
  if (event.kind == Kind::Class) {
    const auto& type = batch.details<event::Class>(event);
    facts.classes.push_back({{"id", event.id},
                             {"name", std::string(type.name)},
                             {"fixed_size", type.fixed_size},
                             {"assembly", type.assembly}});
  }
  if (event.kind == Kind::Method) {
    const auto& method = batch.details<event::Method>(event);
    facts.methods.push_back({{"id", event.id},
                             {"cls", method.class_id},
                             {"wrapper", method.flags},
                             {"name", std::string(method.name)}});
  }
  if (event.kind == Kind::Alloc) {
    auto& [count, bytes] = facts.allocated[event.id];
    ++count;
    bytes += batch.details<event::Alloc>(event).size;
  }
  if (event.kind == Kind::Enter) ++facts.entered[event.id];
  if (json row = row_of(batch, event); !row.is_null())
    facts.threads[batch.thread(event)].push_back(std::move(row));
}

BlockFacts facts_of(const std::string& name) {
  BlockFacts facts;
  auto opened = open(*base::open_source(kFolder + name + ".mprof"));
  event::Batch batch;
  while (*opened->reader->next(batch)) {
    EXPECT_TRUE(batch.notices.empty());
    for (const event::Event& event : batch.events) take(batch, event, facts);
  }
  EXPECT_TRUE(opened->reader->notices().empty());
  EXPECT_EQ(opened->reader->version(), name);
  return facts;
}

class monoblock_facts : public testing::TestWithParam<std::string> {};

TEST_P(monoblock_facts, are_the_truth) {
  const BlockFacts facts = facts_of(GetParam());
  json expected = truth();
  const bool review = GetParam() == "review";
  const bool stores_objects = GetParam() == "shipped10";
  for (json& type : expected["classes"]) {
    if (!review) type["fixed_size"] = 0;
    if (GetParam() == "shipped6") type["assembly"] = base::kNoId;
  }
  for (json& method : expected["methods"]) {
    if (GetParam() == "shipped6") method["wrapper"] = 0;
  }
  EXPECT_EQ(facts.classes, expected["classes"]);
  EXPECT_EQ(facts.methods, expected["methods"]);
  for (const auto& [id, sum] : facts.allocated) {
    const json& of = expected["allocated"][std::to_string(id)];
    EXPECT_EQ(of["count"], sum.first) << id;
    EXPECT_EQ(of["bytes"], sum.second) << id;
  }
  EXPECT_EQ(facts.allocated.size(), expected["allocated"].size());
  for (const auto& [id, count] : facts.entered)
    EXPECT_EQ(expected["entered"][std::to_string(id)], count) << id;
  EXPECT_EQ(facts.entered.size(), expected["entered"].size());
  EXPECT_EQ(facts.threads.size(), expected["threads"].size());
  for (const json& thread : expected["threads"]) {
    json rows = thread["events"];
    for (json& row : rows) {
      const bool allocation = row[0] == "alloc" || row[0] == "jit_alloc";
      if (allocation && !stores_objects) row.erase(row.begin() + 3, row.end());
    }
    EXPECT_EQ(facts.threads.at(thread["thread"]), rows);
  }
}

INSTANTIATE_TEST_SUITE_P(variants, monoblock_facts,
                         testing::Values("review", "shipped10", "shipped6"),
                         [](const auto& parameter) { return parameter.param; });

// What was written once is canonical: writing what it says gives the same bytes.
TEST(monoblock, canonical_files_are_rewritten_byte_by_byte) {
  const Format& format = *find_format("monoblock");
  for (const Sample& sample : samples(format.name, format.suffix)) {
    const auto first =
        write_lines(format, "review", read_whole(*base::open_source(sample.path)).lines);
    ASSERT_TRUE(first);
    const auto second = write_lines(format, "review", read_whole(first->bytes).lines);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->bytes, first->bytes) << sample.name;
  }
}

}  // namespace
}  // namespace polytrace::format::test
