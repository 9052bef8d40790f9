// SPDX-License-Identifier: Apache-2.0
#include "capi/trace.hpp"

#include <algorithm>
#include <cstring>

#include "base/codes.hpp"
#include "service/ask/contents.hpp"

namespace polytrace::capi {

base::result<sql::Database*> OpenTrace::database() {
  if (database_ == nullptr) {
    auto made = sql::Database::open(traces_.traces, {});
    if (!made) return base::Unexpected(made.error());
    database_ = std::move(*made);
  }
  return database_.get();
}

base::result<void> OpenTrace::check_rereading() const {
  if (options_.file != "-") return {};
  return base::fail(base::Code::usage, "standard input is read once: save the trace to a file");
}

service::Asked<const std::string*> OpenTrace::info() {
  if (auto can = check_rereading(); !can) return service::refuse(can.error());
  const std::lock_guard lock(info_mutex_);
  if (!info_) {
    const auto stop = stops_.begin();
    const service::Input input(options_, {.stop = stop.get()});
    const auto contents = service::ask_contents(input);
    if (!contents) return tl::unexpected(contents.error());
    if (contents->reading.passed.interrupted) return nullptr;
    info_ = service::info_json(*contents);
  }
  return &*info_;
}

namespace {

class Progress final : public service::Watcher {
 public:
  Progress(const pt_options& options, std::atomic<bool>& stop) : options_(options), stop_(stop) {}
  void update(const base::Source& source) override {
    const std::uint64_t total = source.stored_size().value_or(0);
    if (options_.progress(options_.user, source.stored_position(), total) != 0) stop_ = true;
  }

 private:
  const pt_options& options_;
  std::atomic<bool>& stop_;
};

service::Asking asking_of(const pt_options& options, std::atomic<bool>& stop) {
  service::Asking asking{.stop = &stop};
  if (options.progress != nullptr)
    asking.watch = [&options, &stop] { return std::make_unique<Progress>(options, stop); };
  return asking;
}

pt_options defaults() {
  return {.size = sizeof(pt_options),
          .index = nullptr,
          .index_mode = PT_INDEX_KEPT,
          .resync = 0,
          .progress = nullptr,
          .user = nullptr};
}

pt_options taken(const pt_options* from) {
  pt_options options = defaults();
  if (from != nullptr) std::memcpy(&options, from, std::min(from->size, sizeof options));
  return options;
}

pt_status open(const char* path, const pt_options& options, pt_trace** trace, pt_error** error) {
  if (path == nullptr || *path == '\0') return give_usage(error, "no file");
  if (options.index_mode != PT_INDEX_KEPT && options.index_mode != PT_INDEX_TEMPORARY)
    return give_usage(error, "no such mode of the index");
  service::InputOptions input{.file = path, .resync = options.resync != 0};
  input.index.offered = true;
  input.index.none = options.index_mode == PT_INDEX_TEMPORARY;
  if (options.index != nullptr) input.index.folder = options.index;
  std::atomic<bool> stop = false;
  auto traces = service::open_for_sql(std::span(&input, 1), asking_of(options, stop));
  if (!traces) return give_refusal(error, traces.error());
  if (traces->interrupted) return give_stopped(error);
  auto made = std::make_unique<pt_trace>();
  made->open = std::make_shared<OpenTrace>(std::move(input), std::move(*traces));
  const pt_status status = tell_missing(made->open->reading(), error);
  *trace = made.release();
  return status;
}

}  // namespace

pt_status tell_missing(const service::Reading& reading, pt_error** error) {
  const service::Passed& passed = reading.passed;
  const std::string& file = reading.origin.file;
  if (passed.outcome.error) return give_error(error, *passed.outcome.error, file);
  const auto exit_of = [](const base::Notice& notice) { return base::describe(notice.code).exit; };
  const auto worst = std::ranges::max_element(passed.notices, {}, exit_of);
  if (worst == passed.notices.end() || exit_of(*worst) == 0) return PT_OK;
  return give_error(error, {worst->code, worst->first, worst->detail}, file);
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
  return guarded(error, [&] { return open(path, taken(options), trace, error); });
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
