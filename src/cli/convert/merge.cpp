// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "service/convert/conversion.hpp"
#include "cli/frame/commands.hpp"
#include "service/words/numbers.hpp"
#include "service/selection/times.hpp"
#include "transform/merge.hpp"

namespace polytrace::cli {
namespace {

struct MergeWords {
  std::vector<std::string> files;
  std::vector<std::string> offsets;  // FILE=DURATION
  InputOptions reading;              // what holds for all of them; its file stands for them
  TargetOptions target;
};

// The file's name without folder and endings.
std::string stem(const std::string& file) {
  if (file == "-") return "stdin";
  const std::string name = file.substr(file.find_last_of('/') + 1);
  return name.substr(0, name.find('.', 1));
}

// The stems, each made different from those before it.
std::vector<std::string> labels_of(const std::vector<std::string>& files) {
  std::vector<std::string> labels;
  for (const std::string& file : files) {
    std::string label = stem(file);
    for (int number = 2; std::ranges::find(labels, label) != labels.end(); ++number)
      label = fmt::format("{}#{}", stem(file), number);
    labels.push_back(std::move(label));
  }
  return labels;
}

// By name as it was given, or by place among the inputs, from 1.
base::result<std::size_t> file_meant(const std::string& word,
                                     const std::vector<std::string>& files) {
  const auto same = std::ranges::count(files, word);
  if (same == 1) return static_cast<std::size_t>(std::ranges::find(files, word) - files.begin());
  const std::size_t number = service::parse_number<std::size_t>(word).value_or(0);
  if (same == 0 && number >= 1 && number <= files.size()) return number - 1;
  return base::fail(base::Code::usage,
                    fmt::format("--offset: \"{}\" is {} of the inputs: give one of them, or its "
                                "number from 1 to {}",
                                word, same == 0 ? "none" : "several", files.size()));
}

base::result<std::vector<base::Duration>> offsets_of(const MergeWords& words) {
  std::vector<base::Duration> offsets(words.files.size());
  for (const std::string& word : words.offsets) {
    const std::size_t equals = std::min(word.rfind('='), word.size());
    const auto file = file_meant(word.substr(0, equals), words.files);
    if (!file) return base::Unexpected(file.error());
    const auto shift = parse_shift(word.substr(std::min(equals + 1, word.size())));
    if (!shift) return base::Unexpected(shift.error());
    offsets[*file] = *shift;
  }
  return offsets;
}

// The inputs; their options outlive them.
struct Inputs {
  std::deque<InputOptions> options;
  std::deque<Input> all;

  explicit Inputs(const MergeWords& words) {
    for (const std::string& file : words.files) {
      options.push_back(words.reading);
      options.back().file = file;
      all.emplace_back(options.back());
    }
  }
};

using Opened = tl::expected<format::Opened, PlanError>;

auto fail(const base::Error& error, const Input& input) {
  return tl::unexpected(PlanError{error, input.name()});
}

tl::expected<transform::TraceFacts, PlanError> survey(const Session& session, Input& input) {
  if (auto ready = input.prepare_passes(); !ready) return fail(ready.error(), input);
  auto opened = input.open();
  if (!opened) return fail(opened.error(), input);
  transform::TraceSurvey consumer;
  const Passed passed = pass(session, input, *opened->reader, consumer);
  if (passed.outcome.error) return fail(*passed.outcome.error, input);
  return consumer.take();
}

Opened open_all(const Session& session, Inputs& inputs, const MergeWords& words,
                const std::vector<base::Duration>& offsets) {
  std::vector<transform::TraceFacts> facts;
  for (Input& input : inputs.all) {
    auto seen = survey(session, input);
    if (!seen) return tl::unexpected(seen.error());
    facts.push_back(std::move(*seen));
  }
  const std::vector<transform::Placement> places = transform::place(facts, offsets);
  const std::vector<std::string> labels = labels_of(words.files);
  std::vector<transform::MergeInput> lanes;
  const format::Format* format = nullptr;
  for (std::size_t i = 0; i < inputs.all.size(); ++i) {
    auto opened = inputs.all[i].open();
    if (!opened) return fail(opened.error(), inputs.all[i]);
    if (i == 0) format = opened->format;
    lanes.push_back({std::move(opened->reader), labels[i], places[i]});
  }
  return format::Opened{format, std::make_unique<transform::MergedReader>(std::move(lanes))};
}

class Merge final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "merge",
        "several traces as one, by time",
        "[OPTIONS] FILE... -o OUTPUT",
        "Reads the FILEs, of any formats, and writes their events to OUTPUT on one clock: that of "
        "the first FILE that has wall time. Where another one has it, too, its times are moved "
        "by the difference; where not, it begins with the earliest event. --offset moves "
        "a FILE on top of that.\n\n"
        "Threads, classes, methods, objects and all other things of different FILEs stay "
        "different: ids of the first FILE stay as they are, those of the others change in their "
        "upper 16 bits. Names of threads begin with the FILE's name, and each FILE has a process. "
        "The order of events within a FILE stays.\n\n"
        "The format is that of the first FILE, unless OUTPUT's ending or --to names another. The "
        "files are read twice; standard input is kept in a temporary file (TMPDIR).",
        {{"a client and its server", "polytrace merge client.mlpd server.trcbin -o both.mlpd"},
         {"the server's clock was 1.5 s slow",
          "polytrace merge client.mlpd server.mlpd --offset server.mlpd=+1.5s -o both.mlpd"},
         {"where did the time go, in which of them?",
          "polytrace report --sections threads both.mlpd"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "polytrace help cut, docs/guide.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("FILE", words_.files, "The traces; one may be -, standard input")
        .takes("FILE")
        .required()
        .in("Input");
    add_reading_options(list, words_.reading, Following::not_offered);
    list.add("--offset", words_.offsets,
             "Moves all events of one FILE (its name, or its place from 1 on) by +1.5s, "
             "-200ms and the like. May be repeated")
        .takes("FILE=TIME")
        .in("Input");
    add_conversion_options(list, words_.reading, words_.target);
  }
  int run(Session& session) override {
    if (std::ranges::count(words_.files, "-") > 1) return session.fail_usage("two inputs are -");
    const auto offsets = offsets_of(words_);
    if (!offsets) return session.fail_usage(offsets.error().detail);
    words_.reading.file = fmt::format("{}", fmt::join(words_.files, " + "));
    Inputs inputs(words_);
    Change change;
    change.files = words_.files;
    change.open = [&] { return open_all(session, inputs, words_, *offsets); };
    return convert(session, Input(words_.reading), words_.target, change);
  }

 private:
  MergeWords words_;
};

}  // namespace

std::unique_ptr<Command> make_merge() { return std::make_unique<Merge>(); }

}  // namespace polytrace::cli
