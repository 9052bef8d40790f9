// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/conversion_view.hpp"
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {

class Repair final : public Command {
 public:
  Repair() {
    input_.resync = true;
    options_.as_input = true;
  }

  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "repair",
        "[OPTIONS] FILE -o OUTPUT",
        "Reads FILE past everything that is damaged and writes what was understood to OUTPUT, in "
        "the same format and, where it can be written, the same version. Tells what could not be "
        "saved: then the exit code is 4, though OUTPUT is whole.\n\n"
        "An OUTPUT that ends in .gz or .zst is compressed; - is standard output.",
        {{"a recording of a program that was killed", "polytrace repair killed.mlpd -o good.mlpd"},
         {"what was lost, as JSON",
          "polytrace repair --json broken.mlpd -o good.mlpd | jq .notices"}},
        {0, 1, 2, 3, 4, 6, 130},
        "polytrace check, docs/reference/json.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    add_input_file(list, input_);
    add_output_options(list, options_);
  }
  int run(Session& session) override {
    const service::Input input(input_, session.asking());
    return tell_conversion(session, service::convert(input, options_), input_.strict);
  }

 private:
  service::InputOptions input_;
  service::TargetOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_repair() { return std::make_unique<Repair>(); }

}  // namespace polytrace::cli
