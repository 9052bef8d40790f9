// SPDX-License-Identifier: Apache-2.0
// The fields of every record, once, in wire order (docs/formats/mlpd.md, section 4). Each function
// serves reading and writing: with a RecordReader the fields are filled, with a RecordWriter they
// are put out. The first byte and the time field stand before all of this; records that are lists
// of events (moves, roots, counters) are in lists.hpp.
//
// A codec's field types: uleb, byte, code (uleb before version 13, a byte since), pointer, object,
// method (running value), size, text, flags (a uleb 0 before version 13), backtrace.
#pragma once

#include "event/batch.hpp"

namespace polytrace::format::mlpd {

using event::Id;
using event::Life;

template <class C>
[[gnu::always_inline]] inline void layout(C& c, Id& vtable, event::Alloc& alloc, bool with_stack) {
  c.pointer(vtable);
  c.object(alloc.object);
  c.size(alloc.size);
  if (with_stack) c.backtrace(alloc.stack);
}

template <class C>
void layout(C& c, Id&, event::Gc& gc) {
  c.code(gc.phase);
  c.code(gc.generation);
}

template <class C>
void layout(C& c, Id&, event::HeapSize& heap) {
  c.uleb(heap.total);
}

template <class C>
void layout(C& c, Id& handle, event::Handle& details, bool with_stack) {
  c.uleb(details.type);
  c.uleb(handle);
  if (details.stage == event::HandleStage::created) c.object(details.object);
  if (with_stack) c.backtrace(details.stack);
}

template <class C>
void layout(C& c, Id& object, event::Finalize& finalize) {
  using event::FinalizeStage;
  if (finalize.stage == FinalizeStage::object_start || finalize.stage == FinalizeStage::object_end)
    c.object(object);
}

// Metadata: behind the type byte. The subject is always a pointer field.

template <class C>
void layout(C& c, Id& pointer, event::Class& details) {
  c.pointer(pointer);
  c.pointer(details.module);
  c.flags();
  c.text(details.name);
}

template <class C>
void layout(C& c, Id& pointer, event::Module& details) {
  c.pointer(pointer);
  c.flags();
  c.text(details.name);
  if (c.version() >= 16 && details.life == Life::begin) c.text(details.mvid);
}

template <class C>
void layout(C& c, Id& pointer, event::Assembly& details) {
  c.pointer(pointer);
  if (c.version() >= 14) c.pointer(details.module);
  c.flags();
  c.text(details.name);
}

template <class C>
void layout(C& c, Id& pointer, event::Domain& details) {
  c.pointer(pointer);
  c.flags();
  if (details.life == Life::name) c.text(details.name);
}

template <class C>
void layout(C& c, Id& pointer, event::Thread& details) {
  c.pointer(pointer);
  c.flags();
  if (c.version() < 11 || details.life == Life::name) c.text(details.name);
}

template <class C>
void layout(C& c, Id& pointer, event::Context& details) {
  c.pointer(pointer);
  c.flags();
  c.pointer(details.domain);
}

template <class C>
void layout(C& c, Id& pointer, event::Vtable& details) {
  c.pointer(pointer);
  c.pointer(details.domain);
  c.pointer(details.class_id);
}

template <class C>
void layout(C& c, Id& method, event::Method& details) {
  c.method(method);
  c.pointer(details.code);
  c.size(details.code_size);
  c.text(details.name);
}

template <class C>
void layout(C& c, Id& object, event::Throw& details, bool with_stack) {
  c.object(object);
  if (with_stack) c.backtrace(details.stack);
}

template <class C>
void layout(C& c, Id& method, event::Clause& details) {
  c.clause_kind(details.clause);
  c.uleb(details.number);
  c.method(method);
  if (c.version() >= 14) c.object(details.object);
}

// Before version 14 the stage stands in the first byte.
template <class C>
void layout(C& c, Id& object, event::Monitor& details, bool with_stack) {
  if (c.version() >= 14) c.monitor_stage(details.stage);
  c.object(object);
  if (with_stack) c.backtrace(details.stack);
}

template <class C>
[[gnu::always_inline]] inline void layout(C& c, Id& object, event::DumpObject& details) {
  c.object(object);
  c.pointer(details.class_id);
  c.size(details.size);
  if (c.version() >= 16) c.byte(details.generation);
  c.references(details.refs);
}

template <class C>
void layout(C& c, Id& start, event::RootRegion& details) {
  c.pointer(start);
  if (details.stage == event::RegionStage::unregistered) return;
  c.size(details.size);
  c.byte(details.source);
  c.pointer(details.key);
  c.text(details.name);
}

template <class C>
void layout(C& c, Id& address, event::NativeSymbol& details) {
  c.pointer(address);
  c.size(details.size);
  c.text(details.name);
}

template <class C>
void layout(C& c, Id& address, event::NativeBinary& details) {
  if (c.version() < 14) c.plain_pointer(address);
  else c.pointer(address);
  c.uleb(details.offset);
  c.size(details.size);
  c.text(details.name);
}

template <class C>
void layout(C& c, Id& code, event::Code& details) {
  c.helper_kind(details.type);
  c.pointer(code);
  c.size(details.size);
  if (details.type == event::CodeKind::specific_trampoline) c.text(details.name);
}

template <class C>
void layout(C& c, Id&, event::CoverageAssembly& details) {
  c.text(details.name);
  c.text(details.guid);
  c.text(details.file);
  c.uleb(details.methods);
  c.uleb(details.fully);
  c.uleb(details.partially);
}

template <class C>
void layout(C& c, Id& method, event::CoverageMethod& details) {
  c.text(details.assembly);
  c.text(details.class_name);
  c.text(details.name);
  c.text(details.signature);
  c.text(details.file);
  c.uleb(details.token);
  c.uleb(method);
  c.uleb(details.entries);
}

template <class C>
void layout(C& c, Id& method, event::CoverageStatement& details) {
  c.uleb(method);
  c.uleb(details.offset);
  c.uleb(details.count);
  c.uleb(details.line);
  c.uleb(details.column);
}

template <class C>
void layout(C& c, Id&, event::CoverageClass& details) {
  c.text(details.assembly);
  c.text(details.name);
  c.uleb(details.methods);
  c.uleb(details.fully);
  c.uleb(details.partially);
}

template <class C>
void layout(C& c, Id&, event::SyncPoint& details) {
  c.byte(details.sync);
}

template <class C>
void layout(C& c, Id&, event::Setting& details) {
  c.text(details.value);
}

}  // namespace polytrace::format::mlpd
