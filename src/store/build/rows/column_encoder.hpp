// SPDX-License-Identifier: Apache-2.0
// Writes numbers as columns of a row segment, each in the coding that makes it small. Which one
// that is, a segment tries out for itself and the 63 behind it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/build/rows/row_columns.hpp"

namespace polytrace::store {

// The codings that suited the columns of one segment, by a number of the column.
class Codings {
 public:
  void choose(u32 column, Coding coding) { chosen_.emplace_back(column, coding); }
  std::optional<Coding> find(u32 column) const {
    for (const auto& [known, coding] : chosen_)
      if (known == column) return coding;
    return {};
  }
  // From now on they do not change and others may look.
  void publish() {
    known_ = true;
    known_.notify_all();
  }
  void wait() const { known_.wait(false); }

 private:
  std::vector<std::pair<u32, Coding>> chosen_;
  std::atomic<bool> known_{false};
};

// A segment's right to choose codings, or to wait for those that another one chooses.
class CodingTurn {
 public:
  CodingTurn(std::shared_ptr<Codings> codings, bool chooses)
      : codings_(std::move(codings)), chooses_(chooses) {}
  CodingTurn(CodingTurn&& other) noexcept
      : codings_(std::move(other.codings_)), chooses_(std::exchange(other.chooses_, false)) {}
  CodingTurn& operator=(CodingTurn&&) = delete;
  ~CodingTurn() { end(); }

  std::optional<Coding> find(u32 column) const {
    if (!chooses_) codings_->wait();
    return chooses_ ? std::nullopt : codings_->find(column);
  }
  void chose(u32 column, Coding coding) {
    if (chooses_) codings_->choose(column, coding);
  }
  // Whoever waits goes on.
  void end() {
    if (std::exchange(chooses_, false)) codings_->publish();
  }

 private:
  std::shared_ptr<Codings> codings_;
  bool chooses_;
};

// Of the segments of one kind, in order. One thread at a time.
class CodingTurns {
 public:
  CodingTurn next() {
    const bool chooses = segments_++ % kSame == 0;
    if (chooses) codings_ = std::make_shared<Codings>();
    return {codings_, chooses};
  }

 private:
  static constexpr u64 kSame = 64;
  u64 segments_ = 0;
  std::shared_ptr<Codings> codings_;
};

// Appends columns to `out` and says what their entries are. One thread at a time.
class ColumnEncoder {
 public:
  ColumnEncoder(CodingTurn& turn, std::string& out) : turn_(turn), out_(out) {}

  // REQUIRES: some numbers.
  ColumnEntry numbers(u16 field, ColumnType type, std::span<const u64> numbers);
  // `members`: of what type each is. REQUIRES: some lists.
  ColumnEntry lists(u16 field, const ToldLists& lists, std::span<const ColumnType> members);
  // Of the rows that tell the field, one bit each; none behind `bits` does.
  ColumnEntry bitmap(u16 field, std::span<const u64> bits, u32 rows);

 private:
  // Columns that share codings over segments have the same `key`.
  ColumnEntry column(ColumnEntry entry, std::span<const u64> numbers, u32 key);
  void encode_shortest(ColumnEntry& entry, std::span<const u64> numbers, u32 key);
  // Into coded_; false where that coding cannot hold them.
  bool encode(const ColumnEntry& entry, Coding coding, std::span<const u64> numbers);
  bool encode_dictionary(std::span<const u64> numbers, const ColumnEntry& entry);
  // Makes coded_ what stands in the file, and says so in the entry.
  void pack(ColumnEntry& entry, Coding coding);

  // What a thread uses again for each column.
  struct Scratch {
    std::string coded, packed, best;
    base::RawArray<u64> changed;
    base::RawArray<u32> codes;
  };
  static Scratch& scratch();

  CodingTurn& turn_;
  std::string& out_;
  Scratch& scratch_ = scratch();
  std::string& coded_ = scratch_.coded;
};

}  // namespace polytrace::store
