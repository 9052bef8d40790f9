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

// Whose rows are asked where a store has several shards: all servers', or that server's own.
enum class Reach : std::uint8_t { everywhere, own };

// How many there are, and how many of them answer. One of one where there are no shards.
struct Shards {
  std::uint64_t all = 1, answered = 1;
  bool operator==(const Shards&) const = default;
};

class Store {
 public:
  // Connects, and looks whether the tables are there, and those of all shards. Errors: the link's,
  // schema_missing, schema_newer.
  static base::result<Store> open(warehouse::LinkOptions options, Reach reach = Reach::everywhere);
  // Whether it knows what was rolled up and what was dropped.
  bool has_tiers() const { return version_ >= warehouse::kTiersVersion; }

  warehouse::Link& link() { return link_; }
  const std::string& database() const { return link_.database(); }
  // "shop.series", or "shop.series_all" where all shards are asked.
  std::string name_of(std::string_view table) const {
    return own_name_of(table) + (is_everywhere_ ? "_all" : "");
  }
  // That of one server: in a sub-select each shard asks its own, which has all rows of its series.
  std::string own_name_of(std::string_view table) const {
    return database() + '.' + std::string(table);
  }
  // A shard that cannot be asked is left out of all answers that follow, and missing here.
  const Shards& shards() const { return shards_; }
  // "http://host:8123/database"
  std::string name() const { return link_.address() + '/' + link_.database(); }

  // The rows of a SELECT whose columns are of these types, within the limits of a question; it may
  // say "IN ids" where such are told (warehouse::Link::ask). Error:
  // store_answer where they are of others.
  template <class... T>
  base::result<std::vector<std::tuple<T...>>> rows(const std::string& sql,
                                                   const warehouse::Ids& ids = {}) {
    const auto answer = ask(sql, ids);
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
  base::result<void> look_for_shards(Reach reach);
  base::result<void> leave_out_missing();
  base::result<std::vector<std::byte>> ask(const std::string& sql, const warehouse::Ids& ids);

  warehouse::Link link_;
  std::uint32_t version_;
  std::string cluster_;  // that the tables of all shards ask
  bool is_everywhere_ = false;
  bool leaves_out_ = false;
  Shards shards_{};
};

}  // namespace polytrace::fleet
