// SPDX-License-Identifier: Apache-2.0
// A store on several servers: shards, each of which has a part of the series, each with replicas,
// which all have the same. Who writes chooses the shard by what a row is of; joining the answers is
// the servers' (tables NAME_all). One thread at a time for one Replicas.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warehouse/link.hpp"

namespace polytrace::warehouse {

// By shard, by replica: http://host:8123/database.
using ShardAddresses = std::vector<std::vector<std::string>>;
inline constexpr std::size_t kMostShards = 64;

// The shard of a series, or of what else has an id: a jump hash, so that of n + 1 shards each has
// what it had of n, but for what goes to the new one. REQUIRES: shards > 0.
std::uint32_t shard_of(std::uint64_t id, std::uint32_t shards);

// "http://a:8123/shop,http://b:8123/shop": the replicas of a shard, as an option has them.
std::vector<std::string> parse_replicas(std::string_view text);

// The servers of one shard: one is written to as long as it answers, then the next.
class Replicas {
 public:
  // `options` but for the address. Errors: those of Link::open. REQUIRES: an address.
  static base::result<Replicas> open(const std::vector<std::string>& addresses,
                                     LinkOptions options = {});

  // As Link::insert. Where a server cannot be connected to (any more), the next one has it at
  // once. Where an answer is unclear the same one is asked kTriesOfOne times, by as
  // many calls, before the next: servers know what was sent twice best themselves.
  base::result<void> insert(std::string_view table, std::string_view columns, base::Bytes rows);
  static constexpr unsigned kTriesOfOne = 10;
  // As Link::ask, of the first that can be connected to.
  base::result<std::vector<std::byte>> ask(std::string_view sql);

  // The one that is written to now.
  Link& link() { return links_[at_]; }
  const Link& link() const { return links_[at_]; }
  std::vector<Link>& links() { return links_; }
  // Of the last insert that failed.
  const Refusal& refusal() const { return refusal_; }

 private:
  explicit Replicas(std::vector<Link> links) : links_(std::move(links)) {}
  void next();

  std::vector<Link> links_;
  std::size_t at_ = 0;
  Refusal refusal_{};
  unsigned tried_ = 0;
};

// Each shard's. Errors: as above.
base::result<std::vector<Replicas>> open_shards(const ShardAddresses& addresses,
                                                const LinkOptions& options);

}  // namespace polytrace::warehouse
