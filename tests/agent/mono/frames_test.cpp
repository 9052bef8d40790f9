// SPDX-License-Identifier: Apache-2.0
// Prologues as Mono writes them, damaged ones, and walks over stacks that are made here.
#include "agent/mono/plain/frames.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <vector>

namespace polytrace {
namespace {

using agent::mono::CallSite;
using agent::mono::Frames;
using agent::mono::read_prologue;
using Code = std::vector<std::uint8_t>;
using Frame = CallSite::Frame;

// In memory of just that size, so that a byte behind it is a fault of its own.
CallSite site_of(const Code& code) {
  const auto memory = std::make_unique<std::uint8_t[]>(code.size());
  std::copy(code.begin(), code.end(), memory.get());
  return read_prologue({memory.get(), code.size()});
}

void expect_site(const Code& code, Frame frame, std::uint32_t size, std::uint32_t saved = 0) {
  const CallSite site = site_of(code);
  EXPECT_EQ(site.frame, frame);
  EXPECT_EQ(site.size, size);
  EXPECT_EQ(site.saved_pointer, saved);
}

const Code kPointer{0x55, 0x48, 0x8b, 0xec};                 // push rbp; mov rbp, rsp
const Code kPointerAlso{0x55, 0x48, 0x89, 0xe5};             // the other way to write it
const Code kSub{0x48, 0x83, 0xec, 0x38};                     // sub rsp, 0x38
const Code kSubFar{0x48, 0x81, 0xec, 0x08, 0x02, 0, 0};      // sub rsp, 0x208
const Code kSaveRbp{0x48, 0x89, 0x6c, 0x24, 0x10};           // mov [rsp + 0x10], rbp
const Code kSaveRbx{0x48, 0x89, 0x1c, 0x24};                 // mov [rsp], rbx
const Code kSaveR15{0x4c, 0x89, 0xbc, 0x24, 0x80, 1, 0, 0};  // mov [rsp + 0x180], r15
const Code kBody{0x48, 0x8b, 0xc7, 0xc3};                    // mov rax, rdi; ret

Code joined(std::initializer_list<Code> parts) {
  Code all;
  for (const Code& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(prologue, of_a_frame_with_pointer) {
  expect_site(joined({kPointer, kSub, kBody}), Frame::pointer, 0x38 + 16);
  expect_site(joined({kPointerAlso, kSubFar, kBody}), Frame::pointer, 0x208 + 16);
  expect_site(joined({kPointer, kBody}), Frame::pointer, 16);
}

TEST(prologue, of_a_frame_of_fixed_size) {
  expect_site(joined({kSub, kBody}), Frame::fixed, 0x38 + 8);
  expect_site(joined({kSub, kSaveRbx, kSaveRbp, kBody}), Frame::fixed, 0x38 + 8, 0x18);
  expect_site(joined({kSubFar, kSaveR15, kSaveRbp, kBody}), Frame::fixed, 0x208 + 8, 0x18);
  expect_site(joined({kSubFar, kSaveR15, kBody}), Frame::fixed, 0x208 + 8);
}

TEST(prologue, that_is_none) {
  expect_site({}, Frame::unknown, 0);
  expect_site(kBody, Frame::unknown, 0);
  expect_site({0x55}, Frame::unknown, 0);
  expect_site({0x55, 0x48, 0x8b}, Frame::unknown, 0);
  expect_site({0x55, 0xc3, 0xc3, 0xc3}, Frame::unknown, 0);
}

TEST(prologue, with_impossible_distances) {
  expect_site({0x48, 0x83, 0xec, 0x80}, Frame::unknown, 0);           // negative
  expect_site({0x48, 0x81, 0xec, 0, 0, 0, 0x80}, Frame::unknown, 0);  // negative
  expect_site({0x48, 0x83, 0xec, 0x0c}, Frame::unknown, 0);           // half a word
  expect_site(joined({kPointer, {0x48, 0x83, 0xec, 0xff}}), Frame::unknown, 0);
  expect_site(joined({kSub, {0x48, 0x89, 0x6c, 0x24, 0x38}}), Frame::unknown, 0);  // outside
  expect_site(joined({kSub, {0x48, 0x89, 0x6c, 0x24, 0x80}}), Frame::unknown, 0);
  expect_site(joined({kSub, {0x48, 0x89, 0x6c, 0x24, 0x11}}), Frame::unknown, 0);
}

// Cut anywhere, a prologue tells what stands before the cut, or nothing.
TEST(prologue, cut_off) {
  const Code whole = joined({kSubFar, kSaveRbp, kSaveR15, kBody});
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const CallSite site = site_of(Code(whole.begin(), whole.begin() + static_cast<long>(size)));
    if (site.frame == Frame::unknown) continue;
    EXPECT_EQ(site.frame, Frame::fixed);
    EXPECT_EQ(site.size, 0x208U + 8);
    EXPECT_TRUE(site.saved_pointer == 0 || site.saved_pointer == 0x18);
  }
}

constexpr std::size_t kStackWords = 512;

struct Stack {
  std::unique_ptr<std::uintptr_t[]> words = std::make_unique<std::uintptr_t[]>(kStackWords);
  std::uintptr_t at(std::size_t word) const {
    return reinterpret_cast<std::uintptr_t>(words.get() + word);
  }
  Frames frames(std::size_t word, std::uintptr_t address) const {
    return {at(word), at(kStackWords), address};
  }
};

// A flipped bit or byte gives another site or none; whatever it gives, a walk stays on the stack,
// goes outwards and so comes to an end.
TEST(prologue, damaged) {
  std::mt19937_64 random(7);
  Stack stack;
  for (std::size_t i = 0; i < kStackWords; ++i)
    stack.words[i] = random() % 2 == 0 ? stack.at(random() % kStackWords) : random();
  for (int round = 0; round < 20'000; ++round) {
    Code code = round % 2 == 0 ? joined({kPointer, kSub, kBody})
                               : joined({kSubFar, kSaveRbp, kSaveR15, kBody});
    for (auto times = random() % 3; times-- != 0;)
      code[random() % code.size()] = static_cast<std::uint8_t>(random());
    code.resize(random() % 4 == 0 ? random() % code.size() : code.size());
    CallSite site = site_of(code);
    if (site.frame == Frame::unknown) continue;
    EXPECT_GE(site.size, 8U);
    EXPECT_EQ(site.size % 8, 0U);
    EXPECT_LE(site.saved_pointer, site.size);
    site.method = 1;
    Frames frames = stack.frames(random() % kStackWords, 1);
    for (std::uintptr_t before = frames.stack(); frames.go_out(site); before = frames.stack()) {
      ASSERT_GT(frames.stack(), before);
      ASSERT_LE(frames.stack(), stack.at(kStackWords));
    }
  }
}

TEST(frames, of_fixed_size_and_with_pointer_in_turn) {
  Stack stack;
  // Three words and the return address; rbp of the caller in the second of them.
  const CallSite fixed{.method = 1, .frame = Frame::fixed, .size = 32, .saved_pointer = 16};
  const CallSite pointer{.method = 2, .frame = Frame::pointer, .size = 48};
  stack.words[1] = stack.at(20);
  stack.words[3] = 0xa;            // into the frame with pointer, which begins at 4
  stack.words[20] = stack.at(30);  // rbp of its caller
  stack.words[21] = 0xb;
  stack.words[30] = 0;
  stack.words[31] = 0xc;
  Frames frames = stack.frames(0, 0x9);
  ASSERT_TRUE(frames.go_out(fixed));
  EXPECT_EQ(frames.address(), 0xaU);
  EXPECT_EQ(frames.stack(), stack.at(4));
  ASSERT_TRUE(frames.go_out(pointer));
  EXPECT_EQ(frames.address(), 0xbU);
  EXPECT_EQ(frames.stack(), stack.at(22));
  ASSERT_TRUE(frames.go_out(pointer));
  EXPECT_EQ(frames.address(), 0xcU);
  EXPECT_EQ(frames.stack(), stack.at(32));
  EXPECT_FALSE(frames.go_out(pointer)) << "rbp was null there";
}

TEST(frames, that_lie_elsewhere_are_not_read) {
  Stack stack;
  const CallSite pointer{.method = 1, .frame = Frame::pointer, .size = 16};
  for (const std::uintptr_t bad : {stack.at(0), stack.at(20) + 4, stack.at(kStackWords),
                                   stack.at(kStackWords) + 8, ~std::uintptr_t{0}}) {
    stack.words[4] = bad;
    stack.words[5] = 0xa;
    Frames frames = stack.frames(4, 0x9);
    ASSERT_TRUE(frames.go_out(pointer));
    EXPECT_FALSE(frames.go_out(pointer)) << bad;
  }
  const CallSite fixed{.method = 1, .frame = Frame::fixed, .size = 8 * 8};
  EXPECT_FALSE(stack.frames(kStackWords - 7, 0x9).go_out(fixed));
  EXPECT_TRUE(stack.frames(kStackWords - 8, 0x9).go_out(fixed));
  const CallSite saved{
      .method = 1, .frame = Frame::fixed, .size = 8, .saved_pointer = 8 * kStackWords + 16};
  EXPECT_FALSE(stack.frames(kStackWords - 8, 0x9).go_out(saved));
}

}  // namespace
}  // namespace polytrace
