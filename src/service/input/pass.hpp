// SPDX-License-Identifier: Apache-2.0
// Running an input through a consumer, and how that went.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "event/pump.hpp"
#include "service/input/input.hpp"

namespace polytrace::service {

// How a pass went.
struct Passed {
  event::PumpOutcome outcome{};
  std::vector<base::Notice> notices{};  // in order of the first place
  bool interrupted = false;             // by Asking::stop: what was read so far counts
  bool stopped_early = false;           // InputOptions::strict met a problem

  // Of an answer: limits that were reached, as Analysis::limits().
  void add_limits(const std::vector<std::string>& limits);
  // Whether something of the input is missing. Notices that cost nothing do not count.
  bool is_partial() const;
  std::uint64_t bytes_lost() const;
  // The largest exit code (base::CodeInfo) of the error and the notices.
  int worst() const;
  // The whole input was read, and nothing of it is missing.
  bool is_clean() const { return !interrupted && !stopped_early && worst() == 0; }
};

// What was read.
struct Origin {
  std::string file;
  const format::Format* format = nullptr;
  std::string version;
};
inline Origin origin_of(const Input& input, const format::Opened& opened) {
  return {input.name(), opened.format, opened.reader->version()};
}

// A trace that was read, and how that went.
struct Reading {
  Origin origin{};
  Passed passed{};
};

// Why there is no answer.
struct Refusal {
  base::Error error;
  std::string file{};              // that it is about; empty: the question itself
  std::optional<Passed> passed{};  // the pass that showed it, where its notices tell more
};
template <class T>
using Asked = tl::expected<T, Refusal>;
inline tl::unexpected<Refusal> refuse(base::Error error, std::string file = {}) {
  return tl::unexpected(Refusal{std::move(error), std::move(file)});
}

// In order of their places. A growing file always ends inside a frame that is still being written:
// that is none where it is followed.
std::vector<base::Notice> notices_of(const base::Notices& notices, bool follow);

// Runs the whole input through `consumer`, watched, until its end, Asking::stop or, with
// InputOptions::strict, the first problem.
Passed pass(const Input& input, event::Reader& reader, event::Consumer& consumer);
// The same for a rewriter, which is not finished by it.
Passed pass(const Input& input, format::Rewriter& rewriter);

// A part never takes the place of a whole file: whether one at `output` stays as it is.
bool keeps_old(const Passed& passed, const std::string& output);

}  // namespace polytrace::service
