// SPDX-License-Identifier: Apache-2.0
// One call of an indexed trace: found by where it stands, and what happened in it. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/trace/indexed_trace.hpp"

namespace polytrace::service {

// What names a call for good: "calls:3/7/85278695", thread, row (how many callers) and start; ".2",
// ".3" behind it are further ones of the same row and start.
struct CallAddress {
  std::uint32_t thread = 0;  // index
  std::uint32_t row = 0;
  std::int64_t start = 0;  // offset
  std::uint32_t nth = 1;
};
std::string to_text(const CallAddress& address);
std::optional<CallAddress> parse_call_address(std::string_view text);

struct CallFacts {
  CallAddress address{};
  std::int64_t end = 0;
  bool is_open = false;  // nobody ended it: it lasts to its thread's last event
  std::uint32_t method = 0;
  // Of what is in it; nothing where it was not asked for.
  struct Inside {
    std::uint64_t self = 0;     // ns
    std::uint64_t blocked = 0;  // ns, of all that is in it; so are the next two
    std::uint64_t waiting = 0;
    std::uint64_t paused = 0;
    std::uint64_t calls = 0;  // that it and those in it made
    std::uint64_t bytes = 0;  // allocated
    std::uint64_t objects = 0;
  };
  std::optional<Inside> inside{};
};

enum class CallDetail : std::uint8_t { place, inside };
// Errors: those of frames; value_unexpected where there is no such call.
base::result<CallFacts> call_facts(const IndexedTrace& trace, store::SliceId call,
                                   CallDetail detail, const std::atomic<bool>* stop);

// Nothing where there is no such call. Errors: those of frames.
base::result<std::optional<store::SliceId>> find_call(const IndexedTrace& trace,
                                                      const CallAddress& address);
// The calls that are open at a moment, outermost first.
base::result<std::vector<store::SliceId>> calls_at(const IndexedTrace& trace, std::uint32_t thread,
                                                   std::int64_t at);

}  // namespace polytrace::service
