// SPDX-License-Identifier: Apache-2.0
#if POLYTRACE_HAS_NATS
#include "collector/bus/bus_link.hpp"

#include <fmt/format.h>

#include <fstream>
#include <random>

#include "agent/control/protocol/endpoint.hpp"

namespace polytrace::collector {
namespace {

using base::Code;

constexpr std::int64_t kBusWithin = 5'000;     // milliseconds, of a connection
constexpr std::int64_t kBusAskEvery = 10'000;  // whether the other end is there
constexpr int kBusUnanswered = 2;              // of these, and it is not

using NatsOptions = std::unique_ptr<natsOptions, GiveBack<natsOptions_Destroy>>;

// Else libnats prints what is asked of it later.
void say_nothing(natsConnection*, natsSubscription*, natsStatus, void*) {}

base::result<std::string> secret_in(const std::string& file) {
  std::string secret = agent::control::read_token_file(file);
  if (!secret.empty()) return secret;
  return base::fail(Code::open_failed, file + ": cannot be read, or is empty");
}

// The first fault of several steps.
class Steps {
 public:
  void operator()(std::string_view what, natsStatus status) {
    if (status == NATS_OK || !fault_.empty()) return;
    const char* const more = nats_GetLastError(nullptr);
    fault_ = fmt::format("{}: {}{}{}", what, natsStatus_GetText(status),
                         more != nullptr ? ": " : "", more != nullptr ? more : "");
  }
  const std::string& fault() const { return fault_; }

 private:
  std::string fault_;
};

void add_tls(natsOptions* options, const Config& config, Steps& step) {
  const Credentials& shown = config.bus_shown;
  if (!config.bus.url.starts_with("tls://")) return;
  step("TLS", natsOptions_SetSecure(options, true));
  if (!shown.ca.empty())
    step("bus.ca", natsOptions_LoadCATrustedCertificates(options, shown.ca.c_str()));
  if (!shown.certificate.empty())
    step("bus.cert",
         natsOptions_LoadCertificatesChain(options, shown.certificate.c_str(), shown.key.c_str()));
}

base::result<void> add_credentials(natsOptions* options, const Config& config, Steps& step) {
  const Bus& bus = config.bus;
  if (!bus.user.empty()) {
    const auto password = secret_in(bus.password_file);
    if (!password) return base::Unexpected(password.error());
    step("bus.user", natsOptions_SetUserInfo(options, bus.user.c_str(), password->c_str()));
  }
  if (!config.bus_shown.token_file.empty()) {
    const auto token = secret_in(config.bus_shown.token_file);
    if (!token) return base::Unexpected(token.error());
    step("bus.token_file", natsOptions_SetToken(options, token->c_str()));
  }
  if (!bus.creds_file.empty())
    step("bus.creds_file",
         natsOptions_SetUserCredentialsFromFiles(options, bus.creds_file.c_str(), nullptr));
  return {};
}

}  // namespace

std::string new_bus_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

base::result<std::unique_ptr<BusLink>> BusLink::open(const Config& config,
                                                     const std::string& inbox) {
  std::unique_ptr<BusLink> link(new BusLink(config.bus.url));
  natsOptions* made = nullptr;
  Steps step;
  step("libnats", natsOptions_Create(&made));
  const NatsOptions options(made);
  if (!options) return base::fail(Code::open_failed, step.fault());
  step("bus.url", natsOptions_SetURL(made, config.bus.url.c_str()));
  step("name", natsOptions_SetName(made, "polytrace"));
  step("inbox", natsOptions_SetCustomInboxPrefix(made, inbox.c_str()));
  step("time", natsOptions_SetTimeout(made, kBusWithin));
  step("time", natsOptions_SetPingInterval(made, kBusAskEvery));
  step("time", natsOptions_SetMaxPingsOut(made, kBusUnanswered));
  step("reconnect", natsOptions_SetAllowReconnect(made, false));
  step("faults", natsOptions_SetErrorHandler(made, &say_nothing, nullptr));
  add_tls(made, config, step);
  if (auto added = add_credentials(made, config, step); !added)
    return base::Unexpected(added.error());
  natsConnection* connection = nullptr;
  if (step.fault().empty()) step(config.bus.url, natsConnection_Connect(&connection, made));
  link->connection_.reset(connection);
  if (!step.fault().empty()) return base::fail(Code::open_failed, step.fault());
  jsOptions js;
  jsOptions_Init(&js);
  js.Wait = kBusWithin;
  jsCtx* context = nullptr;
  step("JetStream", natsConnection_JetStream(&context, connection, &js));
  link->stream_.reset(context);
  if (!step.fault().empty()) return base::fail(Code::open_failed, step.fault());
  return link;
}

bool BusLink::is_forbidden() const {
  const char* complaint = nullptr;
  return natsConnection_GetLastError(connection(), &complaint) == NATS_NOT_PERMITTED;
}

base::Unexpected BusLink::fault(const std::string& what, natsStatus status, jsErrCode code) const {
  std::string text = fmt::format("{}: {}: {}", name_, what, natsStatus_GetText(status));
  const char* more = nullptr;
  // Of JetStream's faults the thread's last one tells, of others the connection's.
  if (code != 0) more = nats_GetLastError(nullptr);
  else if (natsConnection_GetLastError(connection(), &more) == NATS_OK) more = nullptr;
  if (more != nullptr && *more != '\0') text += fmt::format(": {}", more);
  return base::fail(Code::open_failed, std::move(text));
}

}  // namespace polytrace::collector
#endif
