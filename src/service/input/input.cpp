// SPDX-License-Identifier: Apache-2.0
#include "service/input/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "base/codes.hpp"
#include "base/io/compressed_source.hpp"
#include "base/io/live_source.hpp"
#include "base/io/scratch_file.hpp"
#include "store/store.hpp"

namespace polytrace::service {
namespace {

// The descriptor of a file with all of standard input; the caller closes it.
base::result<int> spool_standard_input(const Asking& asking) {
  base::ScratchFile file;
  std::vector<std::byte> piece(std::size_t{256} * 1024);
  while (!asking.is_stopped()) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return base::system_fault(base::Code::read_failed);
    auto put = file.append(std::span(piece).first(static_cast<std::size_t>(got)));
    if (!put) return base::Unexpected(put.error());
  }
  return file.release();
}

// "mlpd" of "mlpd 17", as an index tells it.
std::string first_word(const std::string& text) {
  return {text.begin(), std::ranges::find(text, ' ')};
}

}  // namespace

Input::Input(InputOptions options, Asking asking)
    : options_(std::move(options)), asking_(std::move(asking)), path_(options_.file) {}

Input::~Input() {
  if (spool_ >= 0) close(spool_);
}

base::result<void> Input::prepare_passes() {
  if (options_.follow)
    return base::fail(base::Code::usage,
                      "--follow reads once: give times as the trace's own clock (plain "
                      "nanoseconds) and threads by id, without --name or --order time");
  if (options_.file != "-" || spool_ >= 0) return {};
  const auto spooled = spool_standard_input(asking_);
  if (!spooled) return base::Unexpected(spooled.error());
  spool_ = *spooled;
  path_ = fmt::format("/dev/fd/{}", spool_);
  return {};
}

event::ReadOptions Input::read_options() const { return {{}, options_.resync, options_.segments}; }

base::result<format::Recognised> Input::recognise() const { return recognise(nullptr, nullptr); }

base::result<format::Recognised> Input::recognise(const std::atomic<bool>* stop_waiting,
                                                  base::ContentHash* content) const {
  if (path_ == "-" && isatty(STDIN_FILENO) == 1)
    return base::fail(base::Code::usage, "standard input is a terminal: name a file");
  base::SourceOptions source_options;
  if (options_.follow) source_options.stop_following = asking_.stop;
  source_options.content = content;
  auto source = base::open_live_source(path_, source_options, stop_waiting);
  if (!source) return base::Unexpected(source.error());
  return format::recognise(std::move(*source));
}

std::optional<format::Opened> Input::open_index() const {
  const bool as_it_is = options_.segments.empty() && !options_.follow && !options_.resync &&
                        !options_.strict && options_.file != "-";
  if (!options_.index.offered || options_.index.none || !as_it_is) return std::nullopt;
  if (const auto& held = options_.index.held; held != nullptr)
    if (const format::Format* format = format::find_format(first_word(held->facts().format)))
      return format::Opened{format, held->reader()};
  if (!std::exchange(looked_, true))
    choice_ = open_if_current(options_.file, options_.index.folder, asking_.stop);
  if (!choice_.index) return std::nullopt;
  return choice_.index->open();
}

base::result<format::Opened> Input::open() const {
  if (auto indexed = open_index()) return std::move(*indexed);
  return open_trace();
}

base::result<format::Opened> Input::open_trace(base::ContentHash* content) const {
  return open_recognised(recognise(nullptr, content));
}

base::result<format::Opened> Input::open_live() const {
  return open_recognised(recognise(asking_.stop, nullptr));
}

base::result<format::Opened> Input::open_recognised(base::result<format::Recognised> found) const {
  if (!found) return base::Unexpected(found.error());
  auto reader = found->format->open(std::move(found->source), read_options());
  if (!reader) return base::Unexpected(reader.error());
  return format::Opened{found->format, std::move(*reader)};
}

std::string_view compression_name(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "unknown";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "unknown";
  std::array<std::byte, 4> head{};
  const ssize_t got = pread(fd, head.data(), head.size(), 0);
  close(fd);
  const std::size_t size = got > 0 ? static_cast<std::size_t>(got) : 0;
  switch (base::recognise_compression(base::Bytes(head).first(size))) {
    case base::Compression::gzip: return "gzip";
    case base::Compression::zstd: return "zstd";
    case base::Compression::none: break;
  }
  return "none";
}

}  // namespace polytrace::service
