// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/codes.hpp"
#include "collector/keep/packed_block.hpp"
#include "collector/target/hub_posters.hpp"
#include "collector/target/positions.hpp"

namespace polytrace::collector {
namespace {

constexpr std::chrono::milliseconds kConnectForPosition{2'000};
constexpr std::uint64_t kMostPositionAnswer = std::uint64_t{1} << 20;

class HubPositions final : public Positions {
 public:
  HubPositions(std::vector<std::string> hubs, std::vector<warehouse::Poster> posters)
      : hubs_(std::move(hubs)), posters_(std::move(posters)) {}

  // One that gives no answer may be the one that knows.
  Found find(std::uint64_t stream, const std::string& /*database*/) override {
    std::optional<warehouse::Stream> furthest;
    for (std::size_t i = 0; i < hubs_.size(); ++i) {
      auto row = ask(i, stream);
      if (!row) return row;
      if (*row && (!furthest || (*row)->version > furthest->version)) furthest = std::move(*row);
    }
    return furthest;
  }

 private:
  Found ask(std::size_t hub, std::uint64_t stream) {
    const auto posted =
        posters_[hub].post({}, {.path = fmt::format("{}{:016x}", kPositionPath, stream)});
    if (!posted) return base::fail(base::Code::open_failed, posted.error().detail);
    if (posted->status == 404) return std::nullopt;
    if (posted->status != 200)
      return base::fail(base::Code::open_failed,
                        fmt::format("{}: HTTP {}", hubs_[hub], posted->status));
    const auto block = unpack(posted->answer, kMostPositionAnswer);
    const auto rows = block ? positions_in(*block) : std::vector<warehouse::Stream>();
    if (rows.size() != 1 || rows[0].stream != stream)
      return base::fail(base::Code::open_failed,
                        hubs_[hub] + ": its answer is no row of streams as this version has it");
    return rows[0];
  }

  const std::vector<std::string> hubs_;
  std::vector<warehouse::Poster> posters_;  // of each hub
};

}  // namespace

base::result<std::unique_ptr<Positions>> hub_positions(const Config& config) {
  auto posters = open_posters(config.hubs, config.edge,
                              {.connect = kConnectForPosition,
                               .answer = kPositionWithin,
                               .most_answer = kMostPositionAnswer});
  if (!posters) return base::Unexpected(posters.error());
  return std::make_unique<HubPositions>(config.hubs, std::move(*posters));
}

}  // namespace polytrace::collector
