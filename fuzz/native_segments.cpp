// SPDX-License-Identifier: Apache-2.0
// Any bytes as the segments beside a stream that has no end: the reader survives, and makes no more
// events than bytes. What the fuzzer gives stands behind a right header of the file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "format/native/wire/sealing.hpp"
#include "support/targets.hpp"

namespace {

namespace native = polytrace::format::native;

constexpr std::uint64_t kStream = 1;

std::vector<std::byte> empty_stream() {
  native::StreamHeader header;
  header.stream = kStream;
  native::seal(header);
  std::vector<std::byte> bytes(sizeof header);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

std::vector<std::byte> segment_file(const std::uint8_t* data, std::size_t size) {
  native::SegmentsHeader header;
  header.stream = kStream;
  std::vector<std::byte> bytes(native::kUnit + size);
  std::memcpy(bytes.data(), &header, sizeof header);
  if (size != 0) std::memcpy(bytes.data() + native::kUnit, data, size);
  bytes.resize((bytes.size() + native::kUnit - 1) / native::kUnit * native::kUnit);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::byte> segments = segment_file(data, size);
  const int file = memfd_create("segments", MFD_CLOEXEC);
  polytrace::fuzz::require(write(file, segments.data(), segments.size()) ==
                           static_cast<ssize_t>(segments.size()));
  polytrace::event::ReadOptions options;
  options.segments = "/proc/self/fd/" + std::to_string(file);
  auto opened = polytrace::format::open(polytrace::base::memory_source(empty_stream()), options);
  polytrace::fuzz::require(opened.has_value());
  std::size_t events = 0;
  for (polytrace::event::Batch batch; *opened->reader->next(batch);) events += batch.events.size();
  polytrace::fuzz::require(events <= segments.size() + 2);
  close(file);
  return 0;
}
