// SPDX-License-Identifier: Apache-2.0
#include "service/convert/conversion_route.hpp"

#include "base/codes.hpp"
#include "transform/resolve.hpp"

namespace polytrace::service {
namespace {

// Counts what the target is given.
class Counted final : public event::Writer {
 public:
  Counted(std::unique_ptr<event::Writer> to, std::uint64_t& events)
      : to_(std::move(to)), events_(events) {}
  base::result<void> write(const event::Batch& batch) override {
    events_ += batch.events.size();
    return to_->write(batch);
  }
  void leave_open() override { to_->leave_open(); }
  base::result<void> finish() override { return to_->finish(); }
  const event::Loss& loss() const override { return to_->loss(); }

 private:
  std::unique_ptr<event::Writer> to_;
  std::uint64_t& events_;
};

// What a target wants to know before it is written, from a pass of its own.
struct Wants {
  bool definitions = false;  // what things are, before they are used
  bool names = false;        // Format::names_apart
};

class EventRoute final : public Route, private event::Consumer {
 public:
  EventRoute(std::unique_ptr<event::Reader> reader, std::unique_ptr<event::Writer> writer,
             const Change& change, Wants wants)
      : reader_(std::move(reader)),
        writer_(std::make_unique<Counted>(std::move(writer), given_)),
        wants_(wants) {
    if (change.before) writer_ = change.before(std::move(writer_));
  }

  Passed go(const Input& input) override {
    if (wants_.definitions || wants_.names) learn(input);
    return pass(input, *reader_, *this);
  }
  void leave_open() override { writer_->leave_open(); }
  base::result<void> finish() override { return writer_->finish(); }
  std::string_view unit() const override { return "events"; }
  std::uint64_t read() const override { return events_; }
  std::uint64_t given() const override { return given_; }
  event::Loss loss() const override { return writer_->loss(); }
  std::string input_version() const override { return reader_->version(); }
  const std::optional<base::Error>& failure() const override { return failure_; }

 private:
  // The next pass tells of faults.
  void learn(const Input& input) {
    auto opened = input.open();
    if (!opened) return;
    auto definitions = std::make_shared<transform::Definitions>();
    static_cast<void>(pass(input, *opened->reader, *definitions));
    if (wants_.definitions) writer_ = transform::resolve(std::move(writer_), definitions);
    if (wants_.names) writer_ = transform::name_apart(std::move(writer_), definitions);
  }
  bool consume(const event::Batch& batch) override {
    events_ += batch.events.size();
    if (const auto written = writer_->write(batch); !written) failure_ = written.error();
    return !failure_;
  }

  std::unique_ptr<event::Reader> reader_;
  std::unique_ptr<event::Writer> writer_;
  Wants wants_;
  std::uint64_t events_ = 0;
  std::uint64_t given_ = 0;
  std::optional<base::Error> failure_;
};

class RecordRoute final : public Route {
 public:
  explicit RecordRoute(std::unique_ptr<format::Rewriter> rewriter)
      : rewriter_(std::move(rewriter)) {}

  Passed go(const Input& input) override {
    Passed passed = pass(input, *rewriter_);
    const auto& error = passed.outcome.error;
    if (error && error->code == base::Code::write_failed) failure_ = error;
    return passed;
  }
  void leave_open() override { rewriter_->leave_open(); }
  base::result<void> finish() override { return rewriter_->finish(); }
  std::string_view unit() const override { return "records"; }
  std::uint64_t read() const override { return rewriter_->records(); }
  std::uint64_t given() const override { return read(); }
  event::Loss loss() const override { return rewriter_->loss(); }
  std::string input_version() const override { return rewriter_->version(); }
  const std::optional<base::Error>& failure() const override { return failure_; }

