// SPDX-License-Identifier: Apache-2.0
// One run of `export` or `flame`: from the options to files and what is told of them.
#pragma once

#include <deque>
#include <string>

#include "cli/input/input.hpp"
#include "cli/select/selection.hpp"
#include "exports/exporter.hpp"

namespace polytrace::cli {

struct ProfileOptions {
  std::string weight;
  std::string limit;  // empty: the target's own
  std::uint64_t depth = 1000;
  bool show_helpers = false;
};

// The words --weight knows.
std::vector<std::string> weight_keys();
// --weight, --limit, --depth, --show-helpers.
void add_profile_options(OptionList& list, ProfileOptions& options);
// What the options say. Errors are usage or of the input, which may be read for it.
base::result<exports::Request> make_request(const Session& session, Input& input,
                                            const SelectionOptions& selection,
                                            const ProfileOptions& profile);

// The whole of another trace, for comparing: times and threads of the request are not its own.
base::result<analysis::Profile> read_profile(const Session& session, Input& input,
                                             const SelectionOptions& selection,
                                             const exports::Request& request);

class ExportRun {
 public:
  ExportRun(Session& session, const Input& input, const exports::Request& request);
  ExportRun(const ExportRun&) = delete;
  ExportRun& operator=(const ExportRun&) = delete;
  ~ExportRun();

  // REQUIRES: before run(). Errors: the file cannot be written.
  base::result<void> add(const exports::Target& target, const std::string& file, bool force);
  void compare_with(analysis::Profile before, bool exact_names) {
    exporter_.compare_with(std::move(before), exact_names);
  }
  // Reads, writes and tells; the exit code.
  int run();

 private:
  // A folder has a temporary name until it is complete; its sink is one of its files.
  struct File {
    std::string name;
    std::unique_ptr<base::Sink> sink;
    std::string temporary_folder{};
  };
  base::result<void> add_folder(const exports::Target& target, const std::string& file, bool force);
  static base::result<void> commit(File& file);
  const std::string& name_of_failed() const;
  void tell(const format::Opened& opened, const Passed& passed, bool written);
  std::string text_of(std::size_t number, bool written) const;
  std::string as_json(const format::Opened& opened, const Passed& passed, bool written) const;

  Session& session_;
  const Input& input_;
  exports::Exporter exporter_;
  std::deque<File> files_;
};

}  // namespace polytrace::cli
