// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include "base/codes.hpp"
#include "cli/convert/conversion_view.hpp"
#include "cli/options/trace_options.hpp"
#include "transform/anonymize.hpp"

namespace polytrace::cli {
namespace {

class Anonymize final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "anonymize",
        "[OPTIONS] FILE -o OUTPUT",
        "Reads FILE and writes OUTPUT with a token in place of each word of the names of classes, "
        "methods, threads, modules and files, of paths, arguments and notes; hosts and addresses "
        "become one token. Points, colons and brackets stay, and the same word is the same token "
        "everywhere: reports have the same shape and figures. Ids, addresses in memory, sizes and "
        "times stay as they are.\n\n"
        "The same word becomes the same token in every trace, so that traces can be compared. Who "
        "guesses a name can therefore check the guess; with a --key that you keep to yourself "
        "nobody else can. The hash is made for speed and is no cipher.",
        {{"to send to somebody", "polytrace anonymize --key @secret.txt app.mlpd -o sent.mlpd"},
         {"System.String and its like stay readable",
          "polytrace anonymize --keep runtime app.mlpd -o sent.mlpd"},
         {"your own public library, too",
          "polytrace anonymize --keep runtime --keep Acme.Open app.mlpd -o sent.mlpd.gz"}},
        {0, 1, 2, 3, 4, 5, 6, 130},
        "polytrace help cut, docs/guide.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    const char* group = "Tokens";
    add_input_file(list, input_);
    add_reading_options(list, input_, Following::not_offered);
    list.add("--key", question_.key,
             "Makes the tokens depend on this; @FILE takes a file's content")
        .takes("WORD")
        .in(group);
    list.add("--keep", question_.keep,
             "Names that begin with this stay as they are; \"runtime\" means System, "
             "java and the other names of the runtimes' own libraries. May be repeated")
        .takes("PREFIX")
        .suggests({"runtime"})
        .in(group);
    add_conversion_options(list, input_, target_);
  }
  int run(Session& session) override {
    const service::Input input(input_, session.asking());
    return tell_conversion(session, service::anonymize(input, question_, target_), input_.strict);
  }

 private:
  service::InputOptions input_;
  service::TargetOptions target_;
  service::AnonymizeQuestion question_;
};

}  // namespace

std::unique_ptr<Command> make_anonymize() { return std::make_unique<Anonymize>(); }

}  // namespace polytrace::cli
