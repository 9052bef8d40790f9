// SPDX-License-Identifier: Apache-2.0
// Where bytes go. A file appears under its name only when commit() succeeded: it is written without
// a name (where the file system cannot do that, to a temporary name beside it), flushed to the
// medium, then renamed. One thread at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::base {

class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  // Without commit(), a file sink leaves nothing behind.
  virtual ~Sink() = default;

  virtual result<void> write(Bytes bytes) = 0;
  virtual result<void> commit() = 0;
};

// "-" is standard output. An existing file, or a link that leads nowhere, is refused with
// output_exists unless `replace`.
result<std::unique_ptr<Sink>> create_sink(const std::string& path, bool replace);

// Appends to `into`, which must outlive the sink.
std::unique_ptr<Sink> memory_sink(std::vector<std::byte>& into);

// Compress on the way to `to`.
std::unique_ptr<Sink> gzip_sink(std::unique_ptr<Sink> to);
std::unique_ptr<Sink> zstd_sink(std::unique_ptr<Sink> to);

}  // namespace polytrace::base
