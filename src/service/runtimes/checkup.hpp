// SPDX-License-Identifier: Apache-2.0
// What this machine has and lacks for recording.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace polytrace::service {

enum class Health : std::uint8_t { good, missing, note };

struct Finding {
  std::string_view topic;  // "Java"
  Health health;
  std::string text;  // what is there, or what is not
  std::string hint;  // how to get it, or what to paste; may be empty
};

// A runtime that is here.
struct FoundRuntime {
  std::string_view name;  // as `record` calls it
  std::string version;    // "" where it does not say
  std::string path;       // of the program
  bool can_record = false;
  bool can_attach = false;
  std::vector<std::string_view> kinds;    // for --events
  std::vector<std::string_view> lacking;  // kinds that this runtime does not tell
  std::string why;                        // it cannot be recorded; "" if it can
  std::string command;                    // to begin with, or what helps
};

struct Checkup {
  std::vector<Finding> findings;
  std::vector<FoundRuntime> runtimes;
  bool can_record = false;  // at least one runtime, with its agent
};

Checkup check_machine();

// "ok", "missing", "note".
std::string_view name_of(Health health);
// What is nearest to a recording: an agent for a runtime that is there, else a runtime.
std::string next_command(const Checkup& checkup);

// {"schema": "polytrace.doctor/1", ...}
std::string doctor_json(const Checkup& checkup);

}  // namespace polytrace::service
