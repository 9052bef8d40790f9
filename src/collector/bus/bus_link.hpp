// SPDX-License-Identifier: Apache-2.0
// A connection to NATS, with what libnats needs to be told and given back. It is never mended: who
// finds it closed, or gets no answer, opens another one. Any thread.
#pragma once

#include <nats/nats.h>

#include <memory>
#include <string>

#include "base/codes.hpp"
#include "base/result.hpp"
#include "collector/config/config.hpp"

namespace polytrace::collector {

// What libnats made, given back by the function of its kind.
template <auto give_back>
struct GiveBack {
  template <class T>
  void operator()(T* thing) const {
    give_back(thing);
  }
};
using NatsMessage = std::unique_ptr<natsMsg, GiveBack<natsMsg_Destroy>>;
using NatsSubscription = std::unique_ptr<natsSubscription, GiveBack<natsSubscription_Destroy>>;

// 16 hexadecimal digits, which nobody else has.
std::string new_bus_name();

class BusLink {
 public:
  // `inbox`: what the subjects of answers to us begin with, which nobody else should be allowed to
  // listen to. Errors: open_failed, with what the broker says.
  static base::result<std::unique_ptr<BusLink>> open(const Config& config,
                                                     const std::string& inbox);
  BusLink(const BusLink&) = delete;
  BusLink& operator=(const BusLink&) = delete;

  natsConnection* connection() const { return connection_.get(); }
  jsCtx* stream() const { return stream_.get(); }
  bool is_closed() const { return natsConnection_IsClosed(connection()); }
  // Whether the broker forbade something of what was done over it.
  bool is_forbidden() const;
  // In words, with what the broker said of this connection where it did. `code`: JetStream's.
  base::Unexpected fault(const std::string& what, natsStatus status, jsErrCode code = {}) const;

 private:
  explicit BusLink(std::string name) : name_(std::move(name)) {}

  std::string name_;
  std::unique_ptr<natsConnection, GiveBack<natsConnection_Destroy>> connection_{};
  std::unique_ptr<jsCtx, GiveBack<jsCtx_Destroy>> stream_{};
};

}  // namespace polytrace::collector
