// SPDX-License-Identifier: Apache-2.0
// Any bytes, as they are and as the payload of a block whose checksums are right: the reader
// survives, accounts for every byte, and makes no more events than bytes.
#include <cstring>
#include <vector>

#include "format/native/wire/sealing.hpp"
#include "support/targets.hpp"

namespace {

namespace native = polytrace::format::native;

// A stream of one block: its content by the first byte, its payload the others.
std::vector<std::uint8_t> sealed(const std::uint8_t* data, std::size_t size) {
  native::StreamHeader stream;
  native::seal(stream);
  native::BlockHeader block;
  block.content = static_cast<native::Content>(1 + data[0] % 4);
  native::seal(block, std::as_bytes(std::span(data + 1, size - 1)));
  std::vector<std::uint8_t> bytes(sizeof stream + sizeof block);
  std::memcpy(bytes.data(), &stream, sizeof stream);
  std::memcpy(bytes.data() + sizeof stream, &block, sizeof block);
  bytes.insert(bytes.end(), data + 1, data + size);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  polytrace::fuzz::require_readable(data, size);
  if (size == 0) return 0;
  const auto bytes = sealed(data, size);
  polytrace::fuzz::require_readable(bytes.data(), bytes.size());
  return 0;
}
