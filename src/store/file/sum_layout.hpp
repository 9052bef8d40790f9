// SPDX-License-Identifier: Apache-2.0
// Sums over row segments: what was allocated, sampled and thrown, by thread, class and path. In the
// file, SVB columns: of the threads the difference to the one before, their first and last time
// from the frame's least, how many entries they have; of the entries the class's difference to the
// one before (the first of a thread: from 0; samples have none), the path (of the same class: its
// difference to the one before), the measures. Also the rule by which rows become sums: builder and
// questions go by it alike.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "store/file/row_layout.hpp"

namespace polytrace::store {

enum class SumKind : u8 { allocations = 3, samples = 4, throws = 5 };
inline constexpr std::array kSumKinds{SumKind::allocations, SumKind::samples, SumKind::throws};
// The kind of rows that are added up.
constexpr event::Kind rows_of(SumKind kind) {
  if (kind == SumKind::allocations) return event::Kind::Alloc;
  return kind == SumKind::samples ? event::Kind::Sample : event::Kind::Throw;
}

inline constexpr u32 kNoIndex = ~u32{0};  // of a thread, of a class: not known

struct SumKey {
  u32 thread = kNoIndex;  // index; of a sample the one that was sampled
  u32 class_index = kNoIndex;
  u32 path = 0;

  auto operator<=>(const SumKey&) const = default;
};

struct SumEntry {
  SumKey key{};
  // Objects and bytes; samples and what they weigh; throws. As far as a kind has them.
  std::array<u64, 2> measures{};
};
constexpr std::size_t measures_of(SumKind kind) { return kind == SumKind::throws ? 1 : 2; }

constexpr bool has_classes(SumKind kind) { return kind != SumKind::samples; }

struct SumThread {
  u32 thread = 0;
  base::Time first = 0;  // least and greatest time of its rows
  base::Time last = 0;
  u32 entries = 0;
};

// Both in order; each thread's entries follow those of the thread before.
struct RowSums {
  std::vector<SumThread> threads;
  std::vector<SumEntry> entries;
};

// What a frame holds; `least`: its least time, which the directory has. REQUIRES: no time before
// it.
void append_row_sums(SumKind kind, const RowSums& sums, base::Time least, std::string& payload);
// The frame may be damaged. Errors: those of base::read_svb, value_unexpected where columns do not
// fit each other, trailing_bytes.
base::result<RowSums> read_row_sums(SumKind kind, base::Bytes payload, base::Time least);

// What a row adds.
struct SumRow {
  SumEntry entry{};
  base::Time time = 0;
};

// The columns of rows that sums are made of, by row; empty where no row tells one.
struct SumColumns {
  std::span<const u64> times, threads, classes, paths, open_paths, modes, weights, sizes;
};

// Gets them by get(field), which gives base::result<std::span<const u64>>.
template <class Get>
base::result<SumColumns> sum_columns(SumKind kind, Get get) {
  SumColumns all;
  const auto take = [&](u16 field, std::span<const u64>& to) -> base::result<void> {
    const auto numbers = get(field);
    if (!numbers) return base::Unexpected(numbers.error());
    to = *numbers;
    return {};
  };
  const event::Kind rows = rows_of(kind);
  const bool sampled = kind == SumKind::samples;
  auto done = take(kTimeField, all.times);
  if (done) done = take(sampled ? kSubjectField : kThreadField, all.threads);
  if (done) done = take(field_number(rows, "stack"), all.paths);
  if (done) done = take(kOpenPathField, all.open_paths);
  if (done && sampled) done = take(field_number(rows, "mode"), all.modes);
  if (done && kind == SumKind::allocations) done = take(kSubjectField, all.classes);
  if (done && kind == SumKind::allocations) done = take(field_number(rows, "size"), all.sizes);
  if (done && kind == SumKind::throws) done = take(kKnownClassField, all.classes);
  if (done && kind != SumKind::throws) done = take(field_number(rows, "weight"), all.weights);
  if (!done) return base::Unexpected(done.error());
  return all;
}

// Calls take(SumRow) for each row that counts.
template <class Take>
void add_rows(SumKind kind, const SumColumns& columns, Take take) {
  constexpr u64 kNone = ~u64{0};
  const auto at = [](std::span<const u64> numbers, std::size_t row, u64 none) {
    return numbers.empty() ? none : numbers[row];
  };
  for (std::size_t row = 0; row < columns.times.size(); ++row) {
    // No interval passed: such a sample tells of another stack only.
    if (at(columns.modes, row, 0) == static_cast<u64>(event::SampleMode::change)) continue;
    u64 path = at(columns.paths, row, kNone);
    if (path == kNone) path = at(columns.open_paths, row, 0);
    if (path == kNone) path = 0;
    const u64 weight = std::max<u64>(at(columns.weights, row, 0), 1);
    SumRow sum;
    sum.time = static_cast<base::Time>(columns.times[row]);
    sum.entry.key = {static_cast<u32>(at(columns.threads, row, kNone)),
                     static_cast<u32>(at(columns.classes, row, kNone)), static_cast<u32>(path)};
    if (kind == SumKind::allocations)
      sum.entry.measures = {weight, weight * at(columns.sizes, row, 0)};
    if (kind == SumKind::samples) sum.entry.measures = {1, weight};
    if (kind == SumKind::throws) sum.entry.measures = {1, 0};
    take(sum);
  }
}

}  // namespace polytrace::store
