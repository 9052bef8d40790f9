// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/collect.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "base/codes.hpp"
#include "collector/bus/bus.hpp"
#include "collector/bus/bus_control.hpp"
#include "collector/control/desk.hpp"
#include "collector/control/edge_link.hpp"
#include "collector/door/door.hpp"
#include "collector/edge/intake.hpp"
#include "collector/edge/piece_desk.hpp"
#include "collector/edge/position_asker.hpp"
#include "collector/flow/pipeline.hpp"
#include "collector/hub/position_desk.hpp"
#include "collector/hub/profile_intake.hpp"
#include "collector/hub/row_intake.hpp"
#include "collector/hub/trace_intake.hpp"
#include "collector/pieces/hub_desk.hpp"
#include "collector/pieces/shelf.hpp"
#include "service/words/environment.hpp"

namespace polytrace::collector {
namespace {

constexpr std::chrono::seconds kLookEvery{1};
constexpr std::chrono::seconds kBodyWithin{60};
constexpr unsigned kMostRequesters = 10'000;

// Where it is a service of systemd, its manager is told how it is: sd_notify(3).
void notify_manager(std::string_view state) {
  const std::string_view path = service::variable("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool is_path = path.starts_with('/') || path.starts_with('@');
  if (!is_path || path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (path[0] == '@') address.sun_path[0] = '\0';  // a name without a file
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
         reinterpret_cast<const sockaddr*>(&address), size);
  ::close(socket);
}

// 4,000 programs, and some files.
void raise_file_limit() {
  constexpr rlim_t kWanted = 16'384;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kWanted) return;
  limit.rlim_cur = std::min(limit.rlim_max, kWanted);
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Blocks go from thread to thread: with an arena for each, much of what was freed would stay.
void share_memory() {
  constexpr int kArenas = 2;
  mallopt(M_ARENA_MAX, kArenas);
}

base::result<Targets> open_targets(const Config& config, Figures& figures, const Tell& tell) {
  if (config.is_hub)
    return store_targets(config, [&](std::size_t, const base::Error& why) {
      tell({Weight::warning, "store", {}, 0, base::to_text(why) + "; rows wait in the outbox"});
    });
  auto hub = config.bus.url.empty() ? hub_target(config.hubs, config.edge, config.hub_time)
                                    : bus_target(config, figures);
  if (!hub) return base::Unexpected(hub.error());
  Targets targets(1);
  targets[0].push_back(std::move(*hub));
  return targets;
}

http::Reply readiness(const Figures& figures) {
  if (!figures.spool_works) return plain(503, "the spool cannot be written\n");
  if (!figures.outbox_has_room) return plain(503, "the outbox takes nothing\n");
  return plain(200, "ok\n");
}

// A question for a part of a stream: the desk answers while the loop turns on.
void ask_desk(PieceDesk& desk, Call call) {
  const std::string authorization(call.request.only("Authorization"));
  desk.ask(call.request.target, authorization, [done = std::move(call.done)](PieceAnswer&& answer) {
    http::Reply reply = plain(answer.status, std::move(answer.text));
    if (answer.status == 200) {
      reply.type = "application/octet-stream";
      reply.fields.push_back({"Polytrace-Blocks", fmt::to_string(answer.blocks)});
    }
    if (answer.status == 401) reply.fields.push_back({"WWW-Authenticate", "Bearer"});
    if (!answer.gone.empty()) reply.fields.push_back({"Polytrace-Gone", answer.gone});
    done(std::move(reply));
  });
}

// For who watches, on this machine. Where the loop hangs nobody answers, which is what /healthz is
// for.
Routes watching_routes(const Figures& figures, PieceDesk& desk) {
  const auto metrics = [&figures](Call call) {
    http::Reply reply = plain(200, metrics_text(figures));
    reply.type = "text/plain; version=0.0.4; charset=utf-8";
    call.done(std::move(reply));
  };
  return {{.method = "GET", .path = "/metrics", .answer = metrics},
          {.method = "GET",
           .path = "/healthz",
           .answer = [](Call call) { call.done(plain(200, "ok\n")); }},
          {.method = "GET",
           .path = "/readyz",
           .answer = [&figures](Call call) { call.done(readiness(figures)); }},
          // It has a token of its own: metrics.token_file.
          {.method = "GET", .path = "/v1/traces/", .answer = [&desk](Call call) {
             ask_desk(desk, std::move(call));
           }}};
}

// The loop with all that lives in it.
class Collector {
 public:
  Collector(const Config& config, const CollectHands& hands)
      : config_(config), hands_(hands), signals_(context_), look_(context_) {
    tell_ = [this](const LogEntry& event) {
      const std::scoped_lock lock(telling_);
      hands_.tell(event);
    };
  }

  base::result<Ended> run() {
    if (auto opened = open(); !opened) return base::Unexpected(opened.error());
    wait_for_signal();
    look_around();
    // As all others do: threads tell of stores and hubs already.
    tell_({Weight::news, "started", {}, 0, where_it_is()});
    notify_manager("READY=1");
    context_.run();
    return drain();
  }

 private:
  base::result<void> open() {
    // A store that hangs up in mid-sentence is not the end.
    std::signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    share_memory();
    auto targets = open_targets(config_, figures_, tell_);
    if (!targets) return base::Unexpected(targets.error());
    auto pipeline = Pipeline::open(config_, std::move(*targets), figures_, tell_,
                                   [this] { boost::asio::post(context_, [this] { news(); }); });
    if (!pipeline) return base::Unexpected(pipeline.error());
    pipeline_ = std::move(*pipeline);
    pieces_ = std::make_unique<PieceReader>(config_.spool, figures_, tell_);
    auto desk = PieceDesk::open(config_, *pieces_);
    if (!desk) return base::Unexpected(desk.error());
    desk_ = std::move(*desk);
    auto watching =
        Door::open(context_, {.listen = {.port = static_cast<std::uint16_t>(config_.metrics_port)}},
                   watching_routes(figures_, *desk_), figures_, tell_);
    if (!watching) return base::Unexpected(watching.error());
    watching_ = std::move(*watching);
    open_rows();
    if (config_.is_edge) {
      auto positions = positions_to_ask(config_);
      if (!positions) return base::Unexpected(positions.error());
      asker_ = PositionAsker::make(context_, std::move(*positions), *pipeline_, figures_, tell_);
      auto intake = Intake::open(context_, config_, *pipeline_, *asker_, figures_, tell_);
      if (!intake) return base::Unexpected(intake.error());
      intake_ = std::move(*intake);
      executor_ = Executor::make(context_, *intake_, config_.control_allow);
    }
    if (auto let_in = open_door(); !let_in) return let_in;
    if (auto linked = link_to_hubs(); !linked) return linked;
    if (hands_.roll) roll_ = StoreRoll::make(config_, hands_.roll, figures_, tell_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) signals_.add(signal);
    return {};
  }

  std::uint32_t shards() const {
    return static_cast<std::uint32_t>(config_.is_hub ? config_.store.size() : 1);
  }
  void more() { pipeline_->outbox_has_more(); }

  // Batches of edges, whichever way they come.
  void open_rows() {
    if (!config_.is_hub || (config_.listen.empty() && config_.bus.url.empty())) return;
    rows_ = std::make_unique<RowIntake>(
        pipeline_->outbox(), RowIntakeOptions{config_.tenants, shards(), [this] { more(); }},
        figures_, tell_);
    if (config_.bus.url.empty()) return;
    bus_ = BusIntake::open(config_,
                           {.take = [this](Call call) { rows_->take(std::move(call)); },
                            .is_full = [this] { return pipeline_->outbox().over_high(); }},
                           figures_, tell_);
  }

  // For other machines: what is offered to them stands here.
  base::result<void> open_door() {
    if (config_.listen.empty()) return {};
    Place place;
    parse_place(config_.listen, place);
    const Credentials& own = config_.http;
    Routes routes;
    profiles_ = std::make_unique<ProfileIntake>(
        pipeline_->outbox(), config_, shards(), [this] { more(); }, figures_, tell_);
    profiles_->add_to(routes);
    auto traces = TraceIntake::open(
        pipeline_->outbox(), config_, shards(), [this] { more(); }, figures_, tell_);
    if (!traces) return base::Unexpected(traces.error());
    traces_ = std::move(*traces);
    traces_->add_to(routes);
    if (rows_) routes.push_back(rows_->route());
    if (config_.is_hub) {
      positions_ = std::make_unique<PositionDesk>(pipeline_->outbox(), config_, figures_, tell_);
      routes.push_back(positions_->route());
      ledger_ = std::make_unique<Ledger>(pipeline_->outbox(), [this] { more(); }, figures_, tell_);
      edges_ = Edges::make(context_, config_, figures_, tell_);
      edges_->add_to(routes);
      if (!config_.bus.url.empty())
        bus_edges_ = BusEdges::open(
            context_, config_,
            [this](const EdgeSubject& edge, std::shared_ptr<http::Channel> channel) {
              edges_->meet(edge.tenant, edge.edge, std::move(channel));
            },
            tell_);
      control_desk_ =
          ControlDesk::make(context_, config_, executor_.get(), *edges_, *ledger_, figures_, tell_);
      control_desk_->add_to(routes);
      hub_desk_ = HubPieceDesk::make(context_, config_, *edges_, own_streams(), figures_, tell_);
      hub_desk_->add_to(routes);
      if (hands_.answer) {
        questions_ = QuestionDesk::make(context_, config_, hands_.answer, figures_, tell_);
        questions_->add_to(routes);
      }
    }
    auto door = Door::open(context_,
                           {.listen = {.address = place.address,
                                       .port = place.port,
                                       .tls = {own.certificate, own.key, own.ca},
                                       .most_connections = kMostRequesters,
                                       .reading = kBodyWithin},
                            .token_file = own.token_file},
                           std::move(routes), figures_, tell_);
    if (!door) return base::Unexpected(door.error());
    door_ = std::move(*door);
    return {};
  }
  OwnStreams own_streams() {
    if (!config_.is_edge) return {};
    return {pieces_.get(), [this](std::uint64_t id) { return pipeline_->database_of_stream(id); }};
  }
  // For commands and questions for blocks, which come the way that rows go.
  base::result<void> link_to_hubs() {
    if (config_.is_hub) return {};
    auto name = name_of_folder(config_.spool);
    if (!name) return base::Unexpected(name.error());
    shelf_ = Shelf::make(context_, *pieces_, [this](std::uint64_t id) {
      return pipeline_->database_of_stream(id) != nullptr;
    });
    if (!config_.bus.url.empty()) {
      commands_ =
          BusCommands::open(context_, config_, std::move(*name), *executor_, *shelf_, tell_);
      return {};
    }
    auto links = EdgeLinks::open(context_, config_, std::move(*name), *executor_, *shelf_, tell_);
    if (!links) return base::Unexpected(links.error());
    links_ = std::move(*links);
    return {};
  }
  std::string where_it_is() const {
    std::string text = fmt::format("http://127.0.0.1:{}/metrics", watching_->port());
    if (config_.is_edge) text = fmt::format("agents dial connect={}; {}", config_.socket, text);
    if (door_) text += fmt::format("; others come in at port {}", door_->port());
    return text;
  }

  void news() {
    if (intake_) intake_->look_at_news();
  }

  void wait_for_signal() {
    signals_.async_wait([this](boost::system::error_code fault, int signal) {
      if (fault) return;
      if (signal != SIGHUP) return context_.stop();
      reload();
      wait_for_signal();
    });
  }

  // Tokens, and labels of programs that come from now on; the rest is for the next start.
  void reload() {
    if (door_)
      if (const auto read = door_->reload(); !read)
        tell_({Weight::warning,
               "configuration",
               {},
               0,
               "tokens stay as they were: " + base::to_text(read.error())});
    const auto fresh = hands_.configure();
    if (!fresh) {
      tell_({Weight::warning,
             "configuration",
             {},
             0,
             "stays as it was: " + base::to_text(fresh.error())});
      return;
    }
    pipeline_->set_labels(fresh->labels);
    Config same = *fresh;
    same.labels = config_.labels;
    tell_({Weight::news,
           "configuration",
           {},
           0,
           config_text(same) == config_text(config_)
               ? "read anew"
               : "read anew: tokens, labels of new programs; what else changed is for the next "
                 "start"});
  }

  void look_around() {
    pipeline_->look_around();
    if (traces_) traces_->look_around();
    look_.expires_after(kLookEvery);
    look_.async_wait([this](boost::system::error_code fault) {
      if (!fault) look_around();
    });
  }

  Ended drain() {
    notify_manager("STOPPING=1");
    tell_({Weight::news,
           "stopping",
           {},
           0,
           fmt::format("sends what is here, for at most {} s", config_.drain.count())});
    // From here on a signal ends the program at once, which costs nothing but time at the next
    // start.
    signals_.clear();
    roll_.reset();
    questions_.reset();
    traces_.reset();
    bus_.reset();
    rows_.reset();
    positions_.reset();
    links_.reset();
    commands_.reset();
    bus_edges_.reset();
    hub_desk_.reset();
    control_desk_.reset();
    edges_.reset();
    ledger_.reset();
    if (intake_) intake_->close("drain");
    asker_.reset();
    const Ended ended{pipeline_->drain(config_.drain)};
    intake_.reset();
    return ended;
  }

  const Config& config_;
  const CollectHands& hands_;
  std::mutex telling_;
  Tell tell_;
  Figures figures_;
  boost::asio::io_context context_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer look_;
  std::unique_ptr<Pipeline> pipeline_;
  std::unique_ptr<PieceReader> pieces_;
  std::unique_ptr<PieceDesk> desk_;
  std::unique_ptr<Door> watching_;
  std::unique_ptr<ProfileIntake> profiles_;
  std::unique_ptr<TraceIntake> traces_;
  std::unique_ptr<RowIntake> rows_;
  std::unique_ptr<PositionDesk> positions_;
  std::unique_ptr<BusIntake> bus_;
  std::unique_ptr<Door> door_;  // for other machines
  std::unique_ptr<PositionAsker> asker_;
  std::unique_ptr<Intake> intake_;
  std::unique_ptr<Executor> executor_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Edges> edges_;
  std::unique_ptr<BusEdges> bus_edges_;
  std::unique_ptr<ControlDesk> control_desk_;
  std::unique_ptr<HubPieceDesk> hub_desk_;
  std::unique_ptr<QuestionDesk> questions_;
  std::unique_ptr<Shelf> shelf_;
  std::unique_ptr<EdgeLinks> links_;
  std::unique_ptr<BusCommands> commands_;
  std::unique_ptr<StoreRoll> roll_;
};

}  // namespace

base::result<Ended> collect(const Config& config, const CollectHands& hands) {
  return Collector(config, hands).run();
}

}  // namespace polytrace::collector
