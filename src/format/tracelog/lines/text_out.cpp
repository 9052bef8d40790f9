// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/lines/text_out.hpp"

namespace polytrace::format::tracelog {
namespace {

constexpr std::size_t kFlushAt = 256 * 1024;
constexpr std::size_t kUndecided = 4 * kFlushAt;

}  // namespace

void TextOut::decide(unsigned pointer_digits) {
  if (decided()) return;
  printer_.pointers = nullptr;
  printer_.pointer_digits = pointer_digits;
  if (pointer_digits == 16) return;
  std::string shorter;
  std::size_t copied = 0;
  for (const std::size_t at : pointers_) {
    constexpr std::string_view kZeros = "00000000";
    if (text_.compare(at, kZeros.size(), kZeros) != 0) continue;
    shorter.append(text_, copied, at - copied);
    copied = at + kZeros.size();
  }
  shorter.append(text_, copied);
  text_ = std::move(shorter);
  pointers_.clear();
}

base::result<void> TextOut::flush(base::Sink& sink, bool all) {
  if (all || text_.size() >= kUndecided) decide(16);
  if (!all && (!decided() || text_.size() < kFlushAt)) return {};
  auto done = sink.write(std::as_bytes(std::span(text_)));
  text_.clear();
  return done;
}

}  // namespace polytrace::format::tracelog
