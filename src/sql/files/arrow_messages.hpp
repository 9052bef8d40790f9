// SPDX-License-Identifier: Apache-2.0
// Messages of Arrow's IPC stream, as far as tables of numbers and texts need them: a schema, the
// head of a batch, the end. Little endian.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sql/model/value.hpp"

namespace polytrace::sql {

struct ArrowField {
  std::string name;
  Type type;         // integer: int64; real: float64; others: utf8
  std::string unit;  // empty: none
};
// Rows of a column, and how many of them are NULL.
struct ArrowNode {
  std::int64_t rows;
  std::int64_t nulls;
};
// A buffer of a batch: where in what follows the message, and how long.
struct ArrowBuffer {
  std::int64_t offset;
  std::int64_t size;
};

std::string arrow_schema(std::span<const ArrowField> fields);
// `size` bytes of buffers follow it.
std::string arrow_batch(std::int64_t rows, std::span<const ArrowNode> nodes,
                        std::span<const ArrowBuffer> buffers, std::int64_t size);
std::string_view arrow_end();

}  // namespace polytrace::sql
