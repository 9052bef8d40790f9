// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/collect.hpp"

#include <fmt/format.h>
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
#include "collector/edge/intake.hpp"
#include "collector/edge/metrics_door.hpp"
#include "collector/flow/pipeline.hpp"
#include "service/words/environment.hpp"
#include "warehouse/schema.hpp"

namespace polytrace::collector {
namespace {

constexpr std::chrono::seconds kLookEvery{1};

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

warehouse::LinkOptions link_options(const Config& config) {
  warehouse::LinkOptions options;
  options.address = config.store;
  options.user = config.user;
  options.password_file = config.password_file;
  return options;
}

// A store that is away is waited for; one that has no tables never gets any by that.
base::result<warehouse::Link> open_store(const Config& config, const Tell& tell) {
  auto link = warehouse::Link::open(link_options(config));
  if (!link) return link;
  const auto ready = warehouse::require_schema(*link);
  if (ready) return link;
  if (ready.error().code != base::Code::store_unreachable) return base::Unexpected(ready.error());
  tell({Weight::warning,
        "store",
        {},
        0,
        base::to_text(ready.error()) + "; rows wait in the outbox"});
  return link;
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
    hands_.started({config_.socket, metrics_->port()});
    notify_manager("READY=1");
    context_.run();
    return drain();
  }

 private:
  base::result<void> open() {
    // A store that hangs up in mid-sentence is not the end.
    std::signal(SIGPIPE, SIG_IGN);
    raise_file_limit();
    auto link = open_store(config_, tell_);
    if (!link) return base::Unexpected(link.error());
    auto pipeline = Pipeline::open(config_, std::move(*link), figures_, tell_,
                                   [this] { boost::asio::post(context_, [this] { news(); }); });
    if (!pipeline) return base::Unexpected(pipeline.error());
    pipeline_ = std::move(*pipeline);
    auto desk = PieceDesk::open(config_, tell_);
    if (!desk) return base::Unexpected(desk.error());
    desk_ = std::move(*desk);
    auto metrics = MetricsDoor::open(context_, static_cast<std::uint16_t>(config_.metrics_port),
                                     figures_, *desk_);
    if (!metrics) return base::Unexpected(metrics.error());
    metrics_ = std::move(*metrics);
    auto intake = Intake::open(context_, config_, *pipeline_, figures_, tell_);
    if (!intake) return base::Unexpected(intake.error());
    intake_ = std::move(*intake);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) signals_.add(signal);
    return {};
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

  // Labels of programs that come from now on; the rest is for the next start.
  void reload() {
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
               : "read anew: labels of new programs; what else changed is for the next start"});
  }

  void look_around() {
    pipeline_->look_around();
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
    intake_->close("drain");
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
  std::unique_ptr<PieceDesk> desk_;
  std::unique_ptr<MetricsDoor> metrics_;
  std::unique_ptr<Intake> intake_;
};

}  // namespace

base::result<Ended> collect(const Config& config, const CollectHands& hands) {
  return Collector(config, hands).run();
}

}  // namespace polytrace::collector
