// SPDX-License-Identifier: Apache-2.0
// Any bytes as the payload of a CALL or ROWS frame of an index, as their first byte says: all of it
// can be read, or it says why not.
#include "base/frames/svb.hpp"
#include "event/copy.hpp"
#include "store/read/block_events.hpp"
#include "store/read/row_view.hpp"
#include "support/require.hpp"

namespace {

using namespace polytrace;

constexpr std::uint32_t kPaths = 1 << 16;

// As many as blocks may name: each below the one before.
const store::Paths& paths() {
  static const store::Paths all = [] {
    std::string payload;
    base::append_varint(1, payload);
    base::append_varint(kPaths - 1, payload);
    base::append_svb(std::vector<std::uint64_t>(kPaths - 1, 1), payload);
    base::append_svb(std::vector<std::uint64_t>(kPaths - 1, 7), payload);
    store::Paths made;
    fuzz::require(made.add(std::as_bytes(std::span(payload))).has_value());
    return made;
  }();
  return all;
}

void read_calls(base::Bytes payload) {
  std::vector<store::PathSum> sums;
  if (store::read_block_sums(payload, kPaths, sums))
    for (const store::PathSum& sum : sums) fuzz::require(sum.path < kPaths);
  store::CallBlock block;
  if (!block.read(payload, kPaths)) return;
  store::BlockEvents events(block, 3, paths());
  std::uint64_t count = 0;
  for (store::CallEvent event{}; events.next(event);) ++count;
  fuzz::require(count <= payload.size() * 64 + 3 * store::kBlockEvents);
  std::vector<store::PathSum> by_local(block.locals().size());
  block.add_figures(block.head().before, block.head().last, by_local);
  block.add_figures(block.head().before / 2 + block.head().last / 2, block.head().last, by_local);
  (void)store::position_before(block, block.head().last);
  fuzz::require(!store::position_in(block, block.head().enters));
}

class NoMeanings final : public store::RowMeanings {
 public:
  base::Id thread(event::u64 index) const override { return index; }
  base::Id subject(event::Kind, event::u64 number) const override { return number; }
  base::Id class_id(event::u64 index) const override { return index; }
  std::string_view text(event::u64 id) const override { return id % 2 == 0 ? "text" : ""; }
  void frames(event::u64 path, std::vector<base::Id>& to) const override { to.push_back(path); }
};

void read_rows(base::Bytes payload) {
  auto view = store::RowView::open(payload);
  if (!view) return;
  for (const store::ColumnEntry& entry : view->columns()) {
    const auto numbers = view->numbers(entry.field);
    fuzz::require(!numbers || numbers->empty() || numbers->size() == view->rows());
  }
  if (!view->load(store::DerivedFields::told)) return;
  event::Batch batch;
  event::Batch copy;
  for (event::u32 row = 0; row < view->rows(); ++row) {
    batch.clear();
    copy.clear();
    view->add(row, NoMeanings(), batch);
    event::copy_event(batch, batch.events[0], copy);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto payload = fuzz::bytes_of(data + 1, size - 1);
  if (data[0] % 2 == 0) read_calls(payload);
  else read_rows(payload);
  return 0;
}
