// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/records/records.hpp"

#include <array>

namespace polytrace::format::mlpd {
namespace {

using R = RecordReader;

constexpr std::array kRecords{
    Record{kAlloc, "ALLOC", 1, 17, 1, &R::read_alloc},
    Record{kAllocStack, "ALLOC with backtrace", 1, 17, 1, &R::read_alloc},
    Record{kGcEvent, "GC EVENT", 1, 17, 1, &R::read_gc_event},
    Record{kGcResize, "GC RESIZE", 1, 17, 1, &R::read_resize},
    Record{kGcMove, "GC MOVE", 1, 17, 1, &R::read_moves},
    Record{kHandleCreated, "GC HANDLE_CREATED", 1, 17, 1, &R::read_handle},
    Record{kHandleDestroyed, "GC HANDLE_DESTROYED", 1, 17, 1, &R::read_handle},
    Record{kHandleCreatedStack, "GC HANDLE_CREATED_BT", 11, 17, 1, &R::read_handle},
    Record{kHandleDestroyedStack, "GC HANDLE_DESTROYED_BT", 11, 17, 1, &R::read_handle},
    Record{kFinalizeStart, "GC FINALIZE_START", 13, 17, 1, &R::read_finalize},
    Record{kFinalizeEnd, "GC FINALIZE_END", 13, 17, 1, &R::read_finalize},
    Record{kFinalizeObjectStart, "GC FINALIZE_OBJECT_START", 13, 17, 1, &R::read_finalize},
    Record{kFinalizeObjectEnd, "GC FINALIZE_OBJECT_END", 13, 17, 1, &R::read_finalize},
    Record{kMetadataName, "METADATA name", 1, 17, 1, &R::read_metadata},
    Record{kMetadataLoad, "METADATA load", 1, 17, 1, &R::read_metadata},
    Record{kMetadataLoadFailed, "METADATA load failed", 1, 10, 1, &R::read_metadata},
    Record{kMetadataUnload, "METADATA unload", 1, 17, 1, &R::read_metadata},
    Record{kLeave, "METHOD LEAVE", 1, 17, 1, &R::read_call},
    Record{kEnter, "METHOD ENTER", 1, 17, 1, &R::read_call},
    Record{kUnwind, "METHOD EXC_LEAVE", 1, 17, 1, &R::read_call},
    Record{kJit, "METHOD JIT", 1, 17, 1, &R::read_jit},
    Record{kThrow, "EXCEPTION throw", 1, 17, 1, &R::read_throw},
    Record{kThrowStack, "EXCEPTION throw with backtrace", 1, 17, 1, &R::read_throw},
    Record{kClause, "EXCEPTION clause", 1, 17, 1, &R::read_clause},
    Record{first_byte(Type::exception, 0x90), "EXCEPTION clause", 1, 17, 1, &R::read_clause},
    Record{first_byte(Type::monitor, 0x10), "MONITOR contention", 1, 13, 1, &R::read_monitor},
    Record{first_byte(Type::monitor, 0x90), "MONITOR contention with backtrace", 1, 13, 1,
           &R::read_monitor},
    Record{first_byte(Type::monitor, 0x20), "MONITOR acquired", 1, 13, 1, &R::read_monitor},
    Record{first_byte(Type::monitor, 0x30), "MONITOR failed", 1, 13, 1, &R::read_monitor},
    Record{kMonitor, "MONITOR", 14, 17, 1, &R::read_monitor},
    Record{kMonitorStack, "MONITOR with backtrace", 14, 17, 1, &R::read_monitor},
    Record{kHeapStart, "HEAP START", 1, 17, 1, &R::read_dump},
    Record{kHeapEnd, "HEAP END", 1, 17, 1, &R::read_dump},
    Record{kHeapObject, "HEAP OBJECT", 1, 17, 13, &R::read_object},
    Record{kHeapRoot, "HEAP ROOT", 3, 17, 13, &R::read_roots},
    Record{kRootRegister, "HEAP ROOT_REGISTER", 15, 17, 1, &R::read_region},
    Record{kRootUnregister, "HEAP ROOT_UNREGISTER", 15, 17, 1, &R::read_region},
    Record{kHit, "SAMPLE HIT", 4, 17, 13, &R::read_hit},
    Record{kSymbol, "SAMPLE USYM", 4, 17, 13, &R::read_symbol},
    Record{kBinary, "SAMPLE UBIN", 4, 15, 13, &R::read_binary},
    Record{kCounterDefs, "SAMPLE COUNTERS_DESC", 5, 17, 13, &R::read_counter_defs},
    Record{kCounters, "SAMPLE COUNTERS", 5, 17, 13, &R::read_counters},
    Record{kHelper, "RUNTIME JITHELPER", 8, 17, 1, &R::read_helper},
    Record{kCoverageAssembly, "COVERAGE ASSEMBLY", 10, 15, 13, &R::read_coverage},
    Record{kCoverageMethod, "COVERAGE METHOD", 10, 15, 13, &R::read_coverage},
    Record{kCoverageStatement, "COVERAGE STATEMENT", 10, 15, 13, &R::read_coverage},
    Record{kCoverageClass, "COVERAGE CLASS", 10, 15, 13, &R::read_coverage},
    Record{kSyncPoint, "META SYNC_POINT", 13, 17, 1, &R::read_sync},
    Record{kAotId, "META AOT_ID", 16, 17, 1, &R::read_aot_id},
};

constexpr auto kByFirstByte = [] {
  std::array<const Record*, 256> table{};
  for (const Record& record : kRecords) table[record.first] = &record;
  return table;
}();

}  // namespace

const Record* find_record(std::uint8_t first) { return kByFirstByte[first]; }

}  // namespace polytrace::format::mlpd
