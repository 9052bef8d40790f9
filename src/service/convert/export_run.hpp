// SPDX-License-Identifier: Apache-2.0
// One run that writes files of other tools: profiles, time lines, heap snapshots, flame graphs.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "exports/exporter.hpp"
#include "exports/usual_depth.hpp"
#include "service/input/pass.hpp"
#include "service/selection/selection.hpp"

namespace polytrace::service {

struct ProfileOptions {
  std::string weight{};  // a key of analysis::weights(); empty: the first that the trace has
  std::string limit{};   // a count, 0 = all; empty: the target's own
  std::uint64_t depth = exports::kUsualDepth;
  bool show_helpers = false;
};

// The keys of all weights.
std::vector<std::string> weight_keys();
// What the options say. Errors are usage or of the input, which may be read for it.
base::result<exports::Request> make_request(Input& input, const SelectionOptions& selection,
                                            const ProfileOptions& profile);

// What became of an export.
struct Exported {
  struct Output {
    std::string file;  // as it was named
    exports::Result result;
  };
  Reading reading{};
  bool written = false;
  std::vector<Output> outputs{};
};

// Files appear under their names when all are complete. One thread at a time.
class ExportRun {
 public:
  // The input outlives it.
  ExportRun(const Input& input, const exports::Request& request);
  ExportRun(const ExportRun&) = delete;
  ExportRun& operator=(const ExportRun&) = delete;
  ~ExportRun();

  // REQUIRES: before run(). Errors: the file cannot be written.
  base::result<void> add(const exports::Target& target, const std::string& file, bool force);
  void compare_with(analysis::Profile before, bool exact_names) {
    exporter_.compare_with(std::move(before), exact_names);
  }
  // Reads and writes, once.
  Asked<Exported> run();

 private:
  // A folder has a temporary name until it is complete; its sink is one of its files.
  struct File {
    std::string name;
    std::unique_ptr<base::Sink> sink;
    std::string temporary_folder{};
  };
  base::result<void> add_folder(const exports::Target& target, const std::string& file, bool force);
  base::result<void> commit(File& file) const;
  const std::string& name_of_failed() const;

  const Input& input_;
  exports::Exporter exporter_;
  std::deque<File> files_;
  bool has_time_line_ = false;
};

// The names of all targets.
std::vector<std::string> target_names();

struct ExportQuestion {
  std::string targets{};  // names, separated by commas
  SelectionOptions selection{};
  ProfileOptions profile{};
  std::string snapshot{};  // a number from 0; empty: the last complete one
  std::string output{};    // - is standard output; of several targets the beginning of the names
  bool force = false;      // replace existing files
};
Asked<Exported> export_trace(Input& input, const ExportQuestion& question);

// One flame graph.
struct FlameQuestion {
  enum class Form : std::uint8_t {
    page,
    page_by_thread,  // threads below one another instead of all together
    picture,
    folded,  // collapsed stacks
  };
  Form form = Form::page;
  std::string base{};        // a trace to compare with: how it was before; empty: none
  bool exact_names = false;  // of the two: only names that are equal letter by letter are one
  SelectionOptions selection{};
  ProfileOptions profile{};
  std::string output{};  // empty: by the input's name, in the current folder
  bool force = false;    // replace an existing file
};
struct FlameAnswer {
  std::optional<Reading> before{};  // of the base, once it was read
  Asked<Exported> made{};
};
FlameAnswer export_flame(Input& input, const FlameQuestion& question);

// Of the weight that a profile adds up. REQUIRES: it has one.
std::uint64_t total_of(const exports::Result& result);

// {"schema": "polytrace.export/1", ...}
std::string export_json(const Exported& done);

}  // namespace polytrace::service
