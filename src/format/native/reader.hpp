// SPDX-License-Identifier: Apache-2.0
// Reads streams of major version 1, and behind one that was cut off what its segments still hold.
// Blocks stand alone but for the context of their chunk, so decode() runs on every core.
#pragma once

#include "format/native/framing.hpp"
#include "format/native/segments.hpp"

namespace polytrace::format::native {

class NativeReader final : public event::FramedReader<Framing> {
 public:
  static base::result<std::unique_ptr<event::Reader>> open(std::unique_ptr<base::Source> source,
                                                           const event::ReadOptions& options);
  NativeReader(std::unique_ptr<base::Source> source, const StreamHeader& header,
               const event::ReadOptions& options);

  std::string version() const override;
  base::result<bool> fetch(event::Chunk& chunk) override;
  void decode(const event::Chunk& chunk, event::Batch& batch) const override;

 private:
  base::result<void> find_segments();
  bool next_of_segments(event::Chunk& chunk);
  void tell_end();

  StreamHeader header_;
  std::string segments_path_;  // as it was asked for
  bool header_damaged_ = false;
  std::uint64_t chunks_ = 0;
  bool stream_read_ = false;
  bool end_told_ = false;
  std::unique_ptr<Segments> segments_;  // only behind the stream
  std::shared_ptr<const Context> recovered_;
  std::string no_segments_;  // why there are none, where that is odd
};

}  // namespace polytrace::format::native
