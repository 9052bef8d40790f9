// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <numeric>

#include "cli/commands.hpp"
#include "cli/conversion_target.hpp"
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

class Convert final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "convert",
        "writes a trace in another format or version",
        "[OPTIONS] FILE -o OUTPUT",
        "Reads FILE and writes OUTPUT, which appears under its name only when it is complete. "
        "What the target cannot hold is left out and told, kind by kind.\n\n"
        "An OUTPUT that ends in .gz is compressed; - is standard output.",
        {{"a damaged or compressed file as a plain whole one",
          "polytrace convert --resync broken.mlpd.gz -o good.mlpd"},
         {"for an old reader", "polytrace convert app.mlpd -o old.mlpd --to mlpd:1"},
         {"only if nothing is lost", "polytrace convert --strict app.mlpd -o copy.mlpd.gz"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "polytrace formats, docs/reference/json.md"};
    return kHelp;
  }
  void define(CLI::App& app) override {
    add_input_options(app, input_, Following::not_offered);
    app.get_option("--strict")
        ->description(
            "Write nothing if the input has a problem (exit code 4) or the target cannot "
            "hold everything (5)");
    app.add_option("-o,--output", options_.output, "The file to write; - is standard output")
        ->type_name("FILE")
        ->required()
        ->group("Output");
    app.add_option("--to", options_.to,
                   "The format to write, as polytrace formats names it (default: by the output's "
                   "ending, else the input's own)")
        ->type_name("FORMAT[:VERSION]")
        ->group("Output");
    app.add_option(
           "--to-version", options_.to_version,
           "The version of the format to write (default: its first one in polytrace formats)")
        ->type_name("VERSION")
        ->group("Output");
    app.add_flag("-f,--force", options_.force, "Replace an existing file")->group("Output");
  }
  int run(Session& session) override {
    const Input input(input_);
    auto opened = input.open();
    if (!opened) return session.fail(opened.error(), input.name());
    auto target = choose_target(options_, *opened->format);
    if (!target) return session.fail(target.error());
    auto sink = open_target(options_, input.name());
    if (!sink) return session.fail(sink.error(), options_.output);
    auto writer = target->format->create(std::move(*sink), {target->version});
    if (!writer) return session.fail(writer.error(), options_.output);
    Conversion done{input, *opened, options_, std::move(*target), {}};
    return copy(session, done, **writer);
  }

 private:
  int copy(Session& session, Conversion& done, event::Writer& writer) const {
    Copier copier(writer);
    done.passed = pass(session, done.input, *done.opened.reader, copier);
    if (copier.error()) return session.fail(*copier.error(), options_.output);
    done.events = copier.events();
    done.loss = writer.loss();
    const bool refused = input_.strict && (done.loss.total() != 0 || done.passed.is_partial());
    if (!refused) {
      if (auto finished = writer.finish(); !finished)
        return session.fail(finished.error(), options_.output);
      done.loss = writer.loss();
      done.written = true;
    }
    tell(session, done);
    const int code = conclude(session, done.input, done.passed);
    return code != 0 || !input_.strict || done.loss.total() == 0 ? code : kCheckFailed;
  }

  // The result, unless the trace itself goes there.
  void tell(Session& session, const Conversion& done) const {
    tell_notices(session, done.input, done.passed);
    if (!session.common.json) session.remark(told_text(done, session.look().numerals));
    else if (options_.output == "-") print(told_json(done));
    else session.out().text() += told_json(done);
  }

  InputOptions input_;
  TargetOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace polytrace::cli
