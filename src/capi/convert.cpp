// SPDX-License-Identifier: Apache-2.0
#include "service/convert/conversion.hpp"

#include "base/codes.hpp"
#include "capi/asking.hpp"
#include "capi/options.hpp"
#include "capi/trace.hpp"
#include "service/convert/export_run.hpp"
#include "service/sql/table_export.hpp"

namespace polytrace::capi {
namespace {

base::Unexpected nothing_named(std::string_view what) {
  return base::fail(base::Code::usage, std::string(what));
}

struct ConvertJob {
  service::InputOptions input{};
  service::TargetOptions target{};
};

base::result<ConvertJob> convert_job(const char* from, const char* to, const char* json) {
  if (from == nullptr || *from == '\0') return nothing_named("no file");
  if (to == nullptr || *to == '\0') return nothing_named("no file to write");
  ConvertJob job;
  job.input.file = from;
  job.target.output = to;
  const Option options[]{{"to", &job.target.to},
                         {"to_version", &job.target.to_version},
                         {"byte_order", &job.target.byte_order},
                         {"force", &job.target.force},
                         {"leave_open", &job.target.leave_open},
                         {"resync", &job.input.resync},
                         {"strict", &job.input.strict},
                         {"segments", &job.input.segments}};
  if (auto read = read_options(json, options); !read) return base::Unexpected(read.error());
  const std::string& order = job.target.byte_order;
  if (!order.empty() && order != "big" && order != "little")
    return nothing_named("byte_order is big or little");
  return job;
}

// The document is there, whatever the status is.
pt_status told(const service::Reading& reading, bool lacks, pt_error** error) {
  if (reading.passed.interrupted) return give_stopped(error);
  const pt_status status = tell_missing(reading, error);
  return status == PT_OK && lacks ? give_check(error) : status;
}

pt_status convert(const ConvertJob& job, const service::Asking& asking, pt_text* json,
                  pt_error** error) {
  const service::Input input(job.input, asking);
  const auto done = service::convert(input, job.target);
  if (!done) return give_refusal(error, done.error());
  give_text(json, service::convert_json(*done));
  return told(done->reading, job.input.strict && done->loss.total() != 0, error);
}

struct ExportJob {
  service::InputOptions input{};
  service::ExportQuestion question{};
  service::TableExportQuestion tables{};
  const sql::TableTarget* table_target = nullptr;  // null: the target is no file of tables
};

base::result<void> read_export_options(const char* json, ExportJob& job) {
  service::ExportQuestion& asked = job.question;
  service::SelectionOptions& selection = asked.selection;
  selection.to_option = "--until";
  if (job.table_target != nullptr) {
    const Option options[]{{"tables", &job.tables.tables},
                           {"force", &job.tables.force},
                           {"strict", &job.input.strict}};
    return read_options(json, options);
  }
  const Option options[]{
      {"from", &selection.from},         {"until", &selection.to},
      {"thread", &selection.thread},     {"name", &selection.name},
      {"regex", &selection.regex},       {"subtract", &selection.subtract},
      {"weight", &asked.profile.weight}, {"limit", &asked.profile.limit},
      {"depth", &asked.profile.depth},   {"show_helpers", &asked.profile.show_helpers},
      {"snapshot", &asked.snapshot},     {"force", &asked.force},
      {"strict", &job.input.strict}};
  return read_options(json, options);
}

base::result<void> check_weight(const std::string& weight) {
  if (weight.empty() || analysis::find_weight(weight) != nullptr) return {};
  return nothing_named("no weight \"" + weight + "\"");
}

base::result<ExportJob> export_job(const OpenTrace& trace, const char* target, const char* path,
                                   const char* json) {
  if (target == nullptr || *target == '\0') return nothing_named("no target");
  if (path == nullptr || *path == '\0') return nothing_named("no file to write");
  if (auto can = trace.check_rereading(); !can) return base::Unexpected(can.error());
  ExportJob job{.input = trace.options()};
  job.table_target = sql::find_table_target(target);
  job.question.targets = target;
  job.question.output = job.tables.output = path;
  if (auto read = read_export_options(json, job); !read) return base::Unexpected(read.error());
  if (auto fits = check_weight(job.question.profile.weight); !fits)
    return base::Unexpected(fits.error());
  return job;
}

pt_status export_file(OpenTrace& trace, const ExportJob& job, pt_text* json, pt_error** error) {
  const auto stop = trace.stops().begin();
  service::Input input(job.input, {.stop = stop.get()});
  if (job.table_target != nullptr) {
    const auto done = service::export_tables(input, *job.table_target, job.tables);
    if (!done) return give_refusal(error, done.error());
    give_text(json, service::table_export_json(*done));
    return told(done->reading, false, error);
  }
  const auto done = service::export_trace(input, job.question);
  if (!done) return give_refusal(error, done.error());
  give_text(json, service::export_json(*done));
  return told(done->reading, false, error);
}

}  // namespace
}  // namespace polytrace::capi

using namespace polytrace::capi;

pt_status pt_convert(const char* from, const char* to, const char* options_json,
                     pt_progress progress, void* user, pt_text* json, pt_error** error) {
  *json = {};
  return guarded(error, [&] {
    const auto job = convert_job(from, to, options_json);
    if (!job) return give_error(error, job.error());
    std::atomic<bool> stop = false;
    return convert(*job, asking_of(progress, user, stop), json, error);
  });
}

pt_status pt_export(pt_trace* trace, const char* target, const char* path, const char* options_json,
                    pt_text* json, pt_error** error) {
  *json = {};
  return guarded(error, [&] {
    const auto job = export_job(*trace->open, target, path, options_json);
    if (!job) return give_error(error, job.error());
    return export_file(*trace->open, *job, json, error);
  });
}
