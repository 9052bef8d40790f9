// SPDX-License-Identifier: Apache-2.0
#include "capi/trace.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/codes.hpp"
#include "capi/asking.hpp"
#include "service/ask/contents.hpp"

namespace polytrace::capi {
namespace {

bool is_file(const std::string& path) {
  struct stat status{};
  return path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

base::Unexpected read_once() {
  return base::fail(base::Code::usage,
                    "a stream is read once: save the trace to a file, which is read again");
}

// Whether the index is of the file as it is now.
base::result<bool> is_current(const std::string& file, const Moment& moment) {
  const auto now = store::identify(file);
  if (!now) return base::Unexpected(now.error());
  const auto stands = store::compare(moment.trace().store().frames().view().head(), *now, file);
  if (!stands) return base::Unexpected(stands.error());
  return store::is_current(*stands);
}

}  // namespace

base::result<sql::Database*> Moment::database() {
  if (database_ == nullptr) {
    auto made = sql::Database::open(traces_.traces, {});
    if (!made) return base::Unexpected(made.error());
    database_ = std::move(*made);
  }
  return database_.get();
}

OpenTrace::OpenTrace(service::InputOptions options, std::shared_ptr<Moment> moment)
    : options_(std::move(options)),
      is_stream_(moment == nullptr),
      is_regular_(is_file(options_.file)),
      moment_(std::move(moment)) {}

base::result<std::shared_ptr<Moment>> OpenTrace::moment() const {
  const std::lock_guard lock(moment_mutex_);
  if (moment_ != nullptr) return moment_;
  return base::fail(base::Code::usage,
                    "the trace was opened without an index: there is the table \"event\" alone");
}

base::result<void> OpenTrace::check_rereading() const {
  if (!may_wait()) return {};
  return read_once();
}

base::result<void> OpenTrace::begin_stream() {
  const std::lock_guard lock(moment_mutex_);
  if (has_streamed_ && !is_regular_) return read_once();
  has_streamed_ = true;
  return {};
}

service::Asked<const std::string*> OpenTrace::info() {
  if (auto can = check_rereading(); !can) return service::refuse(can.error());
  const std::lock_guard lock(info_mutex_);
  if (!info_is_current_) {
    const auto stop = stops_.begin();
    const service::Input input(options_, {.stop = stop.get()});
    const auto contents = service::ask_contents(input);
    if (!contents) return tl::unexpected(contents.error());
    if (contents->reading.passed.interrupted) return nullptr;
    infos_.push_back(service::info_json(*contents));
    info_is_current_ = true;
  }
  return &infos_.back();
}

service::Asked<std::optional<bool>> OpenTrace::refresh() {
  const std::lock_guard alone(refresh_mutex_);
  const auto now = moment();
  if (!now || !is_regular_) return false;
  const auto current = is_current(options_.file, **now);
  if (!current) return service::refuse(current.error(), options_.file);
  if (*current) return false;
  return open_anew(stops_.begin().get());
}

service::Asked<std::optional<bool>> OpenTrace::open_anew(const std::atomic<bool>* stop) {
  auto traces = service::open_for_sql(std::span(&options_, 1), {.stop = stop});
  if (!traces) return tl::unexpected(traces.error());
  if (traces->interrupted) return std::nullopt;
  auto made = std::make_shared<Moment>(std::move(*traces));
  const std::scoped_lock lock(moment_mutex_, info_mutex_);
  moment_ = std::move(made);
  info_is_current_ = false;
  return true;
}

namespace {

pt_options defaults() {
  return {.size = sizeof(pt_options),
          .index = nullptr,
          .index_mode = PT_INDEX_KEPT,
          .resync = 0,
          .follow = 0,
          .threads = 0,
          .progress = nullptr,
          .user = nullptr};
}

base::result<service::InputOptions> input_of(const char* path, const pt_options& options) {
  if (path == nullptr || *path == '\0') return base::fail(base::Code::usage, "no file");
  if (options.index_mode < PT_INDEX_KEPT || options.index_mode > PT_INDEX_TEMPORARY)
    return base::fail(base::Code::usage, "no such mode of the index");
  if (options.follow != 0 && options.index_mode != PT_INDEX_NONE)
    return base::fail(base::Code::usage, "a file that grows is followed without an index");
  service::InputOptions input{.file = path};
  input.follow = options.follow != 0;
  input.resync = options.resync != 0;
  input.workers = options.threads;
  input.index.offered = true;
  input.index.none = options.index_mode != PT_INDEX_KEPT;
  if (options.index != nullptr) input.index.folder = options.index;
  return input;
}

pt_status open_stream_of(service::InputOptions input, pt_trace** trace, pt_error** error) {
  if (input.file != "-" && access(input.file.c_str(), R_OK) != 0)
    return give_error(error, base::system_fault(base::Code::open_failed).value(), input.file);
  auto made = std::make_unique<pt_trace>();
  made->open = std::make_shared<OpenTrace>(std::move(input), nullptr);
  *trace = made.release();
  return PT_OK;
}

pt_status open(const char* path, const pt_options& options, pt_trace** trace, pt_error** error) {
  auto input = input_of(path, options);
  if (!input) return give_error(error, input.error());
  if (options.index_mode == PT_INDEX_NONE) return open_stream_of(std::move(*input), trace, error);
  std::atomic<bool> stop = false;
  auto traces =
      service::open_for_sql(std::span(&*input, 1), asking_of(options.progress, options.user, stop));
  if (!traces) return give_refusal(error, traces.error());
  if (traces->interrupted) return give_stopped(error);
  const auto moment = std::make_shared<Moment>(std::move(*traces));
  auto made = std::make_unique<pt_trace>();
  made->open = std::make_shared<OpenTrace>(std::move(*input), moment);
  const pt_status status = tell_missing(moment->reading(), error);
  *trace = made.release();
  return status;
}

pt_status refresh(OpenTrace& trace, int* changed, pt_error** error) {
  const auto is_new = trace.refresh();
  if (!is_new) return give_refusal(error, is_new.error());
  if (!*is_new) return give_stopped(error);
  if (!**is_new) return PT_OK;
  if (changed != nullptr) *changed = 1;
  const auto moment = trace.moment();
  return moment ? tell_missing((*moment)->reading(), error) : PT_OK;
}

}  // namespace

std::optional<base::Error> missing_of(const service::Reading& reading) {
  const service::Passed& passed = reading.passed;
  if (passed.outcome.error) return passed.outcome.error;
  const auto exit_of = [](const base::Notice& notice) { return base::describe(notice.code).exit; };
  const auto worst = std::ranges::max_element(passed.notices, {}, exit_of);
  if (worst == passed.notices.end() || exit_of(*worst) == 0) return std::nullopt;
  return base::Error{worst->code, worst->first, worst->detail};
}

pt_status tell_missing(const service::Reading& reading, pt_error** error) {
  const auto missing = missing_of(reading);
  return missing ? give_error(error, *missing, reading.origin.file) : PT_OK;
}

}  // namespace polytrace::capi

using namespace polytrace::capi;

uint32_t pt_abi() { return uint32_t{1} << 16; }
const char* pt_version() { return POLYTRACE_VERSION; }

void pt_options_init(pt_options* options, size_t size) {
  const pt_options all = defaults();
  std::memset(options, 0, size);
  std::memcpy(options, &all, std::min(size, sizeof all));
  options->size = size;
}

pt_status pt_open(const char* path, const pt_options* options, pt_trace** trace, pt_error** error) {
  *trace = nullptr;
  return guarded(error, [&] { return open(path, taken(options, defaults()), trace, error); });
}

pt_status pt_refresh(pt_trace* trace, int* changed, pt_error** error) {
  if (changed != nullptr) *changed = 0;
  return guarded(error, [&] { return refresh(*trace->open, changed, error); });
}

pt_status pt_info(pt_trace* trace, pt_text* json, pt_error** error) {
  *json = {};
  return guarded(error, [&] {
    const auto info = trace->open->info();
    if (!info) return give_refusal(error, info.error());
    if (*info == nullptr) return give_stopped(error);
    *json = text_of(**info);
    return PT_OK;
  });
}

void pt_stop(pt_trace* trace) { trace->open->stops().stop_all(); }
void pt_release(pt_trace* trace) { delete trace; }
