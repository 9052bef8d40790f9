// SPDX-License-Identifier: Apache-2.0
// RowBinary as any server may answer: of every table, whatever is read writes to the same bytes, or
// to shorter ones where a count was spelled longer than it need be.
#include <cstdint>
#include <cstdlib>

#include "warehouse/row_binary.hpp"

using namespace polytrace;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const base::Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  warehouse::visit_tables([&]<class Row>(const Row&) {
    base::Cursor in(bytes, 0);
    Row row;
    if (!warehouse::read_row(in, row)) return;
    base::Appender out;
    warehouse::append_row(row, out);
    if (out.size() > in.offset()) std::abort();
    base::Cursor again(out.view(), 0);
    Row copy;
    if (!warehouse::read_row(again, copy) || !(copy == row)) std::abort();
  });
  return 0;
}
