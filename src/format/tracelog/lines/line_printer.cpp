// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "format/tracelog/lines/line.hpp"

namespace polytrace::format::tracelog {
namespace {

constexpr std::size_t kFlushAt = 256 * 1024;
constexpr std::size_t kUndecided = 4 * kFlushAt;

}  // namespace

void LinePrinter::hex(std::uint64_t value, unsigned digits, bool upper, bool prefix) {
  static constexpr std::string_view kUpper = "0123456789ABCDEF";
  static constexpr std::string_view kLower = "0123456789abcdef";
  char text[16];
  unsigned count = 0;
  do {
    text[15 - count++] = (upper ? kUpper : kLower)[value & 0xf];
    value >>= 4;
  } while (value != 0);
  while (count < digits) text[15 - count++] = '0';
  if (prefix) to_ += "0x";
  if (pointers != nullptr && digits == 16) pointers->push_back(to_.size());
  to_.append(text + 16 - count, count);
}

void LinePrinter::key(Key key) { to_ += record(key).key; }

void LinePrinter::ptr(std::uint64_t value) { hex(value, pointer_digits, true); }

// Early logs spell them without "0x".
void LinePrinter::ip(std::uint64_t value) {
  if (value == 0) to_ += '?';
  else if (dialect_ != Dialect::early) ptr(value);
  else hex(value, value >> 32 != 0 ? 16 : pointer_digits, true, false);
}

void LinePrinter::hex32(std::uint64_t value) { hex(value, 8, dialect_ != Dialect::early); }

void LinePrinter::small_hex(std::uint64_t value) { hex(value, 1, false); }

void LinePrinter::small_iid(base::Id id) {
  if (id == base::kNoId) to_ += '?';
  else small_hex(id);
}

void LinePrinter::iid(base::Id id) {
  if (id == base::kNoId) to_ += '?';
  else hex32(id);
}

void LinePrinter::dec(std::uint64_t value) {
  char digits[20];
  to_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void LinePrinter::quoted(std::string_view text) { ((to_ += '"') += text) += '"'; }

void LinePrinter::letters(std::uint64_t mask) {
  for (unsigned i = 0; i < 4 || mask >> i != 0; ++i) to_ += (mask >> i & 1) != 0 ? 't' : 'f';
}

void LinePrinter::field(Item type, const Line& line, std::size_t i) {
  const std::uint64_t number = line.numbers[i];
  switch (type) {
    case Item::dec:
    case Item::ms:
    case Item::us:
    case Item::pid: return dec(number);
    case Item::hex32: return hex32(number);
    case Item::ptr:
    case Item::pid_ptr: return ptr(number);
    case Item::iid: return iid(number);
    case Item::thread: return line.os_thread ? dec(number) : iid(number);
    case Item::systime:
      return append_sys_time(to_, line.time.wall, line.time.offset, dialect_ == Dialect::later);
    case Item::str: return text(line.texts[0]);
    case Item::rest: return text(line.texts[1]);
    case Item::qstr: return quoted(line.texts[0]);
    case Item::qstr3:
      quoted(line.texts[0]), to_ += ' ', quoted(line.texts[1]), to_ += ' ', quoted(line.texts[2]);
      return;
    case Item::reason: return text(line.induced ? "induced" : "?");
    case Item::letters: return letters(number);
    default: return;
  }
}

void print_line(LinePrinter& to, const Line& line) {
  to.key(line.record->number);
  for (std::size_t i = 0; i < line.record->items.size(); ++i) {
    const Item type = line.record->items[i].type;
    if (is_list(type) || type == Item::second_iid) break;
    to.text(" ");
    to.field(type, line, i);
  }
}

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
