// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a client sends: frames, bodies and the old XML commands are read without fault;
// frames say the same whatever the pieces they arrive in.
#include <algorithm>

#include "agent/control/protocol/frames.hpp"
#include "agent/control/protocol/legacy.hpp"
#include "support/require.hpp"

namespace {

using namespace polytrace::agent::control;

struct Heard {
  std::size_t frames = 0, items = 0, commands = 0;
  std::uint64_t sum = 0;
  bool operator==(const Heard&) const = default;
};

void hear_body(View body, Heard& heard) {
  Items items(body);
  for (Item item; items.next(item); ++heard.items)
    heard.sum += item.value() + item.text().size() + figure_of(item).value;
}

Heard hear_frames(View bytes, std::size_t portion) {
  Heard heard;
  FrameBuffer buffer(kMaxCommand);
  auto cut = FrameBuffer::Cut::more;
  while (!bytes.empty() && cut != FrameBuffer::Cut::impossible) {
    const std::size_t size = std::min(portion, bytes.size());
    buffer.append(bytes.first(size));
    bytes = bytes.subspan(size);
    for (Frame frame; (cut = buffer.next(frame)) == FrameBuffer::Cut::frame; ++heard.frames) {
      Bytes again;
      append_frame(again, frame);
      heard.sum += again.size();
      hear_body(frame.body, heard);
    }
  }
  return heard;
}

Heard hear_commands(std::string_view text, std::size_t portion) {
  Heard heard;
  LegacyReader reader;
  auto cut = LegacyReader::Cut::more;
  LegacyCommand command;
  while (!text.empty() && cut != LegacyReader::Cut::impossible) {
    reader.append(text.substr(0, portion));
    text.remove_prefix(std::min(portion, text.size()));
    while ((cut = reader.next(command)) == LegacyReader::Cut::command) {
      ++heard.commands;
      heard.sum += static_cast<std::uint64_t>(command.verb) + (command.has_format ? 16U : 0U);
    }
  }
  return heard;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool legacy = looks_legacy(text);
  polytrace::fuzz::require(size >= 4 || text.starts_with("\xef\xbb\xbf") || !legacy);
  polytrace::fuzz::require(hear_frames({data, size}, 7) == hear_frames({data, size}, 4096));
  hear_commands(text, 4096);
  hear_commands(text, 97);
  return 0;
}
