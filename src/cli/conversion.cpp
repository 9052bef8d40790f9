// SPDX-License-Identifier: Apache-2.0
#include "cli/conversion.hpp"

#include <fmt/format.h>

#include <numeric>

#include "cli/errors.hpp"
#include "cli/notices_view.hpp"
#include "cli/show/escape.hpp"

namespace polytrace::cli {
namespace {

using event::Loss;

constexpr int kCheckFailed = 5;

class Copier final : public event::Consumer {
 public:
  explicit Copier(event::Writer& writer) : writer_(writer) {}
  bool consume(const event::Batch& batch) override {
    events_ += batch.events.size();
    const auto written = writer_.write(batch);
    if (!written) error_ = written.error();
    return !error_;
  }
  std::uint64_t events() const { return events_; }
  const std::optional<base::Error>& error() const { return error_; }

 private:
  event::Writer& writer_;
  std::uint64_t events_ = 0;
  std::optional<base::Error> error_;
};

struct Conversion {
  const Input& input;
  const format::Opened& opened;
  const InputOptions& input_options;
  const TargetOptions& options;
  Target target;
  Passed passed;
  std::uint64_t events = 0;  // that were read
  Loss loss{};
  bool written = false;
};

std::uint64_t events_lost(const Loss& loss) {
  return std::accumulate(loss.events.begin(), loss.events.end(), std::uint64_t{0});
}

std::string lost_text(const Loss& loss, const show::Numerals& numerals) {
  const auto line = [&](std::string_view what, std::uint64_t count) {
    return fmt::format("\n    {:<24} {}", what, show::count_text(count, numerals));
  };
  std::string text;
  if (events_lost(loss) != 0)
    text += fmt::format("\n  events lost, since the target cannot hold them: {}",
                        show::count_text(events_lost(loss), numerals));
  for (std::size_t i = 0; i < loss.events.size(); ++i) {
    const auto kind = static_cast<event::Kind>(i);
    if (loss.events[i] != 0) text += line(event::describe(kind).name, loss.events[i]);
  }
  if (!loss.fields.empty()) text += "\n  fields lost of events that were written:";
  for (const auto& [name, count] : loss.fields) text += line(name, count);
  return text;
}

std::string told_text(const Conversion& done, const show::Numerals& numerals) {
  std::string_view name = "standard output";
  if (done.options.output != "-") name = done.options.output;
  const std::uint64_t kept = done.events - events_lost(done.loss);
  return fmt::format("{}: {} version {}, {} events{}", show::printable(name),
                     done.target.format->name, done.target.version,
                     show::count_text(kept, numerals), done.written ? "" : "; NOT written") +
         lost_text(done.loss, numerals);
}

std::string told_json(const Conversion& done) {
  std::string out;
  show::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.convert/1");
  write_source(json, done.input, done.opened);
  json.key("output");
  json.begin_object();
  json.member("file", done.options.output);
  json.member("format", done.target.format->name);
  json.member("version", done.target.version);
  json.member("written", done.written);
  json.end_object();
  json.member("events_read", done.events);
  json.member("events_lost", events_lost(done.loss));
  json.key("lost");
  json.begin_object();
  for (std::size_t i = 0; i < done.loss.events.size(); ++i) {
    if (done.loss.events[i] != 0)
      json.member(event::describe(static_cast<event::Kind>(i)).name, done.loss.events[i]);
  }
  json.end_object();
  json.key("fields_lost");
  json.begin_object();
  for (const auto& [name, count] : done.loss.fields) json.member(name, count);
  json.end_object();
  write_outcome(json, done.passed);
  json.end_object();
  return out + '\n';
}

// The result, unless the trace itself goes there.
void tell(Session& session, const Conversion& done) {
  tell_notices(session, done.input, done.passed);
  if (!session.common.json) session.remark(told_text(done, session.look().numerals));
  else if (done.options.output == "-") print(told_json(done));
  else session.out().text() += told_json(done);
}

int copy(Session& session, Conversion& done, event::Writer& writer) {
  const bool strict = done.input_options.strict;
  Copier copier(writer);
  done.passed = pass(session, done.input, *done.opened.reader, copier);
  if (copier.error()) return session.fail(*copier.error(), done.options.output);
  done.events = copier.events();
  done.loss = writer.loss();
  const bool refused = strict && (done.loss.total() != 0 || done.passed.is_partial());
  if (!refused) {
    if (auto finished = writer.finish(); !finished)
      return session.fail(finished.error(), done.options.output);
    done.loss = writer.loss();
    done.written = true;
  }
  tell(session, done);
  const int code = conclude(session, done.input, done.passed);
  return code != 0 || !strict || done.loss.total() == 0 ? code : kCheckFailed;
}

}  // namespace

int convert(Session& session, const InputOptions& input_options, const TargetOptions& options) {
  const Input input(input_options);
  auto opened = input.open();
  if (!opened) return session.fail(opened.error(), input.name());
  auto target = choose_target(options, *opened);
  if (!target) return session.fail(target.error());
  auto sink = open_target(options, input.name());
  if (!sink) return session.fail(sink.error(), options.output);
  auto writer = target->format->create(std::move(*sink), {target->version});
  if (!writer) return session.fail(writer.error(), options.output);
  Conversion done{input, *opened, input_options, options, std::move(*target), {}};
  return copy(session, done, **writer);
}

}  // namespace polytrace::cli
