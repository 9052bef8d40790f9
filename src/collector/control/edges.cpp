// SPDX-License-Identifier: Apache-2.0
#include "collector/control/edges.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <list>
#include <map>

#include "collector/control/edge_link.hpp"
#include "collector/hub/block_intake.hpp"
#include "collector/target/target.hpp"

namespace polytrace::collector {
namespace {

using EdgeClock = std::chrono::steady_clock;

constexpr std::chrono::hours kRemembered{24};

class OwnEdges final : public Edges {
 public:
  OwnEdges(boost::asio::io_context& context, const Config& config, Figures& figures, Tell tell)
      : context_(context), config_(config), figures_(figures), tell_(std::move(tell)) {}
  ~OwnEdges() override {
    for (const auto& [key, edge] : std::exchange(edges_, {})) edge.post->close();
  }

  void add_to(Routes& routes) override {
    routes.push_back({.method = "GET",
                      .path = std::string(kEdgePath),
                      .role = Role::push,
                      .answer = [this](Call call) { let_in(std::move(call)); }});
  }
  void meet(const std::string& tenant, const std::string& edge,
            std::shared_ptr<http::Channel> channel) override {
    const std::string* const database = database_of({.tenant = tenant}, config_.tenants);
    // No name of a caller has such a mark.
    const std::string key = fmt::format("{}/ /{}", tenant, edge);
    const bool is_too_many = edges_.size() >= kMostEdges && !edges_.contains(key);
    if (database == nullptr || is_too_many) return channel->close();
    add(key, edge, *database, std::move(channel));
  }
  std::vector<std::shared_ptr<FarPost>> of(const std::string& database) const override {
    std::vector<std::shared_ptr<FarPost>> posts;
    for (const auto& [key, edge] : edges_)
      if (edge.database == database) posts.push_back(edge.post);
    return posts;
  }
  std::vector<std::string> away(const std::string& database) const override {
    std::vector<std::string> names;
    const auto found = away_.find(database);
    if (found == away_.end()) return names;
    for (const Away& one : found->second)
      if (EdgeClock::now() - one.since < kRemembered) names.push_back(one.name);
    return names;
  }

 private:
  struct Edge {
    std::string database{};
    std::uint64_t turn = 0;  // which of its channels
    std::shared_ptr<FarPost> post{};
  };
  struct Away {
    std::string key{}, name{};
    EdgeClock::time_point since{};
  };

  // An edge that is here already has lost its channel, and does not know it yet.
  void let_in(Call call) {
    const std::string* const database = database_of(call.caller, config_.tenants);
    const std::string edge(call.request.only(kEdgeField));
    if (database == nullptr || !is_short_name(edge)) {
      call.done(refuse_call(figures_, tell_, Refused::tenant, 403, call,
                            "there is no such tenant, or the edge has no name"));
      return;
    }
    const std::string key = fmt::format("{}/{}/{}", call.caller.tenant, call.caller.name, edge);
    if (edges_.size() >= kMostEdges && !edges_.contains(key)) {
      call.done(plain(503, "there are too many edges\n"));
      return;
    }
    http::Reply reply;
    reply.status = 101;
    reply.upgrade = [this, key, edge,
                     database = *database](std::shared_ptr<http::Channel> channel) {
      add(key, edge, database, std::move(channel));
    };
    call.done(std::move(reply));
  }
  void add(const std::string& key, const std::string& name, const std::string& database,
           std::shared_ptr<http::Channel> channel) {
    if (const auto before = edges_.find(key); before != edges_.end()) {
      const auto post = before->second.post;
      edges_.erase(before);
      post->close();
    }
    away_[database].remove_if([&](const Away& one) { return one.key == key; });
    const std::uint64_t turn = ++turns_;
    auto post = FarPost::make(context_, name, std::move(channel), [this, key, turn] {
      if (const auto found = edges_.find(key); found != edges_.end() && found->second.turn == turn)
        leave(found);
    });
    edges_[key] = {database, turn, std::move(post)};
    tell_({Weight::news, "control", name, 0, "takes commands"});
  }
  void leave(std::map<std::string, Edge>::iterator found) {
    std::list<Away>& away = away_[found->second.database];
    away.push_front({found->first, found->second.post->name(), EdgeClock::now()});
    if (away.size() > kMostAway) away.pop_back();
    edges_.erase(found);
  }

  boost::asio::io_context& context_;
  const Config& config_;
  Figures& figures_;
  Tell tell_;
  std::map<std::string, Edge> edges_{};            // by tenant, who, and its own name
  std::map<std::string, std::list<Away>> away_{};  // by database, the last one first
  std::uint64_t turns_ = 0;
};

}  // namespace

std::unique_ptr<Edges> Edges::make(boost::asio::io_context& context, const Config& config,
                                   Figures& figures, Tell tell) {
  return std::make_unique<OwnEdges>(context, config, figures, std::move(tell));
}

}  // namespace polytrace::collector
