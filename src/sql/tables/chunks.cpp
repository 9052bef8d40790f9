// SPDX-License-Identifier: Apache-2.0
// The pieces that the source was read in, as the index keeps them.
#include <mutex>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"
#include "sql/tables/tables.hpp"

namespace polytrace::sql {
namespace {

// Kept from the first question on.
class Chunks {
 public:
  explicit Chunks(TracePointer trace) : trace_(std::move(trace)) {}

  base::result<std::uint64_t> rows() const {
    std::call_once(once_, [this] {
      if (auto done = load(); !done) fault_ = done.error();
    });
    if (fault_) return tl::unexpected(*fault_);
    return offsets_.size();
  }
  Value cell(std::uint64_t row, int column) const {
    using At = ChunkColumns;
    switch (column) {
      case At::id: return Value::of(row);
      case At::source_offset: return Value::of(offsets_[row]);
      case At::bytes:
        return row + 1 == offsets_.size() ? Value() : Value::of(offsets_[row + 1] - offsets_[row]);
      case At::first_event: return Value::of(ordinals_[row]);
      default: return Value::of(ordinals_[row + 1] - ordinals_[row]);
    }
  }

 private:
  base::result<void> load() const {
    const store::IndexView& view = trace_->store().frames().view();
    for (std::size_t i = 0; i < view.entries().size(); ++i)
      if (view.entries()[i].kind == store::frame::chunks)
        if (auto done = take(view, i); !done) return done;
    ordinals_.push_back(view.totals().events);
    return {};
  }
  base::result<void> take(const store::IndexView& view, std::size_t entry) const {
    base::RawArray<std::byte> room;
    const auto payload = view.payload(entry, room);
    if (!payload) return tl::unexpected(payload.error());
    base::Bytes bytes = *payload;
    std::vector<std::uint64_t> offsets, ordinals;
    if (auto done = base::read_svb(bytes, offsets); !done) return done;
    if (auto done = base::read_svb(bytes, ordinals); !done) return done;
    if (offsets.size() != ordinals.size())
      return base::fail(base::Code::value_unexpected, "pieces of the source");
    offsets_.insert(offsets_.end(), offsets.begin(), offsets.end());
    ordinals_.insert(ordinals_.end(), ordinals.begin(), ordinals.end());
    return {};
  }

  TracePointer trace_;
  mutable std::once_flag once_;
  mutable std::optional<base::Error> fault_;
  mutable std::vector<std::uint64_t> offsets_;
  mutable std::vector<std::uint64_t> ordinals_;  // of their first events, and, last, of none
};

}  // namespace

TablePointer chunk_table(const TracePointer& trace) {
  const auto all = std::make_shared<const Chunks>(trace);
  return std::make_unique<ListedTable>(
      TableId::Chunk, ChunkColumns::id, [=] { return all->rows(); },
      [=](std::uint64_t row, int column) { return all->cell(row, column); });
}

}  // namespace polytrace::sql
