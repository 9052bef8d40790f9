// SPDX-License-Identifier: Apache-2.0
#include "cli/conversion_route.hpp"

namespace polytrace::cli {
namespace {

class EventRoute final : public Route, private event::Consumer {
 public:
  EventRoute(std::unique_ptr<event::Reader> reader, std::unique_ptr<event::Writer> writer)
      : reader_(std::move(reader)), writer_(std::move(writer)) {}

  Passed go(const Session& session, const Input& input) override {
    return pass(session, input, *reader_, *this);
  }
  base::result<void> finish() override { return writer_->finish(); }
  std::string_view unit() const override { return "events"; }
  std::uint64_t read() const override { return events_; }
  event::Loss loss() const override { return writer_->loss(); }
  std::string input_version() const override { return reader_->version(); }
  const std::optional<base::Error>& failure() const override { return failure_; }

 private:
  bool consume(const event::Batch& batch) override {
    events_ += batch.events.size();
    if (const auto written = writer_->write(batch); !written) failure_ = written.error();
    return !failure_;
  }

  std::unique_ptr<event::Reader> reader_;
  std::unique_ptr<event::Writer> writer_;
  std::uint64_t events_ = 0;
  std::optional<base::Error> failure_;
};

class RecordRoute final : public Route {
 public:
  explicit RecordRoute(std::unique_ptr<format::Rewriter> rewriter)
      : rewriter_(std::move(rewriter)) {}

  Passed go(const Session& session, const Input& input) override {
    Passed passed = pass(session, input, *rewriter_);
    const auto& error = passed.outcome.error;
    if (error && error->code == base::Code::write_failed) failure_ = error;
    return passed;
  }
  base::result<void> finish() override { return rewriter_->finish(); }
  std::string_view unit() const override { return "records"; }
  std::uint64_t read() const override { return rewriter_->records(); }
  event::Loss loss() const override { return rewriter_->loss(); }
  std::string input_version() const override { return rewriter_->version(); }
  const std::optional<base::Error>& failure() const override { return failure_; }

 private:
  std::unique_ptr<format::Rewriter> rewriter_;
  std::optional<base::Error> failure_;
};

using MaybeRoute = tl::expected<std::unique_ptr<Route>, PlanError>;

auto fail(const base::Error& error, std::string file = {}) {
  return tl::unexpected(PlanError{error, std::move(file)});
}

MaybeRoute by_records(const Input& input, format::Recognised found, const Target& target,
                      std::unique_ptr<base::Sink> sink) {
  auto rewriter = target.format->rewrite(std::move(found.source), std::move(sink),
                                         input.read_options(), target.write);
  if (!rewriter) return fail(rewriter.error(), input.name());
  return std::make_unique<RecordRoute>(std::move(*rewriter));
}

MaybeRoute by_events(std::unique_ptr<event::Reader> reader, const Target& target,
                     std::unique_ptr<base::Sink> sink, const std::string& output) {
  auto writer = target.format->create(std::move(sink), target.write);
  if (!writer) return fail(writer.error(), output);
  return std::make_unique<EventRoute>(std::move(reader), std::move(*writer));
}

}  // namespace

tl::expected<Planned, PlanError> plan_route(const Input& input, const TargetOptions& options) {
  auto found = input.recognise();
  if (!found) return fail(found.error(), input.name());
  const format::Format& from = *found->format;
  const auto format = choose_format(options, from);
  if (!format) return fail(format.error());
  const bool kin = format::is_kin(from, **format);
  std::unique_ptr<event::Reader> reader;
  if (!kin) {
    auto opened = from.open(std::move(found->source), input.read_options());
    if (!opened) return fail(opened.error(), input.name());
    reader = std::move(*opened);
  }
  const auto target = choose_target(options, **format, kin ? "" : reader->version());
  if (!target) return fail(target.error());
  auto sink = open_target(options, input.name());
  if (!sink) return fail(sink.error(), options.output);
  auto route = kin ? by_records(input, std::move(*found), *target, std::move(*sink))
                   : by_events(std::move(reader), *target, std::move(*sink), options.output);
  if (!route) return tl::unexpected(route.error());
  return Planned{&from, *target, std::move(*route)};
}

}  // namespace polytrace::cli
