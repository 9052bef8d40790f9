// SPDX-License-Identifier: Apache-2.0
// Rows on their way to a store, by table.
#pragma once

#include <tuple>
#include <vector>

#include "warehouse/rows.hpp"

namespace polytrace::collector {

struct Rows {
  template <class Row>
  using Of = std::vector<Row>;

  std::tuple<Of<warehouse::Series>, Of<warehouse::Frame>, Of<warehouse::Stack>,
             Of<warehouse::Profile10s>, Of<warehouse::Methods1m>, Of<warehouse::Health10s>,
             Of<warehouse::Moment>, Of<warehouse::Trace>, Of<warehouse::Stream>>
      tables{};

  template <class Row>
  Of<Row>& of() {
    return std::get<Of<Row>>(tables);
  }
  template <class Row>
  const Of<Row>& of() const {
    return std::get<Of<Row>>(tables);
  }
  std::size_t size() const {
    return std::apply([](const auto&... table) { return (table.size() + ...); }, tables);
  }
  void append(Rows&& more) {
    std::apply([&](auto&... table) { (take(table, more), ...); }, tables);
  }

 private:
  template <class Row>
  static void take(Of<Row>& table, Rows& more) {
    for (Row& row : more.of<Row>()) table.push_back(std::move(row));
  }
};

}  // namespace polytrace::collector
