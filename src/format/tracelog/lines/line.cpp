// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/lines/line.hpp"

namespace polytrace::format::tracelog {
namespace {

template <class T>
bool is_list_of(Scan scan) {
  T item;
  while (!scan.rest().empty()) {
    if (!take_item(scan, item)) return false;
  }
  return true;
}

bool is_letters(std::string_view text, std::uint64_t& mask) {
  if (text.empty() || text.size() > 8) return false;
  mask = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != 't' && text[i] != 'f') return false;
    if (text[i] == 't') mask |= std::uint64_t{1} << i;
  }
  return true;
}

class Parser {
 public:
  Parser(std::string_view text, Line& line, Lists lists)
      : scan_(text), line_(line), check_list_(lists == Lists::all) {
    scan_.skip(kKeyBytes);
  }

  bool parse() {
    line_.list = {};
    line_.texts = {};
    line_.has_second = false;
    line_.os_thread = false;
    const auto items = line_.record->items;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (is_list(items[i].type)) return list(items[i].type);
      if (may_end(items[i].type) && scan_.rest().empty()) return true;
      if (!scan_.gap() || !field(items[i].type, i)) return false;
    }
    return scan_.done();
  }

 private:
  static bool may_end(Item type) { return type == Item::second_iid || type == Item::rest; }

  bool field(Item type, std::size_t i) {
    std::uint64_t& number = line_.numbers[i];
    switch (type) {
      case Item::dec:
      case Item::ms:
      case Item::us: return scan_.dec(number);
      case Item::hex32: return scan_.wide_hex(number);
      case Item::ptr: return ptr(number, i);
      case Item::pid:
      case Item::pid_ptr:
        return scan_.rest().starts_with("0x") ? scan_.hex(number) : scan_.dec(number);
      case Item::second_iid: line_.has_second = true; [[fallthrough]];
      case Item::iid: return scan_.wide_iid(number);
      case Item::thread: return thread(number);
      case Item::letters: return is_letters(word(), number);
      default: return text(type);
    }
  }
  bool ptr(std::uint64_t& number, std::size_t i) {
    const char* const from = scan_.at();
    const bool good = scan_.wide_hex(number);
    if (i == 0) line_.pointer_digits = static_cast<std::size_t>(scan_.at() - from) - 2;
    return good;
  }
  bool text(Item type) {
    switch (type) {
      case Item::systime: return parse_sys_time(all(), line_.time);
      case Item::str: return !(line_.texts[0] = word()).empty();
      case Item::rest: return line_.texts[1] = all(), true;
      case Item::qstr: return unquote(all(), line_.texts[0]);
      case Item::qstr3: return unquote_three(all(), line_.texts);
      case Item::reason: return reason(word());
      default: return false;
    }
  }
  bool thread(std::uint64_t& number) {
    const char first = *scan_.at();
    line_.os_thread = first != '?' && !scan_.rest().starts_with("0x");
    return line_.os_thread ? scan_.dec(number) : scan_.wide_iid(number);
  }
  bool reason(std::string_view text) {
    line_.induced = text == "induced";
    return line_.induced || text == "?";
  }
  // Every item takes the blanks before it.
  bool list(Item type) {
    line_.list = scan_.rest();
    switch (type) {
      case Item::code_list: return is_list_of<CodeItem>(scan_);
      case Item::alt_list: return is_list_of<AltItem>(scan_);
      case Item::gen_list: return !line_.list.empty() && is_list_of<GenItem>(scan_);
      case Item::alloc_list: return !check_list_ || is_list_of<AllocItem>(scan_);
      default: return true;
    }
  }
  std::string_view word() {
    const std::string_view rest = scan_.rest();
    const std::size_t size = std::min(rest.find_first_of(" \t"), rest.size());
    scan_.skip(size);
    return rest.substr(0, size);
  }
  std::string_view all() {
    const std::string_view rest = scan_.rest();
    scan_.skip(rest.size());
    return rest;
  }

  Scan scan_;
  Line& line_;
  bool check_list_;
};

}  // namespace

Verdict parse_line(std::string_view text, Line& line, Lists lists) {
  if (text.size() < kKeyBytes) return Verdict::malformed;
  if (text.size() > kKeyBytes && !is_blank(text[kKeyBytes])) return Verdict::malformed;
  line.record = find_record(text.data());
  if (line.record == nullptr) return is_key(text.data()) ? Verdict::unknown : Verdict::malformed;
  return Parser(text, line, lists).parse() ? Verdict::record : Verdict::malformed;
}

bool take_item(Scan& scan, CodeItem& item) {
  if (!scan.gap() || !scan.hex(item.first) || !scan.take(':') || !scan.hex(item.second))
    return false;
  item.is_block = !scan.take(':');
  return item.is_block || scan.hex(item.third);
}

bool take_item(Scan& scan, GenItem& item) {
  if (!scan.gap()) return false;
  const std::string_view rest = scan.rest();
  const std::size_t size = rest.find(':');
  if (size == 0 || size == std::string_view::npos) return false;
  item.name = rest.substr(0, size);
  if (item.name.find_first_of(" \t") != std::string_view::npos) return false;
  scan.skip(size + 1);
  return scan.dec(item.allocated) && scan.take(':') && scan.dec(item.reserved);
}

}  // namespace polytrace::format::tracelog
