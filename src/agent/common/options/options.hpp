// SPDX-License-Identifier: Apache-2.0
// The option string of an agent: `name=value,name=value,…`, read once at start. TPTP's strings are
// understood too: `JPIAgent:server=standalone,file=a.trcxml;CGProf:execdetails=true;HeapProf`.
//
// A part without `=` goes on with the list before it (filter=com.acme.*,-com.acme.gen.*), or is a
// switch. What is not understood is told in `faults` and left out. POLYTRACE_AGENT=off in the
// environment turns the agent off whatever the string says.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/common/options/filters.hpp"
#include "agent/common/options/labels.hpp"
#include "agent/common/tools/faults.hpp"

namespace polytrace::agent {

enum class Policy : unsigned char { block, drop, ring };
enum class ClockChoice : unsigned char { auto_, counter, monotonic, coarse };
enum class Mode : unsigned char { events, summary };
enum class AllocMode : unsigned char { none, sampled, sites, objects };
enum class Server : unsigned char { standalone, enabled, controlled };
inline constexpr std::uint64_t kAuto = UINT64_MAX;
inline constexpr std::uint32_t kMostFrames = 1024;  // of a recorded stack
enum class HeapDump : unsigned char { on_command, never, at_end };

// What to record. What a runtime cannot tell, its agent says and leaves out.
struct EventSet {
  bool calls = true;
  bool threads = true;
  bool gc = true;
  bool monitors = false;
  bool exceptions = false;
  bool jit = false;
  bool classes = false;  // every class the runtime loads, not only those that events name
  bool counters = false;
  AllocMode alloc = AllocMode::none;
  std::uint64_t alloc_interval = 512 * 1024;  // bytes between samples
  std::uint64_t sample_interval = 0;          // nanoseconds between stack samples, 0 = none
};

struct Options {
  bool off = false;     // POLYTRACE_AGENT=off
  bool help = false;    // print option_help() and record nothing
  bool paused = false;  // start paused

  std::string file;  // may hold %p (process id), %t (start time); "" = the default name
  std::string format = "native";  // native, or what the converter is asked for
  std::string converter;          // the polytrace program; "" = looked for
  std::string segments;           // folder of the segment file; "" = beside the output
  EventSet events;
  Filters filters;
  Mode mode = Mode::events;
  std::uint64_t summary = 0;  // nanoseconds between tables of mode summary; 0: at pauses and ends
  Policy policy = Policy::block;
  ClockChoice clock = ClockChoice::auto_;
  std::uint64_t buffer = 64 << 20;          // bytes of segments at most
  std::uint64_t duration = 0;               // nanoseconds after which it ends, 0 = none
  std::uint64_t limit = 0;                  // bytes of the stream at which recording ends, 0 = none
  std::uint64_t min_free = kAuto;           // bytes that stay free on the output's disk: output.hpp
  std::uint32_t flush = 250;                // milliseconds until an event is in the stream
  std::uint32_t stack_depth = kMostFrames;  // frames of a recorded stack at most
  std::uint32_t min_bytecode = 0;           // methods with less byte code are not instrumented
  std::uint64_t cpu = kAuto;                // nanoseconds between readings of CPU clocks, 0 = none

  std::string control = "none";  // none, unix, tcp:ADDRESS:PORT
  std::string connect;           // dial out instead: the collector's socket
  std::string token_file;
  std::uint64_t spool = std::uint64_t{1}
                        << 30;  // with connect: bytes kept for clients; 0: no limit
  std::uint32_t drain = 2000;   // milliseconds for clients to read the rest, at the end
  Server server = Server::standalone;
  HeapDump heap_dump = HeapDump::on_command;

  Labels labels;  // those of the environment included
  // What belongs into Setting events: TPTP's option file as it was, then every option given.
  std::vector<std::pair<std::string, std::string>> settings;
  // Options of one runtime only (its agent's prefix, "jvm." or "mono."), not looked at here.
  std::vector<std::pair<std::string, std::string>> others;
};

// Reads `text`, and the environment. Files that it names (filters, profile) are read here.
Options parse_options(std::string_view text, Faults& faults);
// Options::cpu, where kAuto is 100 ms if calls or samples are recorded into a format that can hold
// it, else 0.
std::uint64_t cpu_interval(const Options& options);
// One further option, as the control server sets it. False: refused, with the reason in `faults`.
bool set_option(Options& options, std::string_view name, std::string_view value, Faults& faults);

// One row per option, in the order of the help.
struct OptionRow {
  std::string_view name;
  std::string_view values;  // as people write them
  std::string_view fallback;
  std::string_view text;
  bool secret = false;  // its value is never told
  bool remote = false;  // may be set while recording, by command; none of these is a path
};
std::span<const OptionRow> option_rows();
// The table as text, one line or two per option.
std::string option_help();

// An option string, or any command line, fit to be told: values of secrets, and of whatever is
// named like one (password, passwd, secret, token, key, credential), become "***".
std::string redacted(std::string_view text);

// 512, 512k, 64m, 1g; 4GB and 4GiB are 4g. False: no number, or too large.
bool parse_size(std::string_view text, std::uint64_t& bytes);
// 10ms, 1s, 100us, 500ns; a bare number is milliseconds.
bool parse_duration(std::string_view text, std::uint64_t& nanoseconds);

}  // namespace polytrace::agent
