// SPDX-License-Identifier: Apache-2.0
// The heaviest stacks as one indented tree, and figures by their sites.
#pragma once

#include "analysis/table/figures.hpp"
#include "analysis/table/table.hpp"
#include "analysis/table/words.hpp"
#include "slice/stacks.hpp"

namespace polytrace::analysis {

// What the columns of an amount are called.
struct AmountColumns {
  ColumnInfo count;
  ColumnInfo weight;
};

// Fills `table` (key, section and title given) with the options.limit stacks of greatest own
// weight and their callers, outermost first, siblings by inclusive weight. `amounts` is by stack of
// the tree that `stacks` was made from and may be shorter. Stacks not shown are counted in
// rows_left_out and said in a note.
void fill_stack_tree(Table& table, const VisibleStacks& stacks, std::span<const Amount> amounts,
                     const Names& names, const Selection& selection, const TableOptions& options,
                     const AmountColumns& columns);

// Amounts by site: columns site, count, weight, average. Sorted by weight.
void fill_sites(Table& table, const VisibleStacks& stacks, std::span<const Amount> amounts,
                const Names& names, const Selection& selection, const TableOptions& options,
                const AmountColumns& columns);

}  // namespace polytrace::analysis
