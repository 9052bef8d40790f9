// SPDX-License-Identifier: Apache-2.0
// A store that can be asked: the link to it, and answers as rows. One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/codes.hpp"
#include "base/result.hpp"
#include "warehouse/link.hpp"
#include "warehouse/row_binary.hpp"
#include "warehouse/schema.hpp"

namespace polytrace::fleet {

class Store {
 public:
  // Connects, and looks whether the tables are there. Errors: the link's, schema_missing,
  // schema_newer.
  static base::result<Store> open(warehouse::LinkOptions options) {
    auto link = warehouse::Link::open(std::move(options));
    if (!link) return base::Unexpected(link.error());
    const auto version = warehouse::require_schema(*link);
    if (!version) return base::Unexpected(version.error());
    return Store(std::move(*link), *version);
  }
  // Whether it knows what was rolled up and what was dropped.
  bool has_tiers() const { return version_ >= warehouse::kTiersVersion; }

  warehouse::Link& link() { return link_; }
  const std::string& database() const { return link_.database(); }
  // "shop.series"
  std::string name_of(std::string_view table) const {
    return database() + '.' + std::string(table);
  }
  // "http://host:8123/database"
  std::string name() const { return link_.address() + '/' + link_.database(); }

  // The rows of a SELECT whose columns are of these types, within the limits of a question. Error:
  // store_answer where they are of others.
  template <class... T>
  base::result<std::vector<std::tuple<T...>>> rows(const std::string& sql) {
    const auto answer = ask(sql);
    if (!answer) return base::Unexpected(answer.error());
    std::vector<std::tuple<T...>> rows;
    base::Cursor in(*answer, 0);
    while (!in.done() && in.ok()) warehouse::read_value(in, rows.emplace_back());
    if (in.ok()) return rows;
    return base::fail(base::Code::store_answer, link_.address());
  }
  // Of a question that has exactly one row.
  template <class... T>
  base::result<std::tuple<T...>> row(const std::string& sql) {
    auto found = rows<T...>(sql);
    if (!found) return base::Unexpected(found.error());
    if (found->size() != 1) return base::fail(base::Code::store_answer, link_.address());
    return std::move(found->front());
  }

 private:
  Store(warehouse::Link link, std::uint32_t version) : link_(std::move(link)), version_(version) {}
  // Within what one question may take of a server that others ask, too.
  base::result<std::vector<std::byte>> ask(const std::string& sql) {
    return link_.ask(sql, {{"max_execution_time", "30"},
                           {"max_rows_to_read", "20000000000"},
                           {"max_memory_usage", "8000000000"},
                           {"max_query_size", "4194304"},
                           {"readonly", "2"}});
  }

  warehouse::Link link_;
  std::uint32_t version_;
};

}  // namespace polytrace::fleet
