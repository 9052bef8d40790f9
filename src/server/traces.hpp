// SPDX-License-Identifier: Apache-2.0
// The traces that are open: each is indexed in the background, then answers. Any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/trace/tracks.hpp"
#include "store/source/source_identity.hpp"

namespace polytrace::server {

enum class TraceState : std::uint8_t { opening, indexing, ready, failed };
// "opening", "indexing", "ready", "failed"
std::string_view word_of(TraceState state);

// What is known of one at a moment.
struct TraceView {
  std::string id{};
  std::string file{};  // as it is named
  TraceState state = TraceState::opening;
  std::uint64_t read = 0;  // bytes of its file, while it is indexed
  std::uint64_t size = 0;
  double seconds_left = -1;                              // below 0: not known
  std::optional<service::Refusal> error{};               // of one that failed
  std::shared_ptr<const service::IndexedTrace> trace{};  // of one that is ready
  std::shared_ptr<const service::Tracks> tracks{};
  store::SourceFacts facts{};                    // of its file when it was opened
  std::shared_ptr<store::SourceWatch> source{};  // its file, of one that is ready
};

class Traces {
 public:
  explicit Traces(service::IndexOptions index) : index_(std::move(index)) {}
  ~Traces();
  Traces(const Traces&) = delete;
  Traces& operator=(const Traces&) = delete;

  // The id of the file's trace, which is being opened from now on, or was there with the same
  // content; `shown` is how it is named; `held` lives as long as the trace is open; its index is
  // where all are, or `fleeting`, which leaves none behind. Errors: those of
  // store::identify(), and what is not recognised.
  base::result<std::string> add(const std::string& file, const std::string& shown,
                                std::shared_ptr<const void> held = {}, bool fleeting = false);
  std::vector<TraceView> all() const;
  std::optional<TraceView> find(std::string_view id) const;
  // Stops what is being indexed and waits for it.
  void finish();

 private:
  struct Open {
    std::string path{};
    std::shared_ptr<const void> held{};
    bool fleeting = false;
    TraceView view{};
    std::thread builder{};
  };
  base::result<std::string> id_for(const std::string& file) const;
  void build(Open& open);
  void set(Open& open, const std::function<void(TraceView&)>& change);

  service::IndexOptions index_;
  std::atomic<bool> stop_ = false;
  std::mutex building_;       // one at a time: each uses all cores
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Open>> open_;
};

}  // namespace polytrace::server
