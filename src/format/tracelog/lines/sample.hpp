// SPDX-License-Identifier: Apache-2.0
// `sam str`: a stack told as a difference to the one before, and the stacks that come of it.
// docs/formats/tracelog.md, section 5.
#pragma once

#include <vector>

#include "base/raw_array.hpp"
#include "format/tracelog/lines/scan.hpp"

namespace polytrace::format::tracelog {

// What a log says of frames beyond is not believed: a line of 20 bytes could name any number.
inline constexpr std::size_t kDeepest = 65'536;

// An array that can be copied.
class FrameIds : public base::RawArray<base::Id> {
 public:
  FrameIds() = default;
  FrameIds(const FrameIds& other) : RawArray() { append({other.begin(), other.end()}); }
  FrameIds& operator=(const FrameIds& other) {
    if (this == &other) return *this;
    clear();
    append({other.begin(), other.end()});
    return *this;
  }
  FrameIds(FrameIds&&) = default;
  FrameIds& operator=(FrameIds&&) = default;
  ~FrameIds() = default;
};

// Frames from the caller to the callee. Call points are kept from the first one on that is told.
struct Frames {
  FrameIds methods;                // kNoId for "?"
  std::vector<std::uint64_t> ips;  // 0 = not told; as many as methods when has_ips
  bool has_ips = false;

  std::size_t size() const { return methods.size(); }
  void clear() {
    methods.clear();
    ips.clear();
    has_ips = false;
  }
  void push(base::Id method, std::uint64_t ip) {
    methods.push(method);
    if (ip != 0 && !has_ips) start_ips();
    else if (has_ips) ips.push_back(ip);
    if (ip != 0) ips.back() = ip;
  }
  void resize(std::size_t size) {
    while (methods.size() < size) methods.push(base::kNoId);
    methods.cut(size);
    if (has_ips) ips.resize(size, 0);
  }
  void start_ips() {
    has_ips = true;
    ips.assign(methods.size(), 0);
  }
};

struct SampleLine {
  base::Id thread = base::kNoId;
  std::uint64_t timestamp = 0;
  std::uint64_t count = 0;
  std::uint64_t prefix = 0;
  std::uint64_t size = 0;
  std::uint64_t ip = 0;
  bool has_ip = false;
  Frames frames;  // memory is reused

  bool changes_nothing() const { return prefix == size && !has_ip && frames.size() == 0; }
};

// False when the line is malformed, which a prefix longer than the stack also is, and a stack that
// gets deeper than kDeepest. `line` as parse_line() wants it, with the key "sam str".
bool parse_sample(std::string_view line, SampleLine& sample);

struct Applied {
  bool desync = false;            // the stack was not as deep as the line says
  bool call_point_alone = false;  // a call point, but no frame that it belongs to
};
Applied apply(const SampleLine& sample, Frames& stack);

}  // namespace polytrace::format::tracelog
