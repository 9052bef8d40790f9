// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/frames.hpp"

#include <gmock/gmock.h>

#include <string>

namespace polytrace::agent::control {
namespace {

using ::testing::ElementsAre;

Bytes frame_of(Message message, std::uint32_t request, const Body& body) {
  Bytes bytes;
  append_frame(bytes, {message, 0, request, body.view()});
  return bytes;
}

TEST(control_frames, look_as_documented) {
  Body body;
  body.number(Field::version, 300).text(Field::text, "hi");
  const Bytes bytes = frame_of(Message::hello, 7, body);
  EXPECT_THAT(bytes, ElementsAre(16, 0, 0, 0,  // length
                                 1, 0, 0, 0,   // HELLO, no flags
                                 7, 0, 0, 0,   // request
                                 1, 2, 0xac, 2, 17, 2, 'h', 'i'));
}

TEST(control_frames, come_back_from_any_split) {
  Body body;
  body.text(Field::text, "some text").figure("events", 1U << 20);
  Bytes two = frame_of(Message::annotate, 1, body);
  const std::size_t first = two.size();
  append_frame(two, {Message::status, kContinues, 2, {}});
  for (std::size_t cut = 0; cut <= two.size(); ++cut) {
    FrameBuffer buffer(kMaxCommand);
    Frame frame;
    std::vector<Message> seen;
    for (const View part : {View(two).first(cut), View(two).subspan(cut)}) {
      buffer.append(part);
      while (buffer.next(frame) == FrameBuffer::Cut::frame) seen.push_back(frame.message);
    }
    EXPECT_THAT(seen, ElementsAre(Message::annotate, Message::status)) << "cut at " << cut;
    EXPECT_EQ(frame.flags, kContinues);
    EXPECT_EQ(frame.request, 2U);
    EXPECT_TRUE(buffer.pending().empty());
  }
  EXPECT_GT(first, kLengthSize + kHeadSize);
}

TEST(control_frames, fields_are_read_back) {
  Body body;
  body.number(Field::value, ~std::uint64_t{0}).text(Field::name, "").figure("lost", 12);
  Items items(body.view());
  Item item;
  ASSERT_TRUE(items.next(item));
  EXPECT_TRUE(item.is(Field::value));
  EXPECT_EQ(item.value(), ~std::uint64_t{0});
  ASSERT_TRUE(items.next(item));
  EXPECT_TRUE(item.is(Field::name));
  EXPECT_EQ(item.text(), "");
  ASSERT_TRUE(items.next(item));
  EXPECT_EQ(figure_of(item).name, "lost");
  EXPECT_EQ(figure_of(item).value, 12U);
  EXPECT_FALSE(items.next(item));
  EXPECT_FALSE(items.damaged());
}

TEST(control_frames, every_cut_body_is_damaged_or_shorter) {
  Body body;
  body.text(Field::name, "abc").number(Field::value, 500);
  for (std::size_t size = 1; size < body.view().size(); ++size) {
    Items items(body.view().first(size));
    std::size_t whole = 0;
    for (Item item; items.next(item);) ++whole;
    const bool at_border = size == 5;
    EXPECT_EQ(items.damaged(), !at_border) << size << " bytes";
    EXPECT_EQ(whole, size >= 5 ? 1U : 0U) << size << " bytes";
  }
}

TEST(control_frames, damaged_numbers_are_not_values) {
  const Bytes too_long = {25, 11, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1};
  Items items(too_long);
  Item item;
  ASSERT_TRUE(items.next(item));
  EXPECT_EQ(item.value(), 0U);
  const Bytes length_beyond = {17, 5, 'a'};
  Items cut(length_beyond);
  EXPECT_FALSE(cut.next(item));
  EXPECT_TRUE(cut.damaged());
}

TEST(control_frames, impossible_lengths_are_refused) {
  for (const Bytes& bytes : {Bytes{7, 0, 0, 0}, Bytes{1, 0, 1, 0}, Bytes{255, 255, 255, 255}}) {
    FrameBuffer buffer(kMaxCommand);
    buffer.append(bytes);
    Frame frame;
    EXPECT_EQ(buffer.next(frame), FrameBuffer::Cut::impossible);
  }
  FrameBuffer longest(kMaxCommand);
  longest.append(Bytes{0, 0, 1, 0});
  Frame frame;
  EXPECT_EQ(longest.next(frame), FrameBuffer::Cut::more);
}

TEST(control_frames, who_may_say_what) {
  Right needed = Right::none;
  EXPECT_TRUE(may_be_sent(Message::status, needed));
  EXPECT_EQ(needed, Right::observe);
  EXPECT_TRUE(may_be_sent(Message::heap_dump, needed));
  EXPECT_EQ(needed, Right::control);
  EXPECT_FALSE(may_be_sent(Message::welcome, needed));
  EXPECT_FALSE(may_be_sent(static_cast<Message>(999), needed));
  EXPECT_EQ(name_of(Message::set_filters), "SET_FILTERS");
  EXPECT_EQ(name_of(static_cast<Message>(999)), "?");
}

}  // namespace
}  // namespace polytrace::agent::control
