// SPDX-License-Identifier: Apache-2.0
// The server: its addresses, who may ask, and who answers. One for a process.
#pragma once

#include "server/http/listener.hpp"
#include "server/jobs.hpp"
#include "server/offers.hpp"

namespace polytrace::server {

class App final : public Answerer {
 public:
  App(Options options, std::string token);

  Traces& traces() { return offers_.traces; }
  const std::string& token() const { return token_; }
  std::optional<Reply> refuse(const Request& head) override;
  void answer(Request request, Stop stop, Done done) override;
  // What is being asked ends; nothing more is answered. Before the listener goes.
  void finish();

 private:
  Reply page_file(const Request& request) const;

  Offers offers_;
  std::string token_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;  // guards what follows
  std::vector<std::weak_ptr<std::atomic<bool>>> stops_;
  Jobs jobs_;
};

}  // namespace polytrace::server
