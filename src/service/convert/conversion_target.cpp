// SPDX-License-Identifier: Apache-2.0
#include "service/convert/conversion_target.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/codes.hpp"
#include "service/words/words.hpp"

namespace polytrace::service {
namespace {

using format::Format;

std::vector<std::string> writable_formats() {
  std::vector<std::string> names;
  for (const Format* format : format::formats()) {
    if (format->create != nullptr) names.emplace_back(format->name);
  }
  return names;
}

base::result<const Format*> format_named(std::string_view name) {
  const Format* format = format::find_format(name);
  if (format != nullptr && format->create != nullptr) return format;
  return base::fail(
      base::Code::usage,
      fmt::format("{} format \"{}\"{}", format == nullptr ? "no" : "cannot write the", name,
                  format == nullptr ? did_you_mean(name, writable_formats()) : ""));
}

base::result<void> check_version(const Format& format, std::string_view version) {
  const auto versions = format.write_versions;
  if (std::ranges::find(versions, version) != versions.end()) return {};
  std::string known;
  for (const std::string_view one : versions) known += fmt::format(" {}", one);
  return base::fail(base::Code::usage, fmt::format("cannot write version \"{}\" of {}, only:{}",
                                                   version, format.name, known));
}

}  // namespace

base::result<const Format*> choose_format(const TargetOptions& options, const Format& input) {
  const Format* format = options.as_input ? nullptr : format::format_for_path(options.output);
  if (!options.to.empty()) {
    const auto named = format_named(options.to.substr(0, options.to.find(':')));
    if (!named) return named;
    format = *named;
  }
  if (format == nullptr) format = &input;
  if (format->create != nullptr) return format;
  return base::fail(base::Code::usage, fmt::format("cannot write the format \"{}\"", format->name));
}

base::result<Target> choose_target(const TargetOptions& options, const Format& format,
                                   std::string_view input_version) {
  const std::size_t colon = std::min(options.to.find(':'), options.to.size());
  std::string version = options.to.substr(std::min(colon + 1, options.to.size()));
  if (!version.empty() && !options.to_version.empty() && version != options.to_version)
    return base::fail(base::Code::usage, "--to and --to-version name different versions");
  if (version.empty()) version = options.to_version;
  if (options.as_input && check_version(format, input_version)) version = input_version;
  if (version.empty()) version = format.write_versions[0];
  if (auto good = check_version(format, version); !good) return base::Unexpected(good.error());
  if (!options.byte_order.empty() && !format.byte_orders)
    return base::fail(base::Code::usage,
                      fmt::format("{} has no choice of byte order", format.name));
  Target target{&format, {std::move(version)}};
  if (!options.byte_order.empty())
    target.write.byte_order = options.byte_order == "big" ? std::endian::big : std::endian::little;
  return target;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat left{}, right{};
  const int got_a = a == "-" ? fstat(STDIN_FILENO, &left) : stat(a.c_str(), &left);
  const int got_b = b == "-" ? fstat(STDOUT_FILENO, &right) : stat(b.c_str(), &right);
  return got_a == 0 && got_b == 0 && S_ISREG(left.st_mode) && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
}

base::result<std::unique_ptr<base::Sink>> open_target(const TargetOptions& options,
                                                      const std::string& input) {
  const std::string& output = options.output;
  if (is_same_file(input, output)) return base::fail(base::Code::output_is_input);
  if (output == "-" && isatty(STDOUT_FILENO) == 1)
    return base::fail(base::Code::usage,
                      "a trace is not written to a terminal: name a file, or a pipe");
  auto sink = base::create_sink(output, options.force);
  if (sink && output.ends_with(".gz")) return base::gzip_sink(std::move(*sink));
  if (sink && output.ends_with(".zst")) return base::zstd_sink(std::move(*sink));
  return sink;
}

}  // namespace polytrace::service
