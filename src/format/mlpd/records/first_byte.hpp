// SPDX-License-Identifier: Apache-2.0
// The first byte of a record: low 4 bits type, high 4 bits "exinfo" (docs/formats/mlpd.md, 2.4).
#pragma once

#include <cstdint>

namespace polytrace::format::mlpd {

enum class Type : std::uint8_t {
  alloc,
  gc,
  metadata,
  method,
  exception,
  monitor,
  heap,
  sample,
  runtime,
  coverage,
  meta,
};

constexpr std::uint8_t first_byte(Type type, unsigned exinfo) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(type) | exinfo);
}

inline constexpr std::uint8_t kAlloc = first_byte(Type::alloc, 0x00);
inline constexpr std::uint8_t kAllocStack = first_byte(Type::alloc, 0x10);
inline constexpr std::uint8_t kGcEvent = first_byte(Type::gc, 0x10);
inline constexpr std::uint8_t kGcResize = first_byte(Type::gc, 0x20);
inline constexpr std::uint8_t kGcMove = first_byte(Type::gc, 0x30);
inline constexpr std::uint8_t kHandleCreated = first_byte(Type::gc, 0x40);
inline constexpr std::uint8_t kHandleDestroyed = first_byte(Type::gc, 0x50);
inline constexpr std::uint8_t kHandleCreatedStack = first_byte(Type::gc, 0x60);
inline constexpr std::uint8_t kHandleDestroyedStack = first_byte(Type::gc, 0x70);
inline constexpr std::uint8_t kFinalizeStart = first_byte(Type::gc, 0x80);
inline constexpr std::uint8_t kFinalizeEnd = first_byte(Type::gc, 0x90);
inline constexpr std::uint8_t kFinalizeObjectStart = first_byte(Type::gc, 0xa0);
inline constexpr std::uint8_t kFinalizeObjectEnd = first_byte(Type::gc, 0xb0);
inline constexpr std::uint8_t kMetadataName = first_byte(Type::metadata, 0x00);
inline constexpr std::uint8_t kMetadataLoad = first_byte(Type::metadata, 0x20);
inline constexpr std::uint8_t kMetadataLoadFailed = first_byte(Type::metadata, 0xa0);
inline constexpr std::uint8_t kMetadataUnload = first_byte(Type::metadata, 0x40);
inline constexpr std::uint8_t kLeave = first_byte(Type::method, 0x10);
inline constexpr std::uint8_t kEnter = first_byte(Type::method, 0x20);
inline constexpr std::uint8_t kUnwind = first_byte(Type::method, 0x30);
inline constexpr std::uint8_t kJit = first_byte(Type::method, 0x40);
inline constexpr std::uint8_t kThrow = first_byte(Type::exception, 0x00);
inline constexpr std::uint8_t kThrowStack = first_byte(Type::exception, 0x80);
inline constexpr std::uint8_t kClause = first_byte(Type::exception, 0x10);
inline constexpr std::uint8_t kMonitor = first_byte(Type::monitor, 0x00);
inline constexpr std::uint8_t kMonitorStack = first_byte(Type::monitor, 0x80);
inline constexpr std::uint8_t kHeapStart = first_byte(Type::heap, 0x00);
inline constexpr std::uint8_t kHeapEnd = first_byte(Type::heap, 0x10);
inline constexpr std::uint8_t kHeapObject = first_byte(Type::heap, 0x20);
inline constexpr std::uint8_t kHeapRoot = first_byte(Type::heap, 0x30);
inline constexpr std::uint8_t kRootRegister = first_byte(Type::heap, 0x40);
inline constexpr std::uint8_t kRootUnregister = first_byte(Type::heap, 0x50);
inline constexpr std::uint8_t kHit = first_byte(Type::sample, 0x00);
inline constexpr std::uint8_t kSymbol = first_byte(Type::sample, 0x10);
inline constexpr std::uint8_t kBinary = first_byte(Type::sample, 0x20);
inline constexpr std::uint8_t kCounterDefs = first_byte(Type::sample, 0x30);
inline constexpr std::uint8_t kCounters = first_byte(Type::sample, 0x40);
inline constexpr std::uint8_t kHelper = first_byte(Type::runtime, 0x10);
inline constexpr std::uint8_t kCoverageAssembly = first_byte(Type::coverage, 0x00);
inline constexpr std::uint8_t kCoverageMethod = first_byte(Type::coverage, 0x10);
inline constexpr std::uint8_t kCoverageStatement = first_byte(Type::coverage, 0x20);
inline constexpr std::uint8_t kCoverageClass = first_byte(Type::coverage, 0x30);
inline constexpr std::uint8_t kSyncPoint = first_byte(Type::meta, 0x00);
inline constexpr std::uint8_t kAotId = first_byte(Type::meta, 0x10);

enum class Metadata : std::uint8_t {
  class_type = 1,
  image,
  assembly,
  domain,
  thread,
  context,
  vtable,
};

// The key of the setting that stands for AOT_ID.
inline constexpr const char* kAotIdKey = "aot-id";
// The section of performance counters: absolute values, a section name of their own.
inline constexpr std::uint32_t kPerformanceSection = 0x8000;

}  // namespace polytrace::format::mlpd
