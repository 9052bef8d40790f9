// SPDX-License-Identifier: Apache-2.0
// The file or stream that is asked about.
#pragma once

#include <string>
#include <string_view>

#include "format/format.hpp"
#include "service/input/asking.hpp"

namespace polytrace::service {

struct InputOptions {
  std::string file{};      // - is standard input
  std::string segments{};  // see event::ReadOptions
  bool follow = false;     // wait for more at the end, until Asking::stop
  bool resync = false;     // search for the next frame behind damage
  bool strict = false;     // stop at the first problem
};

// One input, opened once per pass. Removes what it spooled. One thread at a time.
class Input {
 public:
  explicit Input(InputOptions options, Asking asking = {});
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  // Makes a second pass possible: standard input goes to a temporary file first (in TMPDIR, else
  // /tmp). Refused (usage) for a growing file, which never ends.
  base::result<void> prepare_passes();
  base::result<format::Opened> open() const;
  // The same without a reader.
  base::result<format::Recognised> recognise() const;
  event::ReadOptions read_options() const;
  const InputOptions& options() const { return options_; }
  const Asking& asking() const { return asking_; }
  const std::string& name() const { return options_.file; }

 private:
  InputOptions options_;
  Asking asking_;
  std::string path_;
  int spool_ = -1;
};

// "none", "gzip", "zstd"; "unknown" for a stream, whose first bytes are gone.
std::string_view compression_name(const std::string& path);

}  // namespace polytrace::service
