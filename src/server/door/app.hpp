// SPDX-License-Identifier: Apache-2.0
// The server: its addresses, who may ask, and who answers. One for a process.
#pragma once

#include "http/listener.hpp"
#include "server/http/faults.hpp"
#include "server/jobs.hpp"
#include "server/offers.hpp"

namespace polytrace::server {

class App final : public http::Answerer {
 public:
  App(Options options, std::string token);

  Traces& traces() { return offers_.traces; }
  const std::string& token() const { return token_; }
  std::optional<Reply> refuse(const Request& head) override;
  std::uint64_t most_body(const Request& head) const override;
  Reply broken(http::Broken what, std::string_view detail) override;
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
  Jobs store_jobs_;
};

}  // namespace polytrace::server
