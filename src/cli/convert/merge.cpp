// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/codes.hpp"
#include "cli/convert/conversion_view.hpp"
#include "cli/options/trace_options.hpp"
#include "transform/merge.hpp"

namespace polytrace::cli {
namespace {

class Merge final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "merge",
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
    list.add("FILE", question_.files, "The traces; one may be -, standard input")
        .takes("FILE")
        .required()
        .in("Input");
    add_reading_options(list, question_.reading, Following::not_offered);
    list.add("--offset", question_.offsets,
             "Moves all events of one FILE (its name, or its place from 1 on) by +1.5s, "
             "-200ms and the like. May be repeated")
        .takes("FILE=TIME")
        .in("Input");
    add_conversion_options(list, question_.reading, target_);
  }
  int run(Session& session) override {
    const auto done = service::merge(question_, target_, session.asking());
    return tell_conversion(session, done, question_.reading.strict);
  }

 private:
  service::MergeQuestion question_;
  service::TargetOptions target_;
};

}  // namespace

std::unique_ptr<Command> make_merge() { return std::make_unique<Merge>(); }

}  // namespace polytrace::cli
