// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/companion.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/codes.hpp"
#include "service/runtimes/program_lines.hpp"
#include "service/runtimes/runtimes.hpp"

namespace polytrace::cli {
namespace {

class Companion final : public Command {
 public:
  Companion(std::string_view identifier, std::string_view program)
      : name_(identifier), program_(program) {
    std::ranges::replace(name_, '_', '-');
    help_.name = name_;
  }
  const CommandHelp& help() const override { return help_; }
  std::string_view program() const override { return program_; }
  void define(OptionList&) override {}
  int run(Session&) override { return 1; }  // the program has it

 private:
  std::string name_;
  std::string_view program_;
  CommandHelp help_{};
};

std::string path_of(std::string_view program) {
  return std::filesystem::path(service::own_path()).replace_filename(program).string();
}

}  // namespace

std::unique_ptr<Command> make_companion(std::string_view identifier, std::string_view program) {
  return std::make_unique<Companion>(identifier, program);
}

base::Error run_companion(std::string_view program, const std::vector<std::string>& words) {
  const std::string path = path_of(program);
  std::vector<char*> arguments{const_cast<char*>(path.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(path.c_str(), arguments.data());
  const int fault = errno;
  const std::string reason = std::error_code(fault, std::generic_category()).message();
  return {base::Code::program_missing,
          {},
          fmt::format("{}: {}; to get it: {}", path, reason, service::remedy_of(program))};
}

std::vector<std::string> companion_lines(std::string_view program, std::vector<std::string> words) {
  words.insert(words.begin(), path_of(program));
  return service::program_lines(words);
}

}  // namespace polytrace::cli
