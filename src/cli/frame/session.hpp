// SPDX-License-Identifier: Apache-2.0
// What every command has at hand: the common options, both output streams, and how to say that
// something went wrong. One per run of the program.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/output.hpp"
#include "cli/show/cell_text.hpp"
#include "service/input/pass.hpp"

namespace polytrace::cli {

// The exit code of a check that was asked for and failed.
inline constexpr int kCheckFailed = 5;

struct CommonOptions {
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";
  std::string progress = "auto";
  bool no_progress = false;
  bool no_pager = false;
};

void add_common_options(OptionList& list, CommonOptions& options, const CommonNeeds& needs);

class Session {
 public:
  explicit Session(const Catalogue& catalogue) : catalogue_(catalogue), out_(1) {}

  CommonOptions common;

  // Looks at the terminals, once the options are known.
  void begin();
  const Catalogue& catalogue() const { return catalogue_; }
  Output& out() { return out_; }
  const Look& look() const { return look_; }
  const Terminal& error_terminal() const { return error_terminal_; }

  // Progress as the user wants it; Ctrl-C stops. Lives no longer than the program's one session.
  service::Asking asking() const;

  // One error on standard error, in the form the user asked for. Returns its exit code.
  int fail(const base::Error& error, std::string_view file = {}) const;
  // The same for what the service refused, behind the notices that tell more.
  int refuse(const service::Refusal& refusal) const;
  int fail_usage(std::string_view detail) const;
  // A sentence on standard error, unless --quiet.
  void remark(std::string_view sentence) const;
  // With -v only.
  void detail(std::string_view sentence) const;
  // Text for people follows, which may be long: shown a screen at a time on a terminal.
  void page() {
    if (!common.json && !common.no_pager) pager_.begin();
  }
  // Flushes what is still to be printed and waits for the pager; `code`, or that of a failed write.
  int finish(int code);

 private:
  const Catalogue& catalogue_;
  Output out_;
  Look look_{};
  Terminal error_terminal_{};
  Pager pager_;
};

}  // namespace polytrace::cli
