// SPDX-License-Identifier: Apache-2.0
// A TPTP trace with a message of one's own: a program that draws pictures tells how long each took.
// The message is registered, written and read again, once as TBF and once as XML. Prints the events
// of both; fails when they differ.
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include "base/io/sink.hpp"
#include "base/io/source.hpp"
#include "event/text/text.hpp"
#include "format/format.hpp"
#include "format/tptp/tbf/messages.hpp"
#include "format/tptp/xml/writer.hpp"

namespace {

using namespace polytrace;
namespace tptp = format::tptp;

// The message's attributes, in wire order.
enum Picture : unsigned { thread_id_ref, time, name, milliseconds };

// Makes the events of one message; called on several threads at once, each with its own batch.
void tell_picture(const tptp::Message& message, base::Time now, event::Batch& batch) {
  const auto thread = batch.thread_slot(static_cast<base::Id>(message.number(thread_id_ref)));
  event::CounterValue value;
  value.type = event::CounterType::real;
  value.real = std::bit_cast<double>(message.number(milliseconds));
  batch.add(now, thread, base::kNoId, event::Note{batch.keep(message.text(name))});
  batch.add(now, thread, 1, value);
}

base::result<const tptp::MessageInfo*> register_picture() {
  using tptp::Meaning;
  using tptp::Type;
  return tptp::register_message({.id = 1100,
                                 .element = "picture",
                                 .attributes = {{Type::i64, "threadIdRef", Meaning::thread},
                                                {Type::i64, "time", Meaning::time},
                                                {Type::str, "name"},
                                                {Type::f64, "milliseconds"}},
                                 .handler = tell_picture});
}

// Any writer of messages.
template <class Writer>
bool write_trace(Writer&& writer, const tptp::MessageInfo& picture) {
  tptp::Message message;
  using Start = tptp::field::ThreadStart;
  message.reset(*tptp::find_message(Start::kId));
  message.set_number(Start::thread_id, 7);
  message.set_number(Start::time, 1'185'890'426'000'000'000);
  message.set_text(Start::thread_name, "painter");
  if (!writer.write(message)) return false;
  for (std::int64_t i = 1; i <= 3; ++i) {
    message.reset(picture);
    message.set_number(thread_id_ref, 7);
    message.set_number(time, 1'185'890'426'000'000'000 + i * 20'000'000);
    message.set_text(name, i == 2 ? "a <large> one" : "a small one");
    message.set_number(milliseconds, std::bit_cast<std::int64_t>(i == 2 ? 12.75 : 3.5));
    if (!writer.write(message)) return false;
  }
  return writer.finish().has_value();
}

// As canonical text, without the clock: that tells ticks in TBF only.
std::string read_trace(std::vector<std::byte> bytes) {
  std::string lines;
  auto opened = format::open(base::memory_source(std::move(bytes)));
  event::Batch batch;
  while (opened && opened->reader->next(batch).value_or(false)) {
    for (const event::Event& event : batch.events) {
      if (event.kind != event::Kind::Clock) lines += event::to_text(batch, event) + "\n";
    }
  }
  return lines;
}

}  // namespace

int main() {
  const auto picture = register_picture();
  if (!picture) return std::fprintf(stderr, "%s\n", base::to_text(picture.error()).c_str()), 1;
  std::vector<std::byte> tbf;
  std::vector<std::byte> xml;
  constexpr std::uint8_t kPlatform64 = 1;
  const bool written = write_trace(tptp::TbfMessageWriter(base::memory_sink(tbf),
                                                          tptp::ByteOrder::little, kPlatform64),
                                   **picture) &&
                       write_trace(tptp::DocumentWriter(base::memory_sink(xml)), **picture);
  if (!written) return 1;
  std::printf("%.*s\n", static_cast<int>(xml.size()), reinterpret_cast<const char*>(xml.data()));
  const std::string from_tbf = read_trace(std::move(tbf));
  const std::string from_xml = read_trace(std::move(xml));
  std::printf("From TBF:\n%s\nFrom XML:\n%s", from_tbf.c_str(), from_xml.c_str());
  const bool complete = from_tbf.find("12.75") != std::string::npos;
  return complete && from_tbf == from_xml ? 0 : 1;
}
