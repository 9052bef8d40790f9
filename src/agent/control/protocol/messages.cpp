// SPDX-License-Identifier: Apache-2.0
#include "agent/control/protocol/messages.hpp"

#include <array>

namespace polytrace::agent::control {
namespace {

enum class Who : std::uint8_t { nobody, anybody, observer, controller };

struct Row {
  Message message;
  Who who;
  std::string_view text;
};

constexpr std::array kRows = {
#define MESSAGE(name, number, who, text) Row{Message::name, Who::who, text},
#include "agent/control/protocol/messages.def"
#undef MESSAGE
};

const Row* row_of(Message message) {
  for (const Row& row : kRows) {
    if (row.message == message) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view name_of(Message message) {
  const Row* row = row_of(message);
  return row == nullptr ? "?" : row->text;
}

bool may_be_sent(Message message, Right& needed) {
  const Row* row = row_of(message);
  if (row == nullptr || row->who == Who::nobody) return false;
  needed = row->who == Who::anybody    ? Right::none
           : row->who == Who::observer ? Right::observe
                                       : Right::control;
  return true;
}

std::string_view name_of(Outcome outcome) {
  constexpr std::array<std::string_view, 6> kNames = {"ok",          "unsupported", "forbidden",
                                                      "wrong state", "invalid",     "failed"};
  const auto index = static_cast<std::size_t>(outcome);
  return index < kNames.size() ? kNames[index] : "?";
}

}  // namespace polytrace::agent::control
