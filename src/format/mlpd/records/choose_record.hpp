// SPDX-License-Identifier: Apache-2.0
// Which record stands for an event: the first byte, and the type byte of metadata. Nothing where
// the version has no such record.
#pragma once

#include <optional>

#include "event/batch.hpp"
#include "format/mlpd/records/first_byte.hpp"
#include "format/mlpd/records/records.hpp"

namespace polytrace::format::mlpd {

struct Choice {
  std::uint8_t first;
  std::optional<Metadata> metadata{};
  bool with_stack = false;
};

using MaybeChoice = std::optional<Choice>;

// Kinds without an overload have no record at all.
template <class T>
MaybeChoice choose(const T&, unsigned) {
  return std::nullopt;
}

inline MaybeChoice choose(const event::Alloc& alloc, unsigned) {
  const bool stack = alloc.stack.present();
  return Choice{.first = stack ? kAllocStack : kAlloc, .with_stack = stack};
}
inline MaybeChoice choose(const event::Gc& gc, unsigned version) {
  if (version < 13 && gc.phase > event::GcPhase::world_started) return std::nullopt;
  return Choice{kGcEvent};
}
// Of a generation alone there is none.
inline MaybeChoice choose(const event::HeapSize& heap, unsigned) {
  if (!heap.generation.empty()) return std::nullopt;
  return Choice{kGcResize};
}
inline MaybeChoice choose(const event::Handle& handle, unsigned version) {
  const bool created = handle.stage == event::HandleStage::created;
  if (version >= 11 && handle.stack.present())
    return Choice{.first = created ? kHandleCreatedStack : kHandleDestroyedStack,
                  .with_stack = true};
  return Choice{created ? kHandleCreated : kHandleDestroyed};
}
inline MaybeChoice choose(const event::Finalize& finalize, unsigned) {
  const auto stage = static_cast<unsigned>(finalize.stage);
  return Choice{static_cast<std::uint8_t>(kFinalizeStart + (stage << 4))};
}

inline MaybeChoice choose_metadata(Metadata type, event::Life life) {
  const std::uint8_t first = life == event::Life::begin  ? kMetadataLoad
                             : life == event::Life::name ? kMetadataName
                                                         : kMetadataUnload;
  return Choice{first, type};
}
inline MaybeChoice choose(const event::Class& details, unsigned version) {
  if (details.life == event::Life::name) return std::nullopt;
  if (details.life == event::Life::end && version < 11) return std::nullopt;
  return choose_metadata(Metadata::class_type, details.life);
}
inline MaybeChoice choose(const event::Module& details, unsigned version) {
  if (details.life == event::Life::name) return std::nullopt;
  if (details.life == event::Life::end && version < 11) return std::nullopt;
  return choose_metadata(Metadata::image, details.life);
}
inline MaybeChoice choose(const event::Assembly& details, unsigned version) {
  if (version < 11 || details.life == event::Life::name) return std::nullopt;
  return choose_metadata(Metadata::assembly, details.life);
}
inline MaybeChoice choose(const event::Domain& details, unsigned version) {
  if (version < 11) return std::nullopt;
  return choose_metadata(Metadata::domain, details.life);
}
inline MaybeChoice choose(const event::Context& details, unsigned version) {
  if (version < 11 || details.life == event::Life::name) return std::nullopt;
  return choose_metadata(Metadata::context, details.life);
}
// Which of the system's threads it runs on has no record.
inline MaybeChoice choose(const event::Thread& details, unsigned version) {
  const bool names = details.life == event::Life::name;
  if (names && details.name.empty() && details.os_thread != base::kNoId) return std::nullopt;
  if (version < 11 && !names) return std::nullopt;
  return choose_metadata(Metadata::thread, details.life);
}
inline MaybeChoice choose(const event::Vtable&, unsigned version) {
  if (version < 15) return std::nullopt;
  return choose_metadata(Metadata::vtable, event::Life::begin);
}

inline MaybeChoice choose(const event::Method&, unsigned) { return Choice{kJit}; }
inline MaybeChoice choose(const event::Enter&, unsigned) { return Choice{kEnter}; }
inline MaybeChoice choose(const event::Leave&, unsigned) { return Choice{kLeave}; }
inline MaybeChoice choose(const event::Unwind&, unsigned) { return Choice{kUnwind}; }
inline MaybeChoice choose(const event::Throw& details, unsigned) {
  const bool stack = details.stack.present();
  return Choice{.first = stack ? kThrowStack : kThrow, .with_stack = stack};
}
inline MaybeChoice choose(const event::Clause&, unsigned) { return Choice{kClause}; }
inline MaybeChoice choose(const event::Monitor& monitor, unsigned version) {
  bool stack = monitor.stack.present();
  if (version >= 14) return Choice{.first = stack ? kMonitorStack : kMonitor, .with_stack = stack};
  if (monitor.stage != event::MonitorStage::contended) stack = false;
  const unsigned stage = (static_cast<unsigned>(monitor.stage) + 1) << 4;
  return Choice{.first = first_byte(Type::monitor, stage | (stack ? 0x80U : 0U)),
                .with_stack = stack};
}
inline MaybeChoice choose(const event::Dump& dump, unsigned) {
  return Choice{dump.stage == event::DumpStage::start ? kHeapStart : kHeapEnd};
}
inline MaybeChoice choose(const event::DumpObject&, unsigned) { return Choice{kHeapObject}; }
inline MaybeChoice choose(const event::RootRegion& region, unsigned) {
  return Choice{region.stage == event::RegionStage::registered ? kRootRegister : kRootUnregister};
}
inline MaybeChoice choose(const event::NativeSymbol&, unsigned) { return Choice{kSymbol}; }
inline MaybeChoice choose(const event::NativeBinary&, unsigned) { return Choice{kBinary}; }
inline MaybeChoice choose(const event::Code&, unsigned) { return Choice{kHelper}; }
inline MaybeChoice choose(const event::CoverageAssembly&, unsigned) {
  return Choice{kCoverageAssembly};
}
inline MaybeChoice choose(const event::CoverageMethod&, unsigned) {
  return Choice{kCoverageMethod};
}
inline MaybeChoice choose(const event::CoverageStatement&, unsigned) {
  return Choice{kCoverageStatement};
}
inline MaybeChoice choose(const event::CoverageClass&, unsigned) { return Choice{kCoverageClass}; }
inline MaybeChoice choose(const event::SyncPoint&, unsigned) { return Choice{kSyncPoint}; }
inline MaybeChoice choose(const event::Setting& setting, unsigned) {
  if (setting.key != kAotIdKey) return std::nullopt;
  return Choice{kAotId};
}

}  // namespace polytrace::format::mlpd
