// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/writer.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/codes.hpp"
#include "base/limits.hpp"
#include "base/text/utf8.hpp"
#include "event/visit.hpp"

namespace polytrace::format::mlpd {
namespace {

using event::Kind;

constexpr std::size_t kReadyBytes = 256 * 1024;

// What readers, this one too, take in a file's header, with the zero byte behind it.
std::string_view fitting_header(std::string_view text) {
  std::size_t most = base::Limits{}.header_text - 1;
  if (text.size() <= most) return text;
  while (most > 0 && base::continues_character(text[most])) --most;  // no part of a character
  return text.substr(0, most);
}

// "3.0" to its two numbers; 0.0 when it is something else.
void parse_writer_version(std::string_view text, FileHeader& header) {
  const char* end = text.data() + text.size();
  std::uint8_t major = 0;
  std::uint8_t minor = 0;
  const auto [dot, fault] = std::from_chars(text.data(), end, major);
  if (fault != std::errc{} || dot == end || *dot != '.') return;
  std::from_chars(dot + 1, end, minor);
  header.major = major;
  header.minor = minor;
}

// The header's layout follows from major, so it must fit the data version (format, section 6).
void fit_writer_version(FileHeader& header) {
  const bool fits = header.version >= 16 ? header.major >= 3 : header.major == 0;
  if (fits) return;
  header.major = header.version >= 16 ? 3 : 0;
  header.minor = header.version >= 16 ? 0 : 2;
}

}  // namespace

base::result<std::unique_ptr<event::Writer>> MlpdWriter::create(std::unique_ptr<base::Sink> sink,
                                                                const WriteOptions& options) {
  if (!options.version.empty() && options.version != "17" && options.version != "1")
    return base::fail(base::Code::version_unsupported,
                      fmt::format("mlpd is written in versions 17 and 1, not {}", options.version));
  return std::make_unique<MlpdWriter>(std::move(sink), options.version == "1" ? 1 : 17);
}

base::result<void> MlpdWriter::write(const event::Batch& batch) {
  batch_ = &batch;
  for (std::size_t at = 0; at < batch.events.size();) {
    const std::size_t calls = put_calls(at);
    at += calls != 0 ? calls : put(at);
  }
  lost_of_calls_.tell(loss_);
  return ready_.size() >= kReadyBytes ? flush() : base::result<void>{};
}

base::result<void> MlpdWriter::finish() {
  release_all();
  if (!header_done_) append_header();
  close_buffer();
  // As a killed recorder leaves it: in the middle of a buffer's header.
  if (leave_open_) ready_.fixed(kBufferId);
  if (auto done = flush(); !done) return done;
  return sink_->commit();
}

base::result<void> MlpdWriter::flush() {
  auto done = sink_->write(ready_.view());
  ready_.clear();
  return done;
}

void MlpdWriter::close_buffer() {
  if (!records_.empty()) records_.close(ready_);
}

void MlpdWriter::tell(const event::Event& event, const event::Process& process) {
  if (header_done_ || have_process_) return lose(event);
  have_process_ = true;
  const auto lost = [&](bool told, std::string_view name) {
    if (told) loss_.field(event.kind, name);
  };
  lost(!process.name.empty(), "name");
  lost(!process.command.empty(), "command");
  lost(!process.runtime.empty() && process.runtime != "Mono", "runtime");
  lost(!process.runtime_version.empty(), "runtime_version");
  lost(!process.node.empty(), "node");
  lost(!process.host.empty(), "host");
  lost(!process.address.empty(), "address");
  lost(!process.agent.empty() && process.agent != "log", "agent");
  header_.pid = static_cast<std::int32_t>(event.id);
  header_.port = static_cast<std::uint16_t>(process.port);
  header_.pointer_size = process.pointer_size == 4 ? 4 : 8;
  const auto kept = [&](std::string_view text, std::string_view name) {
    const std::string_view fitting = fitting_header(text);
    lost(fitting.size() < text.size(), name);
    return std::string(fitting);
  };
  header_.arguments = kept(process.options, "options");
  header_.architecture = kept(process.architecture, "architecture");
  header_.os = kept(process.os, "os");
  if (process.agent == "log") parse_writer_version(process.agent_version, header_);
}

void MlpdWriter::tell(const event::Event& event, const event::Clock& clock) {
  constexpr base::Duration kMillisecond = 1'000'000;
  if (header_done_ || have_clock_) return lose(event);
  have_clock_ = true;
  if (clock.ticks_per_second != 0) loss_.field(event.kind, "ticks_per_second");
  if (clock.resolution != 0) loss_.field(event.kind, "resolution");
  header_.startup_ns = event.time;
  header_.startup_ms = clock.wall == base::kNoTime ? 0 : clock.wall / kMillisecond;
  header_.overhead_ns = static_cast<std::int32_t>(clock.overhead);
}

void MlpdWriter::append_header() {
  header_.version = static_cast<std::uint8_t>(version_);
  fit_writer_version(header_);
  append_file_header(ready_, header_);
  header_done_ = true;
}

}  // namespace polytrace::format::mlpd
