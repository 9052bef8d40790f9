// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iterator>

#include "service/convert/conversion.hpp"
#include "cli/frame/commands.hpp"
#include "transform/anonymize.hpp"

namespace polytrace::cli {
namespace {

constexpr std::string_view kRuntimeNames = "runtime";

// "@FILE" stands for what the file holds.
base::result<std::string> key_of(const std::string& word) {
  if (!word.starts_with('@')) return word;
  std::ifstream file(word.substr(1), std::ios::binary);
  if (!file) return base::fail(base::Code::open_failed);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> kept_prefixes(const std::vector<std::string>& words) {
  std::vector<std::string> prefixes;
  for (const std::string& word : words) {
    if (word != kRuntimeNames) prefixes.push_back(word);
    else
      for (std::string& one : transform::runtime_prefixes()) prefixes.push_back(std::move(one));
  }
  return prefixes;
}

class Anonymize final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "anonymize",
        "replaces names, paths, hosts and arguments by tokens",
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
    list.add("--key", key_, "Makes the tokens depend on this; @FILE takes a file's content")
        .takes("WORD")
        .in(group);
    list.add("--keep", keep_,
             "Names that begin with this stay as they are; \"runtime\" means System, "
             "java and the other names of the runtimes' own libraries. May be repeated")
        .takes("PREFIX")
        .suggests({std::string(kRuntimeNames)})
        .in(group);
    add_conversion_options(list, input_, target_);
  }
  int run(Session& session) override {
    const auto key = key_of(key_);
    if (!key) return session.fail(key.error(), key_.substr(1));
    Change change;
    change.before = [&](std::unique_ptr<event::Writer> writer) -> std::unique_ptr<event::Writer> {
      const transform::TokenOptions options{*key, kept_prefixes(keep_)};
      return std::make_unique<transform::Anonymizer>(std::move(writer), options);
    };
    return convert(session, Input(input_), target_, change);
  }

 private:
  InputOptions input_;
  TargetOptions target_;
  std::string key_;
  std::vector<std::string> keep_;
};

}  // namespace

std::unique_ptr<Command> make_anonymize() { return std::make_unique<Anonymize>(); }

}  // namespace polytrace::cli
