// SPDX-License-Identifier: Apache-2.0
// The file or stream that is asked about.
#pragma once

#include <string>
#include <string_view>

#include "base/io/content_hash.hpp"
#include "format/format.hpp"
#include "service/input/asking.hpp"
#include "service/input/indexed.hpp"

namespace polytrace::service {

struct InputOptions {
  std::string file{};      // - is standard input
  std::string segments{};  // see event::ReadOptions
  bool follow = false;     // wait for more at the end, until Asking::stop
  bool resync = false;     // search for the next frame behind damage
  bool strict = false;     // stop at the first problem
  unsigned workers = 0;    // that read it; 0: one per core
  IndexOptions index{};
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
  // From a current index where one is offered and gives the same as the trace, else from the trace.
  base::result<format::Opened> open() const;
  // From the trace itself. All bytes of a file that are read are added to `content`, as they are
  // stored; null: to nothing.
  base::result<format::Opened> open_trace(base::ContentHash* content = nullptr) const;
  // The same for who reads it as it comes: Asking::stop also ends waiting for more of a pipe.
  base::result<format::Opened> open_live() const;
  // Nothing where open() reads the trace.
  std::optional<format::Opened> open_index() const;
  // What open() has to say of an index that it could not use.
  const std::optional<base::Notice>& index_notice() const { return choice_.notice; }
  // The same without a reader.
  base::result<format::Recognised> recognise() const;
  event::ReadOptions read_options() const;
  const InputOptions& options() const { return options_; }
  const Asking& asking() const { return asking_; }
  const std::string& name() const { return options_.file; }

 private:
  base::result<format::Recognised> recognise(const std::atomic<bool>* stop_waiting,
                                             base::ContentHash* content) const;
  base::result<format::Opened> open_recognised(base::result<format::Recognised> found) const;

  InputOptions options_;
  Asking asking_;
  std::string path_;
  int spool_ = -1;
  mutable bool looked_ = false;  // whether the next is found out
  mutable IndexChoice choice_{};
};

// "none", "gzip", "zstd"; "unknown" for a stream, whose first bytes are gone.
std::string_view compression_name(const std::string& path);

}  // namespace polytrace::service
