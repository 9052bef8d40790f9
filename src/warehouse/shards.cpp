// SPDX-License-Identifier: Apache-2.0
#include "warehouse/shards.hpp"

namespace polytrace::warehouse {

// Lamping and Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm".
std::uint32_t shard_of(std::uint64_t id, std::uint32_t shards) {
  constexpr std::uint64_t kFactor = 2'862'933'555'777'941'757;
  constexpr double kRange = 2'147'483'648;  // 2^31
  std::int64_t shard = -1;
  for (std::int64_t jump = 0; jump < shards;) {
    shard = jump;
    id = id * kFactor + 1;
    jump = static_cast<std::int64_t>(static_cast<double>(shard + 1) *
                                     (kRange / static_cast<double>((id >> 33) + 1)));
  }
  return static_cast<std::uint32_t>(shard);
}

std::vector<std::string> parse_replicas(std::string_view text) {
  std::vector<std::string> addresses;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    addresses.emplace_back(text.substr(0, comma));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return addresses;
}

base::result<Replicas> Replicas::open(const std::vector<std::string>& addresses,
                                      LinkOptions options) {
  std::vector<Link> links;
  for (const std::string& address : addresses) {
    options.address = address;
    auto link = Link::open(options);
    if (!link) return base::Unexpected(link.error());
    links.push_back(std::move(*link));
  }
  return Replicas(std::move(links));
}

void Replicas::next() {
  at_ = (at_ + 1) % links_.size();
  tried_ = 0;
}

base::result<void> Replicas::insert(std::string_view table, std::string_view columns,
                                    base::Bytes rows) {
  base::result<void> done;
  for (std::size_t asked = 0; asked < links_.size(); ++asked) {
    done = link().insert(table, columns, rows);
    if (done) {
      tried_ = 0;
      break;
    }
    refusal_ = link().refusal();
    if (refusal_.is_unreached || ++tried_ >= kTriesOfOne) next();
    if (!refusal_.is_unreached) break;
  }
  return done;
}

base::result<std::vector<std::byte>> Replicas::ask(std::string_view sql) {
  auto answer = link().ask(sql);
  for (std::size_t more = 1; more < links_.size() && !answer; ++more) {
    if (!link().refusal().is_unreached) break;
    next();
    answer = link().ask(sql);
  }
  return answer;
}

base::result<std::vector<Replicas>> open_shards(const ShardAddresses& addresses,
                                                const LinkOptions& options) {
  std::vector<Replicas> shards;
  for (const auto& replicas : addresses) {
    auto one = Replicas::open(replicas, options);
    if (!one) return base::Unexpected(one.error());
    shards.push_back(std::move(*one));
  }
  return shards;
}

}  // namespace polytrace::warehouse
