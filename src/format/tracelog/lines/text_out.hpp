// SPDX-License-Identifier: Apache-2.0
// The text of a log on its way to the sink. How many digits pointers have is known only when the
// first thread is told: until then they are noted, to be shortened.
#pragma once

#include <string>
#include <vector>

#include "base/io/sink.hpp"
#include "format/tracelog/lines/line.hpp"

namespace polytrace::format::tracelog {

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
