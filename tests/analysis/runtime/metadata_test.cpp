// SPDX-License-Identifier: Apache-2.0
#include "analysis/sections.hpp"

#include "analysis/asked.hpp"

namespace polytrace::test {
namespace {

using event::Assembly;
using event::Context;
using event::Domain;
using event::Life;
using event::Module;

Domain domain(Life life, std::string_view name = {}) { return {life, name, 0}; }
Module image(Life life, std::string_view name, std::string_view mvid = {}) {
  Module out;
  out.life = life;
  out.name = name;
  out.mvid = mvid;
  return out;
}

TEST(metadata, domains_with_ids_used_again) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(12, 1, domain(Life::name, "child"))
      .add(10, 1, domain(Life::begin))
      .add(30, 1, domain(Life::end))
      .add(40, 1, domain(Life::begin))
      .add(41, 1, domain(Life::name, "second child"))
      .add(50, 2, domain(Life::end));  // loaded before the recording
  Asked asked(analysis::make_metadata({}));
  const Table table = asked.feed(batch).finish().table("domains");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(text(table, 0, "name"), "child");
  EXPECT_EQ(number(table, 0, "loaded"), 10U);
  EXPECT_EQ(number(table, 0, "unloaded"), 30U);
  EXPECT_EQ(text(table, 1, "name"), "second child");
  EXPECT_TRUE(unknown(table, 1, "unloaded"));
  EXPECT_EQ(text(table, 2, "name"), "(name not recorded)");
  EXPECT_TRUE(unknown(table, 2, "loaded"));
}

TEST(metadata, an_end_read_before_its_beginning) {
  event::Batch batch;
  Stream(batch, kMain).add(30, 1, domain(Life::end)).add(10, 1, domain(Life::begin));
  const Table table = Asked(analysis::make_metadata({})).feed(batch).finish().table("domains");
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(number(table, 0, "loaded"), 10U);
}

TEST(metadata, a_context_keeps_the_name_of_its_own_domain) {
  event::Batch batch;
  Stream(batch, kMain)
      .add(1, 7, domain(Life::begin))
      .add(2, 7, domain(Life::name, "first"))
      .add(3, 0, Context{Life::begin, 7})
      .add(4, 0, Context{Life::end, 7})
      .add(5, 7, domain(Life::end))
      .add(6, 7, domain(Life::begin))
      .add(7, 0, Context{Life::begin, 7})
      .add(8, 7, domain(Life::name, "second"));
  const Table table = Asked(analysis::make_metadata({})).feed(batch).finish().table("contexts");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(text(table, 0, "domain_name"), "first");
  EXPECT_EQ(text(table, 1, "domain_name"), "second");
}

TEST(metadata, images_assemblies_contexts_and_totals) {
  event::Batch batch;
  Assembly assembly;
  assembly.name = "app, Version=1";
  assembly.module = 7;
  Stream(batch, kMain)
      .add(1, 7, image(Life::begin, "app.exe", "GUID"))
      .add(2, 5, assembly)
      .add(3, 8, image(Life::begin, "plugin.dll"))
      .add(4, 8, image(Life::end, "plugin.dll"))
      .add(5, 0, Context{Life::begin, 0})
      .add(6, 0, Context{Life::begin, 1});
  Asked asked(analysis::make_metadata({}));
  asked.feed(batch).finish();
  const Table images = asked.table("images");
  ASSERT_EQ(images.rows.size(), 2U);
  EXPECT_EQ(text(images, 0, "mvid"), "GUID");
  EXPECT_TRUE(unknown(images, 1, "mvid"));
  EXPECT_EQ(number(images, 1, "unloaded"), 4U);
  EXPECT_EQ(text(asked.table("assemblies"), 0, "image"), "app.exe");
  EXPECT_EQ(asked.table("contexts").rows.size(), 2U);
  const Table totals = asked.table("metadata");
  EXPECT_EQ(text(totals, 0, "kind"), "images");
  EXPECT_EQ(number(totals, 0, "loaded"), 2U);
  EXPECT_EQ(number(totals, 0, "unloaded"), 1U);
}

}  // namespace
}  // namespace polytrace::test
