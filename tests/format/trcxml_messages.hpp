// SPDX-License-Identifier: Apache-2.0
// TPTP XML as messages and back, for tests.
#pragma once

#include <string>
#include <vector>

#include "format/tptp/xml/reader.hpp"
#include "format/tptp/xml/writer.hpp"

namespace polytrace::format::test {

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

struct Messages final : tptp::Receiver {
  std::vector<std::string> lines;  // tptp::to_text()
  std::string document;            // written again
  std::vector<std::string> losses;
  base::Notices notices;

  void take(const tptp::Message& message, std::uint64_t, std::size_t) override {
    lines.push_back(tptp::to_text(message));
    tptp::append_element(document, message);
  }
  void lost(std::string_view element, std::string_view name) override {
    losses.push_back(std::string(element) + "." + std::string(name));
  }
};

inline Messages messages_of(std::unique_ptr<base::Source> source, const base::Limits& limits = {},
                            const tptp::ParseOptions& options = {}) {
  Messages messages;
  auto reader = tptp::XmlMessageReader::open(std::move(source), limits, messages, options);
  while (reader && *(*reader)->next()) {
  }
  if (reader) messages.notices = (*reader)->notices();
  return messages;
}

inline Messages messages_of(std::string_view text) {
  return messages_of(base::memory_source(bytes_of(text)));
}

}  // namespace polytrace::format::test
