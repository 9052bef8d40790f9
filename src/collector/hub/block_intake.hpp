// SPDX-License-Identifier: Apache-2.0
// Requests that bring rows, into the outbox: one thread looks at all that wait, appends what they
// bring, and answers once it is on the medium, with one sync for all. 429 with Retry-After: the
// outbox is above its mark, or too much waits.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "collector/config/config.hpp"
#include "collector/door/door.hpp"
#include "collector/keep/outbox.hpp"

namespace polytrace::collector {

class BlockIntake {
 public:
  // What a request brings: blocks and the reply once they are kept, or no blocks and the reply.
  struct Brought {
    std::vector<Block> blocks{};
    http::Reply reply{};
    std::function<void()> kept{};  // called before the reply; may be empty
  };
  // `look_at` is called by the one thread, `more` when the outbox has more. All outlive it.
  BlockIntake(Outbox& outbox, std::function<Brought(Call&)> look_at, std::function<void()> more,
              Figures& figures, Tell tell);
  BlockIntake(const BlockIntake&) = delete;
  BlockIntake& operator=(const BlockIntake&) = delete;
  // Who waits is not answered any more: what was not answered comes again.
  ~BlockIntake();

  // Any thread.
  void take(Call call);

 private:
  void run();
  void work_on(std::vector<Call> calls);
  base::result<void> append(const std::vector<Block>& blocks);

  Outbox& outbox_;
  const std::function<Brought(Call&)> look_at_;
  const std::function<void()> more_;
  Figures& figures_;
  Tell tell_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::vector<Call> waiting_;
  std::uint64_t waiting_bytes_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

// Whose rows they are: null, where there are tenants and the caller is of none of them; "" is the
// store's own database.
const std::string* database_of(const Caller& caller, const std::vector<Tenant>& tenants);
// Told in the log, with who came and why, counted, and answered.
http::Reply refuse_call(Figures& figures, const Tell& tell, Refused why, unsigned status,
                        const Call& call, const std::string& text);

}  // namespace polytrace::collector
