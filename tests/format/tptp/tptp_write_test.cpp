// SPDX-License-Identifier: Apache-2.0
// Real recordings of another format as TBF and TPTP XML: the loss accounts for every event that is
// not there, and what is there says what it said.
#include <gtest/gtest.h>

#include <map>

#include "base/io/sink.hpp"
#include "event/copy.hpp"
#include "event/text/text.hpp"
#include "format/samples.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

using event::Kind;

struct Conversion {
  Sample sample;
  std::string format;
  std::endian order;
  friend std::ostream& operator<<(std::ostream& out, const Conversion& conversion) {
    return out << conversion.sample.name << " as " << conversion.format;
  }
};

std::vector<Conversion> conversions() {
  std::vector<Conversion> all;
  for (const Sample& sample : samples("mlpd", ".mlpd")) {
    all.push_back({sample, "tbf", std::endian::little});
    all.push_back({sample, "tbf", std::endian::big});
    all.push_back({sample, "trcxml", std::endian::native});
  }
  return all;
}

std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }
using Counts = std::array<event::u64, event::kKindCount>;

// What a recording says, in the terms in which a TPTP trace can say it.
struct Summary {
  Counts counts{};
  event::u64 references = 0;  // of heap dumps
  std::map<std::string, event::u64> said;

  void add(const event::Batch& batch, const event::Event& event, base::Time shift);

 private:
  void say(std::string what) { ++said[std::move(what)]; }
};

std::string subject(const event::Event& event, std::string_view what) {
  return std::string(what) + " " + std::to_string(event.id);
}

void Summary::add(const event::Batch& batch, const event::Event& event, base::Time shift) {
  const std::string at = std::to_string(event.time + shift) + " " +
                         std::to_string(static_cast<std::int64_t>(batch.thread(event))) + " ";
  ++counts[index(event.kind)];
  switch (event.kind) {
    case Kind::Enter: return say(at + subject(event, "enter"));
    case Kind::Leave:
    case Kind::Unwind: return say(at + subject(event, "leave"));
    case Kind::Alloc: {
      const auto& alloc = batch.details<event::Alloc>(event);
      const auto frames = batch.list(alloc.stack);
      const std::string top = frames.empty() ? "" : std::to_string(frames.back());
      return say(at + "alloc " + std::to_string(alloc.object) + " " + std::to_string(alloc.size) +
                 " in " + top);
    }
    case Kind::Method:
      return say(subject(event, "method ") + std::string(batch.details<event::Method>(event).name));
    case Kind::DumpObject:
      for (const event::Ref& ref : batch.list(batch.details<event::DumpObject>(event).refs)) {
        ++references;
        say(subject(event, "object") + " to " + std::to_string(ref.target));
      }
      return;
    case Kind::Monitor:
      return say(at + subject(event, "monitor") + " " +
                 std::to_string(batch.list(batch.details<event::Monitor>(event).stack).size()));
    default: return;
  }
}

// Reads a whole trace; with a writer, writes it again on the way.
void pass(event::Reader& reader, event::Writer* writer, base::Time shift, Summary& summary) {
  event::Batch batch;
  for (;;) {
    const auto more = reader.next(batch);
    ASSERT_TRUE(more) << base::to_text(more.error());
    if (!*more) break;
    for (const event::Event& event : batch.events) summary.add(batch, event, shift);
    if (writer != nullptr) {
      ASSERT_TRUE(writer->write(batch));
    }
  }
  if (writer != nullptr) {
    ASSERT_TRUE(writer->finish());
  }
}

// Wall time minus time, as the recording's clock tells it.
base::Time shift_of(const Sample& sample) {
  auto opened = open(*base::open_source(sample.path));
  event::Batch batch;
  while (opened && opened->reader->next(batch).value_or(false)) {
    for (const event::Event& event : batch.events) {
      if (event.kind == Kind::Clock) return batch.details<event::Clock>(event).wall - event.time;
    }
  }
  return 0;
}

class conversion : public testing::TestWithParam<Conversion> {
 protected:
  void SetUp() override {
    const auto& [sample, name, order] = GetParam();
    const Format& format = *find_format(name);
    std::vector<std::byte> bytes;
    auto writer = format.create(base::memory_sink(bytes), {.version = {}, .byte_order = order});
    ASSERT_TRUE(writer);
    auto source = open(*base::open_source(sample.path));
    ASSERT_TRUE(source);
    pass(*source->reader, writer->get(), shift_of(sample), before_);
    loss_ = (*writer)->loss();
    auto target = open(base::memory_source(std::move(bytes)));
    ASSERT_TRUE(target);
    pass(*target->reader, nullptr, 0, after_);
    EXPECT_EQ(target->format, &format);
  }

  event::u64 lost(Kind kind) const { return loss_.events[index(kind)]; }
  event::u64 lost(const std::string& field) const {
    const auto found = loss_.fields.find(field);
    return found == loss_.fields.end() ? 0 : found->second;
  }

  Summary before_;
  Summary after_;
  event::Loss loss_;
};

TEST_P(conversion, accounts_for_every_event) {
  Counts expected = before_.counts;
  for (std::size_t i = 0; i < event::kKindCount; ++i) expected[i] -= loss_.events[i];
  // Exits by exceptions become plain ones, and are told.
  expected[index(Kind::Leave)] += expected[index(Kind::Unwind)];
  expected[index(Kind::Unwind)] = 0;
  EXPECT_EQ(lost("unwind.kind"), before_.counts[index(Kind::Unwind)]);
  // An object gives one event for each reference, a process one for each of its messages.
  expected[index(Kind::DumpObject)] = before_.references;
  expected[index(Kind::Process)] = after_.counts[index(Kind::Process)];
  EXPECT_GE(after_.counts[index(Kind::Process)], 1U);
  // Frames of monitors are named again.
  expected[index(Kind::Method)] = after_.counts[index(Kind::Method)];
  EXPECT_GE(after_.counts[index(Kind::Method)], before_.counts[index(Kind::Method)]);
  for (std::size_t i = 0; i < event::kKindCount; ++i)
    EXPECT_EQ(after_.counts[i], expected[i]) << event::describe(static_cast<Kind>(i)).name;
}

TEST_P(conversion, keeps_what_it_does_not_tell_as_lost) {
  for (const auto& [what, count] : before_.said) {
    const auto found = after_.said.find(what);
    ASSERT_NE(found, after_.said.end()) << what;
    ASSERT_EQ(found->second, count) << what;
  }
}

std::string name_of(const testing::TestParamInfo<Conversion>& info) {
  const Conversion& conversion = info.param;
  const bool big = conversion.order == std::endian::big;
  return test_name(conversion.sample.name + "_as_" + conversion.format + (big ? "_big" : ""));
}

INSTANTIATE_TEST_SUITE_P(samples, conversion, testing::ValuesIn(conversions()), name_of);

}  // namespace
}  // namespace polytrace::format::test
