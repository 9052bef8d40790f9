// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include "cli/convert/conversion_view.hpp"
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {

class Convert final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "convert",
        "[OPTIONS] FILE -o OUTPUT",
        "Reads FILE and writes OUTPUT, which appears under its name only when it is complete. "
        "What the target cannot hold is left out and listed, kind by kind.\n\n"
        "An OUTPUT that ends in .gz or .zst is compressed; - is standard output.",
        {{"a damaged or compressed file as a plain whole one",
          "polytrace convert --resync broken.mlpd.gz -o good.mlpd"},
         {"for an old reader", "polytrace convert app.mlpd -o old.mlpd --to mlpd:1"},
         {"only if nothing is lost", "polytrace convert --strict app.mlpd -o copy.mlpd.gz"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "polytrace formats, docs/reference/json.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_file(list, input_);
    add_reading_options(list, input_, Following::not_offered);
    list.add("--segments", input_.segments,
             "What the recorder of a native stream had not written when it was killed (default: "
             "FILE.segments; of standard input, none)")
        .takes("FILE")
        .in("Input");
    add_conversion_options(list, input_, options_);
    list.add("--leave-open", options_.leave_open,
             "Where the input has no end (of a killed program), neither has the output, if its "
             "format has one")
        .in("Output");
    list.add("--private", private_, "Nobody else may read OUTPUT, whatever the umask says")
        .in("Output");
  }
  int run(Session& session) override {
    if (private_) umask(S_IRWXG | S_IRWXO);
    const service::Input input(input_, session.asking());
    return tell_conversion(session, service::convert(input, options_), input_.strict);
  }

 private:
  service::InputOptions input_;
  service::TargetOptions options_;
  bool private_ = false;
};

}  // namespace

std::unique_ptr<Command> make_convert() { return std::make_unique<Convert>(); }

}  // namespace polytrace::cli
