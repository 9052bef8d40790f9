// SPDX-License-Identifier: Apache-2.0
// Ids of nodes, processes, agents and traces, which hang each message under another one. Where
// none is told one is made, of what is told; who reads it back knows it by its form and takes it
// for none. docs/decisions/0010-links-are-made.md
#pragma once

#include <string>
#include <string_view>

#include "base/types.hpp"

namespace polytrace::format::tptp {

// `whole` is a trace of which no event tells: the file itself.
enum class Link : std::uint8_t { node, process, agent, trace, whole };

// The same for the same link, parent, text and number, on every machine.
std::string make_link(Link link, std::string_view parent, std::string_view text,
                      std::int64_t number);
bool is_made_link(Link link, std::string_view id);

// What messages of a stream hang under: the ids that were written last, empty when none was.
struct Links {
  std::string node{};
  std::string process{};
  std::string agent{};
  std::string trace{};
  std::string owner{};  // the trace's agent
};

}  // namespace polytrace::format::tptp
