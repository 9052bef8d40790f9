// SPDX-License-Identifier: Apache-2.0
// The events of a trace that somebody chose, one a line (`cat`).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "service/input/pass.hpp"
#include "service/selection/selection.hpp"

namespace polytrace::service {

struct EventsQuestion {
  enum class Order : std::uint8_t { file, time };  // by time over all threads: held in memory
  enum class Form : std::uint8_t { text, json_lines };

  SelectionOptions selection{};  // the name: what is about a method, class or thread of it
  std::optional<slice::Selection> chosen{};  // instead of it
  std::string kinds{};                       // names, separated by commas; empty: all
  Order order = Order::file;
  Form form = Form::text;
  std::uint64_t skip = 0;   // leave out so many of the first
  std::uint64_t limit = 0;  // stop after so many; 0: never
};

// Where the lines go: appended to `text`. `drain` is called behind each batch, and when much has
// gathered; it may take the text away. False: nobody wants more.
struct EventLines {
  std::string& text;
  std::function<bool()> drain;
};

struct EventsAnswer {
  Reading reading{};
  bool whole = true;  // false: more than can be held to be ordered
  std::uint64_t printed = 0;
};
Asked<EventsAnswer> ask_events(Input& input, const EventsQuestion& question,
                               const EventLines& lines);

}  // namespace polytrace::service
