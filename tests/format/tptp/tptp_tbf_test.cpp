// SPDX-License-Identifier: Apache-2.0
// Messages of the TPTP catalogue as TBF: what is written reads the same, and the direct way from
// calls to events gives what the general one gives.
#include <gtest/gtest.h>

#include "base/io/source.hpp"
#include "event/text/text.hpp"
#include "format/random_messages.hpp"
#include "format/samples.hpp"
#include "format/tptp/events/event_maker.hpp"
#include "format/tptp/message_conversion.hpp"
#include "format/tptp/tbf/messages.hpp"
#include "format/whole.hpp"

namespace polytrace::format::test {
namespace {

using namespace polytrace::format::tptp;
using Bytes = std::vector<std::byte>;

Bytes written(std::span<const Message> messages, ByteOrder order) {
  Bytes bytes;
  TbfMessageWriter writer(base::memory_sink(bytes), order, 1);
  for (const Message& message : messages) EXPECT_TRUE(writer.write(message));
  EXPECT_TRUE(writer.finish());
  return bytes;
}

class tptp_tbf : public testing::TestWithParam<ByteOrder> {};

TEST_P(tptp_tbf, every_message_reads_as_it_was_written) {
  EXPECT_EQ(random_kinds().size(), 6U);
  RandomMessages random(7);
  const auto kinds = all_messages();
  std::vector<Message> messages(kinds.size() * 50);
  for (std::size_t i = 0; i < messages.size(); ++i)
    random.fill(messages[i], *kinds[i % kinds.size()]);
  const Bytes bytes = written(messages, GetParam());
  auto reader = TbfMessageReader::open(base::memory_source(bytes, 1000), {});
  ASSERT_TRUE(reader);
  for (const Message& message : messages) {
    ASSERT_TRUE((*reader)->next().value_or(false));
    ASSERT_TRUE(same_message((*reader)->message(), message))
        << to_text((*reader)->message()) << "\n"
        << to_text(message);
  }
  EXPECT_FALSE((*reader)->next().value_or(true));
  EXPECT_EQ((*reader)->tally().record_bytes() + (*reader)->tally().frame_bytes, bytes.size());
}

TEST_P(tptp_tbf, what_is_read_is_written_with_the_same_bytes) {
  RandomMessages random(8);
  std::vector<Message> messages(300);
  const auto kinds = all_messages();
  for (std::size_t i = 0; i < messages.size(); ++i)
    random.fill(messages[i], *kinds[i % kinds.size()]);
  const Bytes bytes = written(messages, GetParam());
  auto reader = TbfMessageReader::open(base::memory_source(bytes), {});
  ASSERT_TRUE(reader);
  Bytes again;
  TbfMessageWriter writer(base::memory_sink(again), GetParam(), (*reader)->header().platform);
  while ((*reader)->next().value_or(false)) ASSERT_TRUE(writer.write((*reader)->message()));
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(again, bytes);
}

TEST_P(tptp_tbf, an_illegal_platform_is_not_written_again) {
  constexpr std::size_t kPlatformAt = 6;
  std::vector<Message> messages(1);
  messages[0].reset(*find_message(field::RuntimeInitDone::kId));
  Bytes bytes = written(messages, GetParam());
  bytes[kPlatformAt] = std::byte{7};
  Bytes again;
  ASSERT_TRUE(
      convert_messages(base::memory_source(bytes), base::memory_sink(again), Spelling::tbf));
  bytes[kPlatformAt] = std::byte{1};
  EXPECT_EQ(again, bytes);
}

Message call(std::uint16_t id, std::int64_t time, std::int64_t thread, std::int64_t method) {
  Message message;
  message.reset(*find_message(id));
  message.set_number(field::MethodEntry::thread_id_ref, thread);
  message.set_number(field::MethodEntry::time, time);
  if (id == field::MethodEntry::kId) {
    message.set_number(field::MethodEntry::method_id_ref, method);
    message.set_number(field::MethodEntry::ticket, -3);
    message.set_number(field::MethodEntry::stack_depth, 4);
    message.set_number(field::MethodEntry::class_id_ref, 20);
    message.set_number(field::MethodEntry::transient_obj_id_ref, 30);
  } else {
    message.set_number(field::MethodExit::method_id_ref, method);
    message.set_number(field::MethodExit::ticket, 9);
    message.set_number(field::MethodExit::thread_cpu_time, 77);
    message.set_number(field::MethodExit::transient_obj_id_ref, 31);
    message.set_number(field::MethodExit::transient_class_id_ref, 21);
  }
  return message;
}

// A text in a call sends it the general way.
TEST_P(tptp_tbf, plain_calls_give_the_events_of_calls_with_texts) {
  std::vector<Message> plain;
  std::vector<Message> with_texts;
  for (std::int64_t i = 1; i < 200; ++i) {
    const auto id = i % 3 == 0 ? field::MethodExit::kId : field::MethodEntry::kId;
    Message& message = plain.emplace_back(call(id, 1000 + i, i % 50 < 30 ? 1 : i % 4, i % 7 + 1));
    with_texts.push_back(call(id, 1000 + i, i % 50 < 30 ? 1 : i % 4, i % 7 + 1));
    const unsigned text = static_cast<unsigned>(message.info().attributes.size()) - 1;
    with_texts.back().set_text(text, "trace");
  }
  const Whole direct = read_whole(written(plain, GetParam()));
  const Whole general = read_whole(written(with_texts, GetParam()));
  ASSERT_GT(direct.lines.size(), 190U);
  EXPECT_EQ(direct.lines, general.lines);
}

INSTANTIATE_TEST_SUITE_P(orders, tptp_tbf, testing::Values(ByteOrder::little, ByteOrder::big),
                         [](const auto& parameter) {
                           return parameter.param == ByteOrder::little ? "little" : "big";
                         });

TEST(tptp_catalogue, has_the_thirty_messages) {
  EXPECT_GE(all_messages().size(), 30U);
  EXPECT_EQ(find_message(1013), nullptr);
  EXPECT_EQ(find_message(field::ThreadStart::kId)->element, "threadStart");
  EXPECT_EQ(find_message(field::MethodEntry::kId)->least_bytes(), 84U);
  EXPECT_EQ(find_message(field::ThreadStart::kId)->least_bytes(), 51U);
  EXPECT_EQ(find_message(field::ClassDef::kId)->least_bytes(), 86U);
}

TEST(tptp_catalogue, refuses_what_cannot_be_coded) {
  EXPECT_FALSE(register_message({.id = 1041, .element = "a", .attributes = {}}));
  EXPECT_FALSE(register_message({.id = 1050, .element = "node", .attributes = {}}));
  EXPECT_FALSE(register_message({.id = 1050, .element = "1a", .attributes = {}}));
  EXPECT_FALSE(register_message(
      {.id = 1050, .element = "a", .attributes = {{.type = Type::strs, .name = "list"}}}));
  // The first two bytes of a header, in either byte order.
  for (const std::string_view magic : {"0T", "T0"}) {
    const auto id = static_cast<std::uint16_t>(magic[0] | magic[1] << 8);
    EXPECT_FALSE(register_message({.id = id, .element = "a", .attributes = {}}));
  }
  EXPECT_FALSE(
      register_message({.id = 1050,
                        .element = "a",
                        .attributes = {{Type::i64, "time", Meaning::time}, {Type::str, "time"}}}));
}

TEST(tptp_catalogue, a_registered_message_is_read_by_its_handler) {
  const auto handler = [](const Message& message, base::Time now, event::Batch& batch) {
    batch.add(now, batch.thread_slot(static_cast<base::Id>(message.number(0))), base::kNoId,
              event::Note{batch.keep(message.text(2))});
  };
  const auto info = register_message({.id = 2000,
                                      .element = "probe",
                                      .attributes = {{Type::i64, "threadIdRef", Meaning::thread},
                                                     {Type::i64, "time", Meaning::time},
                                                     {Type::str, "text"},
                                                     {Type::f64, "load"}},
                                      .handler = handler});
  ASSERT_TRUE(info) << base::to_text(info.error());
  Message message;
  message.reset(**info);
  message.set_number(0, 5);
  message.set_number(1, 1234);
  message.set_text(2, "hello");
  const Whole whole = read_whole(written({&message, 1}, ByteOrder::big));
  ASSERT_EQ(whole.lines.size(), 2U);
  EXPECT_EQ(whole.lines[1], "1234 0x5 note text=\"hello\"");
}

}  // namespace
}  // namespace polytrace::format::test
