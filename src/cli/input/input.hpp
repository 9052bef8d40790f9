// SPDX-License-Identifier: Apache-2.0
// The file (or stream) that a command reads, and how it is run through a consumer.
#pragma once

#include <string>
#include <vector>

#include "cli/frame/session.hpp"
#include "event/pump.hpp"
#include "format/format.hpp"

namespace polytrace::cli {

struct InputOptions {
  std::string file;
  std::string segments;  // see event::ReadOptions
  bool follow = false;
  bool resync = false;
  bool strict = false;
};

// FILE alone.
void add_input_file(OptionList& list, InputOptions& options);
enum class Following : std::uint8_t { offered, not_offered };
// --follow where it makes sense, --resync.
void add_reading_options(OptionList& list, InputOptions& options, Following following);
// All of these, and --strict.
void add_input_options(OptionList& list, InputOptions& options, Following following);

// One input, opened once per pass. Removes what it spooled.
class Input {
 public:
  explicit Input(const InputOptions& options);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  // Makes a second pass possible: standard input goes to a temporary file first. Refused (usage)
  // for a growing file, which never ends.
  base::result<void> prepare_passes();
  base::result<format::Opened> open() const;
  // The same without a reader.
  base::result<format::Recognised> recognise() const;
  event::ReadOptions read_options() const;
  const InputOptions& options() const { return options_; }
  const std::string& name() const { return options_.file; }

 private:
  const InputOptions& options_;
  std::string path_;
  int spool_ = -1;
};

// How a pass went.
struct Passed {
  event::PumpOutcome outcome;
  std::vector<base::Notice> notices;  // in order of the first place
  bool interrupted = false;           // by the user: what was read so far counts
  bool stopped_early = false;         // --strict met a problem

  // Of an answer: limits that were reached, as Analysis::limits().
  void add_limits(const std::vector<std::string>& limits);
  // Whether something of the input is missing. Notices that cost nothing do not count.
  bool is_partial() const;
  std::uint64_t bytes_lost() const;
  // With --strict, a problem that costs nothing is a failed check, too.
  int exit_code() const;
};

// Runs the whole input through `consumer`, with progress, until its end, the user's Ctrl-C or, with
// --strict, the first problem.
Passed pass(const Session& session, const Input& input, event::Reader& reader,
            event::Consumer& consumer);
// The same for a rewriter, which is not finished by it.
Passed pass(const Session& session, const Input& input, format::Rewriter& rewriter);

// A part never takes the place of a whole file: whether one at `output` stays as it is.
bool keeps_old(const Passed& passed, const std::string& output);

// Tells errors, and in one line that a result is partial. Returns the exit code of the pass.
int conclude(const Session& session, const Input& input, const Passed& passed);

}  // namespace polytrace::cli
