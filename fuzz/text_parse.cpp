// SPDX-License-Identifier: Apache-2.0
// Any line: what parses prints, and what prints parses to the same event.
#include "event/text/text.hpp"
#include "support/compare.hpp"
#include "support/require.hpp"

using polytrace::fuzz::require;
namespace event = polytrace::event;
namespace test = polytrace::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  event::Batch batch;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (!event::parse_text(line, batch)) {
    require(batch.events.empty());
    return 0;
  }
  const std::string text = event::to_text(batch, batch.events[0]);
  event::Batch again;
  require(event::parse_text(text, again).has_value());
  require(test::same_event(batch, batch.events[0], again, again.events[0]));
  require(event::to_text(again, again.events[0]) == text);
  return 0;
}
