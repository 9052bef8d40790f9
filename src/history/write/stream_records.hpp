// SPDX-License-Identifier: Apache-2.0
// The stream layout (docs/formats/state-history.md, "Stream layout"): writes intervals as records,
// those that end within a segment, in order of their ends; turns records into segments, which
// queries need. One thread at a time.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/io/appender.hpp"
#include "base/result.hpp"
#include "history/layout/key_list.hpp"
#include "history/read/opened.hpp"

namespace polytrace::history {

class StreamWriter {
 public:
  // Takes an interval that is over. Gaps, and null where it means one, are left out.
  void add(const KeyInfo& info, const State& state, Tick end);
  // Hands the payloads of RECS frames to `write`, each of at most about 1 MiB.
  base::result<void> flush(const std::function<base::result<void>(base::Bytes)>& write);

 private:
  struct Record {
    Tick end;
    State state;
    Key key;
    TypeCode code;  // of the timeline
  };
  static void put(base::Appender& to, const Record& record, Tick before);

  std::vector<Record> records_;
};

// The same history, segmented, in a file without a name: in memory up to 64 MiB of records. Keeps
// the notices and adds those of damaged records. Errors: as Builder.
base::result<std::unique_ptr<Opened>> load_stream(std::unique_ptr<Opened> stream,
                                                  const OpenOptions& options);

}  // namespace polytrace::history
