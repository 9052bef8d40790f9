// SPDX-License-Identifier: Apache-2.0
#include "cli/select/thread_names.hpp"

#include <algorithm>

#include "base/io/source.hpp"
#include "event/pump.hpp"
#include "format/format.hpp"

namespace polytrace::cli {
namespace {

constexpr std::uint64_t kMostEvents = 8'000'000;

bool can_be_typed(std::string_view name) {
  return std::ranges::none_of(
      name, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

class ThreadNames final : public event::Consumer {
 public:
  std::vector<std::string> names;

  bool consume(const event::Batch& batch) override {
    if (!batch.column<event::Thread>().empty()) {
      for (const event::Event& event : batch.events) learn(batch, event);
    }
    seen_ += batch.events.size();
    return seen_ < kMostEvents;
  }

 private:
  void learn(const event::Batch& batch, const event::Event& event) {
    if (event.kind != event::Kind::Thread || event.detail == event::kAbsent) return;
    const std::string_view name = batch.details<event::Thread>(event).name;
    if (!name.empty() && can_be_typed(name) && std::ranges::find(names, name) == names.end())
      names.emplace_back(name);
  }
  std::uint64_t seen_ = 0;
};

}  // namespace

std::vector<std::string> quick_thread_names(const std::string& file) {
  ThreadNames consumer;
  if (auto source = base::open_source(file)) {
    if (auto opened = format::open(std::move(*source))) event::pump(*opened->reader, consumer);
  }
  return consumer.names;
}

}  // namespace polytrace::cli
