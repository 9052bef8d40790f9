// SPDX-License-Identifier: Apache-2.0
// What is odd in the light of earlier messages of a TBF stream: found in whole stretches of calls
// it is what is found message by message, wherever chunks end; and exits that name no method have
// that of their entry.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/codes.hpp"
#include "base/io/source.hpp"
#include "format/tptp/tbf/messages.hpp"
#include "format/tptp/tbf/reader.hpp"

namespace polytrace::format::test {
namespace {

using namespace polytrace::format::tptp;
using Bytes = std::vector<std::byte>;

// Calls of a few threads, in which one in `odd` is odd.
class OddCalls {
 public:
  OddCalls(std::uint64_t seed, unsigned odd) : engine_(seed), odd_(odd) {}

  void write(TbfMessageWriter& to, unsigned calls) {
    for (std::int64_t thread = 1; thread <= kThreads; ++thread) define_thread(to, thread);
    for (std::int64_t id = 1; id <= 10; ++id) define(to, id);
    for (unsigned i = 0; i < calls; ++i) {
      if (i % 1000 == 999) define(to, 11 + i / 1000 % 10);
      step(to);
    }
  }

 private:
  static constexpr std::int64_t kThreads = 3;
  struct Call {
    std::int64_t method;
    std::int32_t ticket;
  };

  bool odd() { return engine_() % odd_ == 0; }
  void define_thread(TbfMessageWriter& to, std::int64_t id) {
    message_.reset(*find_message(field::ThreadStart::kId));
    message_.set_number(field::ThreadStart::thread_id, id);
    message_.set_number(field::ThreadStart::time, ++time_);
    ASSERT_TRUE(to.write(message_));
  }
  void define(TbfMessageWriter& to, std::int64_t id) {
    message_.reset(*find_message(field::ClassDef::kId));
    message_.set_number(field::ClassDef::class_id, id);
    message_.set_text(field::ClassDef::name, "A");
    ASSERT_TRUE(to.write(message_));
    message_.reset(*find_message(field::MethodDef::kId));
    message_.set_number(field::MethodDef::method_id, id);
    message_.set_number(field::MethodDef::class_id_ref, id);
    message_.set_text(field::MethodDef::name, "a");
    ASSERT_TRUE(to.write(message_));
  }
  void step(TbfMessageWriter& to) {
    if (engine_() % 64 == 0) thread_ = static_cast<std::int64_t>(engine_() % kThreads);
    auto& stack = stacks_[thread_];
    CallRecord call;
    call.entry = stack.empty() || (stack.size() < 50 && engine_() % 2 == 0);
    time_ += odd() ? -100 : 10;
    call.thread = odd() ? 99 : thread_ + 1;
    call.time = odd() ? 0 : time_;
    if (call.entry) {
      stack.push_back({static_cast<std::int64_t>(engine_() % 10 + 1), odd() ? 0 : ++ticket_});
      if (odd()) stack.back().method = static_cast<std::int64_t>(engine_() % 22);
    }
    call.method = stack.back().method;
    call.ticket = stack.back().ticket;
    call.class_id = odd() ? 77 : call.method;
    if (!call.entry) {
      if (!odd()) stack.pop_back();  // else it comes twice
      if (odd() && !stack.empty()) stack.pop_back();
      if (odd()) call.method = 0;
      if (odd()) call.ticket = 123'456;
    }
    ASSERT_TRUE(to.write(call));
  }

  std::mt19937_64 engine_;
  unsigned odd_;
  Message message_;
  std::int64_t time_ = 1'600'000'000'000'000'000;
  std::int32_t ticket_ = 0;
  std::int64_t thread_ = 0;
  std::vector<Call> stacks_[kThreads];
};

Bytes odd_stream(std::uint64_t seed, unsigned odd, ByteOrder order, unsigned calls = 8000) {
  Bytes all;
  for (int part = 0; part < 2; ++part) {  // the second header begins anew
    Bytes bytes;
    TbfMessageWriter writer(base::memory_sink(bytes), order, 1);
    OddCalls(seed + static_cast<unsigned>(part), odd).write(writer, calls);
    EXPECT_TRUE(writer.finish());
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

std::string text_of(const base::Notices& notices) {
  std::string out;
  for (const base::Code code : {base::Code::reference_undefined, base::Code::order_odd}) {
    const base::Notice* const notice = notices.find(code);
    if (notice == nullptr) continue;
    out += fmt::format("{} {}: {} {}\n", base::describe(code).name, notice->count,
                       notice->first.offset, notice->detail);
    for (const base::Occurrence& other : notice->others)
      out += fmt::format("{} {}\n", other.place.offset, other.detail);
  }
  return out;
}

std::string told_by_messages(const Bytes& bytes) {
  auto reader = TbfMessageReader::open(base::memory_source(bytes), {});
  EXPECT_TRUE(reader);
  while ((*reader)->next().value_or(false)) {
  }
  return text_of((*reader)->notices());
}

std::string told_by_chunks(const Bytes& bytes, std::size_t step) {
  auto reader = TbfReader::open(base::memory_source(bytes, step), {});
  EXPECT_TRUE(reader);
  event::Batch batch;
  while ((*reader)->next(batch).value_or(false)) EXPECT_EQ(batch.notices.sorted().size(), 0U);
  return text_of((*reader)->notices());
}

class tbf_watch : public testing::TestWithParam<ByteOrder> {};

TEST_P(tbf_watch, finds_in_chunks_what_it_finds_in_messages) {
  for (const unsigned odd : {20U, 200U, 3000U, 1'000'000U}) {
    const Bytes bytes = odd_stream(odd, odd, GetParam());
    const std::string told = told_by_messages(bytes);
    EXPECT_EQ(told.empty(), odd == 1'000'000U) << told;
    for (const std::size_t step : {std::size_t{0}, std::size_t{500}, std::size_t{20'000}})
      EXPECT_EQ(told_by_chunks(bytes, step), told) << odd << " " << step;
  }
}

// Each exit names its entry's method, or none, half of the time; here a stack says which it was.
TEST_P(tbf_watch, completes_exits_that_name_no_method) {
  Bytes bytes;
  TbfMessageWriter writer(base::memory_sink(bytes), GetParam(), 1);
  std::mt19937_64 engine(3);
  std::vector<std::int64_t> stack, expected;
  for (int i = 0; i < 20'000; ++i) {
    CallRecord call;
    call.entry = stack.empty() || engine() % 2 == 0;
    call.thread = 1;
    call.time = 1'600'000'000'000'000'000 + i;
    call.method = call.entry ? static_cast<std::int64_t>(engine() % 9 + 1) : stack.back();
    expected.push_back(call.method);
    if (call.entry) stack.push_back(call.method);
    else stack.pop_back();
    if (!call.entry && engine() % 2 == 0) call.method = 0;
    ASSERT_TRUE(writer.write(call));
  }
  ASSERT_TRUE(writer.finish());
  auto reader = TbfReader::open(base::memory_source(bytes, 5000), {});
  ASSERT_TRUE(reader);
  std::vector<std::int64_t> told;
  event::Batch batch;
  while ((*reader)->next(batch).value_or(false))
    for (const event::Event& event : batch.events)
      if (event::is_call(event.kind)) told.push_back(static_cast<std::int64_t>(event.id));
  EXPECT_EQ(told, expected);
}

INSTANTIATE_TEST_SUITE_P(orders, tbf_watch, testing::Values(ByteOrder::little, ByteOrder::big),
                         [](const auto& parameter) {
                           return parameter.param == ByteOrder::little ? "little" : "big";
                         });

}  // namespace
}  // namespace polytrace::format::test
