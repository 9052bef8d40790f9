// SPDX-License-Identifier: Apache-2.0
// One line of a log as values, in both directions of the record table. Views point into the line.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/io/sink.hpp"
#include "format/tracelog/lines/names.hpp"
#include "format/tracelog/lines/records.hpp"
#include "format/tracelog/lines/scan.hpp"
#include "format/tracelog/lines/sys_time.hpp"

namespace polytrace::format::tracelog {

struct Line {
  const Record* record = nullptr;
  // By field: numbers, ids (kNoId for "?") and letters (bit i for the i-th).
  std::array<std::uint64_t, kMostItems> numbers{};
  // A quoted string, the three of `fun nam`, or name and value of a setting.
  std::array<std::string_view, 3> texts{};
  std::string_view list;           // the items of a list, behind the blank
  std::size_t pointer_digits = 0;  // of the first field, where that is a ptr
  bool os_thread = false;          // the thread field is an id of the operating system
  bool has_second = false;         // `thr dst` with a second field
  bool induced = false;            // the reason of a collection
  SysTime time;
};

enum class Verdict : std::uint8_t { record, malformed, unknown };

// Whether the list of `sam mem` is looked at, too: who walks over it anyway can do it then.
enum class Lists : std::uint8_t { all, not_allocations };

// What a line without its end and trailing blanks is; `line` is filled when it is a record. Lists
// of `sam str` are not looked at: sample.hpp does that.
Verdict parse_line(std::string_view text, Line& line, Lists lists = Lists::all);

// --- items of lists: each takes one, with the blanks before it ---

// A block of code, or an entry of the IL map.
struct CodeItem {
  bool is_block = false;
  std::uint64_t first = 0;   // address, or IL offset
  std::uint64_t second = 0;  // size, or begin of native code
  std::uint64_t third = 0;   // end of native code
};
bool take_item(Scan& scan, CodeItem& item);

struct AltItem {
  base::Id type = base::kNoId;
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
};
inline bool take_item(Scan& scan, AltItem& item) {
  return scan.gap() && scan.iid(item.type) && scan.take(':') && scan.dec(item.objects) &&
         scan.take(':') && scan.dec(item.bytes);
}

struct AllocItem : AltItem {
  std::uint64_t ip = 0;  // 0 = not told
};
inline bool take_item(Scan& scan, AllocItem& item) {
  item.ip = 0;
  if (!take_item(scan, static_cast<AltItem&>(item))) return false;
  return !scan.take(':') || scan.ip(item.ip);
}

struct GenItem {
  std::string_view name;
  std::uint64_t allocated = 0;
  std::uint64_t reserved = 0;
};
bool take_item(Scan& scan, GenItem& item);

// Appends items as a dialect spells them.
class LinePrinter {
 public:
  LinePrinter(std::string& to, Dialect dialect) : to_(to), dialect_(dialect) {}

  unsigned pointer_digits = 16;
  std::vector<std::size_t>* pointers = nullptr;  // not null: gets the place of every ptr's digits

  void key(Key key);
  void field(Item type, const Line& line, std::size_t i);
  void ptr(std::uint64_t value);
  void ip(std::uint64_t value);  // "?" for 0
  void hex32(std::uint64_t value);
  void small_hex(std::uint64_t value);
  void small_iid(base::Id id);
  void dec(std::uint64_t value);
  void text(std::string_view text) { to_ += text; }
  void end() { to_ += '\n'; }

 private:
  void iid(base::Id id);
  void quoted(std::string_view text);
  void letters(std::uint64_t mask);
  void hex(std::uint64_t value, unsigned digits, bool upper, bool prefix = true);

  std::string& to_;
  Dialect dialect_;
};

// A line without list items, or with `line.list` as it stands.
void print_line(LinePrinter& to, const Line& line);

// The text of a log on its way to the sink. How many digits pointers have is known only when the
// first thread is told: until then they are noted, to be shortened.
class TextOut {
 public:
  explicit TextOut(Dialect dialect) : printer_(text_, dialect) { printer_.pointers = &pointers_; }

  LinePrinter& printer() { return printer_; }
  bool decided() const { return printer_.pointers == nullptr; }
  // 8 or 16; the first word counts.
  void decide(unsigned pointer_digits);
  // A line that does not end: whoever reads the log learns that it was cut off.
  void break_off() { text_ += '+'; }
  // Gives text to the sink when there is much of it, or `all`.
  base::result<void> flush(base::Sink& sink, bool all);

 private:
  std::string text_;
  std::vector<std::size_t> pointers_;  // where in text_ 16 digits stand
  LinePrinter printer_;
};

}  // namespace polytrace::format::tracelog
