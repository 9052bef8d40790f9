// SPDX-License-Identifier: Apache-2.0
#include "cli/store/store_options.hpp"

#include <chrono>
#include <cstdlib>

#include "agent/control/protocol/endpoint.hpp"

namespace polytrace::cli {

void LoginOptions::add_to(OptionList& list) {
  const char* group = "Store";
  list.add("--user", user_, "Who asks, for the server").takes("NAME").in(group);
  list.add("--password-file", password_file_, "A file whose first line is the user's password")
      .takes("FILE")
      .in(group);
}

void LoginOptions::tell(warehouse::LinkOptions& options) const {
  options.user = user_;
  options.password_file = password_file_;
}

void StoreOptions::add_to(OptionList& list) {
  list.add("--store", address_,
           "The server and its database: http://HOST:8123/DATABASE (default: $POLYTRACE_STORE)")
      .takes("URL")
      .in("Store");
  login_.add_to(list);
}

base::result<warehouse::LinkOptions> StoreOptions::link() const {
  warehouse::LinkOptions options;
  options.address = address_;
  if (const char* told = std::getenv("POLYTRACE_STORE"); address_.empty() && told != nullptr)
    options.address = told;
  if (options.address.empty())
    return base::fail(base::Code::usage, "which store? Say --store URL, or set POLYTRACE_STORE");
  login_.tell(options);
  return options;
}

base::result<fleet::Store> StoreOptions::open() const {
  auto options = link();
  if (!options) return base::Unexpected(options.error());
  return fleet::Store::open(std::move(*options));
}

void EdgeOptions::add_to(OptionList& list) {
  const char* group = "Collector";
  list.add("--edge", url_, "Where its /metrics are").takes("URL").shows_default().in(group);
  list.add("--hub", hub_, "Ask a hub instead, which asks the collector that has the blocks")
      .takes("URL")
      .in(group);
  list.add("--token-file", token_file_,
           "The file with its token, or the hub's, which nobody but its owner may read")
      .takes("FILE")
      .in(group);
  list.add("--ca", ca_, "Whose certificates the hub's must be of (default: the system's)")
      .takes("FILE")
      .in(group);
}

base::result<fleet::Edge> EdgeOptions::edge() const {
  // As long as a hub takes to hand out a piece to who reads slowly.
  constexpr std::chrono::minutes kHubWithin{10};
  if (!hub_.empty() && url_ != kOwnPort)
    return base::fail(base::Code::usage, "--hub and --edge are two ways to the same blocks");
  if (!hub_.empty() && token_file_.empty())
    return base::fail(base::Code::usage, "--hub needs --token-file FILE, a token of role read");
  auto token = agent::control::read_private_token(token_file_);
  if (!token) return base::fail(base::Code::open_failed, token.error().detail);
  if (hub_.empty()) return fleet::Edge{.url = url_, .token = std::move(*token), .ca = ca_};
  return fleet::Edge{.url = hub_, .token = std::move(*token), .ca = ca_, .within = kHubWithin};
}

void ObjectOptions::add_to(OptionList& list) {
  const char* group = "Objects";
  list.add("--objects", to_,
           "Where collectors write what rules keep: folder:/srv/traces, or s3:https://HOST/BUCKET "
           "(default: $POLYTRACE_OBJECTS)")
      .takes("PLACE")
      .in(group);
  list.add("--objects-key", key_file_,
           "Of S3: a file of mode 0600 with the key's name and, in a second line, its secret "
           "(default: $POLYTRACE_OBJECTS_KEY)")
      .takes("FILE")
      .in(group);
  list.add("--objects-region", region_, "Of S3, where it is not us-east-1").takes("NAME").in(group);
}

bool ObjectOptions::is_told() const { return !objects().to.empty(); }

warehouse::ObjectsOptions ObjectOptions::objects() const {
  const auto said = [](const std::string& option, const char* variable) {
    const char* const told = option.empty() ? std::getenv(variable) : nullptr;
    return told == nullptr ? option : std::string(told);
  };
  return {.to = said(to_, "POLYTRACE_OBJECTS"),
          .region = region_,
          .key_file = said(key_file_, "POLYTRACE_OBJECTS_KEY")};
}

}  // namespace polytrace::cli