 private:
  std::unique_ptr<format::Rewriter> rewriter_;
  std::optional<base::Error> failure_;
};

Asked<std::unique_ptr<Route>> by_records(const Input& input, format::Recognised found,
                                         const Target& target, std::unique_ptr<base::Sink> sink) {
  auto rewriter = target.format->rewrite(std::move(found.source), std::move(sink),
                                         input.read_options(), target.write);
  if (!rewriter) return refuse(rewriter.error(), input.name());
  return std::make_unique<RecordRoute>(std::move(*rewriter));
}

// Formats that can hold vtables hold definitions as they come. What cannot be read twice is written
// as it comes, too.
Wants wants_of(const Input& input, const format::Format* from, const Target& target,
               const Change& change) {
  if (change.open || input.name() == "-" || input.options().follow) return {};
  return {!target.format->holds(event::Kind::Vtable, target.write.version),
          target.format->names_apart && from != target.format};
}

Asked<std::unique_ptr<Route>> by_events(const Input& input, const format::Format* from,
                                        std::unique_ptr<event::Reader> reader, const Target& target,
                                        std::unique_ptr<base::Sink> sink, const std::string& output,
                                        const Change& change) {
  auto writer = target.format->create(std::move(sink), target.write);
  if (!writer) return refuse(writer.error(), output);
  return std::make_unique<EventRoute>(std::move(reader), std::move(*writer), change,
                                      wants_of(input, from, target, change));
}

base::result<std::unique_ptr<base::Sink>> open_output(const Input& input,
                                                      const TargetOptions& options,
                                                      const Change& change) {
  for (const std::string& file : change.files) {
    if (is_same_file(file, options.output)) return base::fail(base::Code::output_is_input);
  }
  return open_target(options, input.name());
}

Asked<Planned> plan_records(const Input& input, format::Recognised found,
                            const format::Format& format, const TargetOptions& options) {
  const format::Format* from = found.format;
  const auto target = choose_target(options, format, "");
  if (!target) return refuse(target.error());
  auto sink = open_target(options, input.name());
  if (!sink) return refuse(sink.error(), options.output);
  auto route = by_records(input, std::move(found), *target, std::move(*sink));
  if (!route) return tl::unexpected(route.error());
  return Planned{from, *target, std::move(*route)};
}

Asked<Planned> plan_events(const Input& input, format::Opened opened, const format::Format& format,
                           const TargetOptions& options, const Change& change) {
  const auto target = choose_target(options, format, opened.reader->version());
  if (!target) return refuse(target.error());
  auto sink = open_output(input, options, change);
  if (!sink) return refuse(sink.error(), options.output);
  auto route = by_events(input, opened.format, std::move(opened.reader), *target, std::move(*sink),
                         options.output, change);
  if (!route) return tl::unexpected(route.error());
  return Planned{opened.format, *target, std::move(*route)};
}

Asked<format::Opened> open_found(const Input& input, format::Recognised found) {
  auto reader = found.format->open(std::move(found.source), input.read_options());
  if (!reader) return refuse(reader.error(), input.name());
  return format::Opened{found.format, std::move(*reader)};
}

// An input that is read by another reader than its own.
Asked<Planned> plan_other(const Input& input, const TargetOptions& options, const Change& change) {
  auto opened = change.open();
  if (!opened) return tl::unexpected(opened.error());
  const auto format = choose_format(options, *opened->format);
  if (!format) return refuse(format.error());
  return plan_events(input, std::move(*opened), **format, options, change);
}

}  // namespace

Asked<Planned> plan_route(const Input& input, const TargetOptions& options, const Change& change) {
  if (change.open) return plan_other(input, options, change);
  if (!change.is_none()) {
    if (auto indexed = input.open_index()) {
      const auto format = choose_format(options, *indexed->format);
      if (!format) return refuse(format.error());
      return plan_events(input, std::move(*indexed), **format, options, change);
    }
  }
  auto found = input.recognise();
  if (!found) return refuse(found.error(), input.name());
  const auto format = choose_format(options, *found->format);
  if (!format) return refuse(format.error());
  if (change.is_none() && format::is_kin(*found->format, **format))
    return plan_records(input, std::move(*found), **format, options);
  auto opened = open_found(input, std::move(*found));
  if (!opened) return tl::unexpected(opened.error());
  return plan_events(input, std::move(*opened), **format, options, change);
}

}  // namespace polytrace::service
