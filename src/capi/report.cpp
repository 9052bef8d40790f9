// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdlib>

#include "capi/scan.hpp"
#include "service/ask/diff.hpp"
#include "service/ask/report.hpp"
#include "service/states/ask_state.hpp"

namespace polytrace::capi {
namespace {

// Reads the trace again, or its index, until the trace is told to stop.
class Rereading {
 public:
  explicit Rereading(OpenTrace& trace)
      : stop_(trace.stops().begin()), input_(trace.options(), {.stop = stop_.get()}) {}
  service::Input& input() { return input_; }
  bool was_stopped() const { return *stop_; }

 private:
  Stops::Flag stop_;
  service::Input input_;
};

pt_status report(OpenTrace& trace, const char* sections, const pt_scan& scan, pt_text* json,
                 pt_error** error) {
  if (const auto can = trace.check_rereading(); !can) return give_error(error, can.error());
  auto selection = selection_of(trace, scan);
  if (!selection) return give_error(error, selection.error());
  service::ReportQuestion question;
  if (sections != nullptr) question.sections = sections;
  question.chosen = std::move(*selection);
  question.table.limit = 0;
  Rereading again(trace);
  const auto answer = service::ask_report(again.input(), question);
  if (again.was_stopped()) return give_stopped(error);
  if (!answer) return give_refusal(error, answer.error());
  give_text(json, service::report_json(*answer));
  return tell_missing(answer->reading, error);
}

pt_status diff(OpenTrace& before, OpenTrace& after, pt_text* json, pt_error** error) {
  for (const OpenTrace* trace : {&before, &after})
    if (const auto can = trace->check_rereading(); !can) return give_error(error, can.error());
  service::DiffQuestion question;
  question.before = {before.options().file};
  question.after = {after.options().file};
  question.reading = before.options();
  question.options.table.limit = 0;
  const auto stop = before.stops().begin();
  const auto answer = service::ask_diff(question, {.stop = stop.get()});
  if (*stop) return give_stopped(error);
  if (!answer) return give_refusal(error, answer.error());
  give_text(json, service::diff_json(*answer));
  pt_status status = PT_OK;
  for (const auto* side : {&answer->before, &answer->after})
    for (const service::Reading& reading : *side)
      if (status == PT_OK) status = tell_missing(reading, error);
  return status;
}

pt_status state(OpenTrace& trace, std::int64_t at, const char* pattern, pt_text* json,
                pt_error** error) {
  if (const auto can = trace.check_rereading(); !can) return give_error(error, can.error());
  service::StateQuestion question{.at = fmt::format("{}", at)};
  if (pattern != nullptr) question.keys.paths = {pattern};
  question.keep = !trace.options().index.none;
  if (question.keep) question.cache = store::cache_root();
  Rereading again(trace);
  const service::StateAnswer answer = service::ask_state(again.input(), question);
  if (again.was_stopped()) return give_stopped(error);
  if (!answer.moment) return give_refusal(error, answer.moment.error());
  give_text(json, service::state_json(trace.options().file, *answer.moment, false));
  return answer.built ? tell_missing(answer.built->reading, error) : PT_OK;
}

}  // namespace
}  // namespace polytrace::capi

using namespace polytrace::capi;

pt_status pt_report(pt_trace* trace, const char* sections, const pt_scan* scan, pt_text* json,
                    pt_error** error) {
  *json = {};
  return guarded(error,
                 [&] { return report(*trace->open, sections, taken_scan(scan), json, error); });
}

pt_status pt_diff(pt_trace* before, pt_trace* after, pt_text* json, pt_error** error) {
  *json = {};
  return guarded(error, [&] { return diff(*before->open, *after->open, json, error); });
}

pt_status pt_state(pt_trace* trace, int64_t at, const char* pattern, pt_text* json,
                   pt_error** error) {
  *json = {};
  return guarded(error, [&] { return state(*trace->open, at, pattern, json, error); });
}

void pt_text_release(pt_text text) { std::free(const_cast<char*>(text.at)); }
