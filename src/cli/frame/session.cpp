// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/codes.hpp"
#include "cli/frame/notices_view.hpp"
#include "service/json/parts.hpp"

namespace polytrace::cli {
namespace {

ColorMode color_mode(std::string_view name) {
  if (name == "always") return ColorMode::always;
  return name == "never" ? ColorMode::never : ColorMode::automatic;
}

}  // namespace

void add_common_options(OptionList& list, CommonOptions& options, const CommonNeeds& needs) {
  const char* group = "General";
  if (needs.json)
    list.add("--json", options.json, "The result as one JSON document; errors as JSON, too")
        .in(group);
  list.add("--color", options.color, "Colours: auto, always or never")
      .one_of({"auto", "always", "never"})
      .takes("WHEN")
      .shows_default()
      .in(group);
  if (needs.progress) {
    list.add("--progress", options.progress,
             "Progress on standard error: auto (a line on a terminal, after half a second) "
             "or json (one object a line)")
        .one_of({"auto", "json"})
        .takes("FORM")
        .shows_default()
        .in(group);
    list.add("--no-progress", options.no_progress, "No progress line").in(group);
  }
  if (needs.pager)
    list.add("--no-pager", options.no_pager, "All at once, not a screen at a time").in(group);
  list.add("-q,--quiet", options.quiet, "Nothing on standard error but errors").in(group);
  list.add("-v,--verbose", options.verbose, "Say more on standard error").in(group);
}

void Session::begin() {
  const auto mode = color_mode(common.color);
  look_ = look_of(inspect_terminal(STDOUT_FILENO, mode));
  error_terminal_ = inspect_terminal(STDERR_FILENO, mode);
}

int Session::fail(const base::Error& error, std::string_view file) const {
  print(common.json ? service::error_json(error, file) : error_text(error, file, error_terminal_));
  return base::describe(error.code).exit;
}

int Session::refuse(const service::Refusal& refusal) const {
  if (refusal.passed) tell_notices(*this, refusal.file, refusal.passed->notices);
  return fail(refusal.error, refusal.file);
}

int Session::fail_usage(std::string_view detail) const {
  return fail({base::Code::usage, {}, std::string(detail)});
}

void Session::remark(std::string_view sentence) const {
  if (!common.quiet) print(fmt::format("polytrace: {}\n", sentence));
}

void Session::detail(std::string_view sentence) const {
  if (common.verbose) remark(sentence);
}

int Session::finish(int code) {
  out_.flush();
  pager_.end();
  const auto fault = out_.fault();
  if (!fault) return code;
  return std::max(code, fail(*fault, "standard output"));
}

}  // namespace polytrace::cli
