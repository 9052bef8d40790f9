// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog/lines/sample.hpp"

#include "format/tracelog/lines/records.hpp"

namespace polytrace::format::tracelog {
namespace {

bool take_frames(Scan& scan, Frames& frames) {
  frames.clear();
  while (!scan.rest().empty()) {
    base::Id method = base::kNoId;
    std::uint64_t ip = 0;
    if (!scan.gap() || !scan.iid(method)) return false;
    if (scan.take(':') && !scan.ip(ip)) return false;
    frames.push(method, ip);
  }
  return true;
}

}  // namespace

bool parse_sample(std::string_view line, SampleLine& sample) {
  Scan scan(line);
  scan.skip(kKeyBytes);
  const bool head = scan.gap() && scan.wide_iid(sample.thread) && scan.gap() &&
                    scan.dec(sample.timestamp) && scan.gap() && scan.dec(sample.count) &&
                    scan.gap() && scan.dec(sample.prefix) && scan.take(':') &&
                    scan.dec(sample.size);
  if (!head) return false;
  sample.ip = 0;
  sample.has_ip = scan.take(':');
  if (sample.has_ip && !scan.ip(sample.ip)) return false;
  if (!take_frames(scan, sample.frames)) return false;
  return sample.prefix <= sample.size && sample.prefix <= kDeepest &&
         sample.frames.size() <= kDeepest - sample.prefix;
}

Applied apply(const SampleLine& sample, Frames& stack) {
  Applied applied;
  const auto prefix = static_cast<std::size_t>(sample.prefix);
  applied.desync = sample.size != stack.size();
  if (prefix == 0) stack.clear();
  else if (prefix != stack.size()) stack.resize(prefix);
  if (sample.has_ip) {
    applied.call_point_alone = prefix == 0;
    if (prefix != 0 && sample.ip != 0 && !stack.has_ips) stack.start_ips();
    if (prefix != 0 && stack.has_ips) stack.ips.back() = sample.ip;
  }
  const Frames& pushed = sample.frames;
  if (pushed.size() == 0) return applied;
  if (pushed.has_ips && !stack.has_ips) stack.start_ips();
  stack.methods.append({pushed.methods.begin(), pushed.methods.end()});
  if (!stack.has_ips) return applied;
  if (pushed.has_ips) stack.ips.insert(stack.ips.end(), pushed.ips.begin(), pushed.ips.end());
  else stack.ips.resize(stack.methods.size(), 0);
  return applied;
}

}  // namespace polytrace::format::tracelog
