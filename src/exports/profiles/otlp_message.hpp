// SPDX-License-Identifier: Apache-2.0
// One request to a receiver of OpenTelemetry's profiles (ExportProfilesServiceRequest, which as a
// file is ProfilesData), put together in memory: one resource, any number of profiles of one figure
// each, and the tables that they share. Entry 0 of each table is there and empty. Strings are told
// once; whoever fills it tells the same frame, stack or attribute once. One thread at a time.
#pragma once

#include <tsl/robin_map.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analysis/profile/profile.hpp"
#include "base/result.hpp"
#include "base/seeded_hash.hpp"

namespace polytrace::exports {

class OtlpMessage {
 public:
  using Value = std::variant<std::string_view, std::int64_t>;
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 31;  // of any protobuf message

  OtlpMessage();

  // Of the process that all of it is of: "service.name".
  void resource(std::string_view key, Value value);

  // Numbers for what follows.
  std::uint32_t frame(std::string_view name, std::string_view file, std::uint32_t line);
  std::uint32_t stack(std::span<const std::uint32_t> frames);  // innermost first
  std::uint32_t attribute(std::string_view key, Value value);

  struct Head {
    analysis::Carrier carrier;
    bool is_count;                  // which of its figures
    base::Time wall = 0;            // where it begins; nanoseconds since 1970, 0: not known
    std::uint64_t nanoseconds = 0;  // that it spans
    // What names what it is of, the same each time it is made: its profile_id is a hash of this and
    // the figure, by which a receiver knows what is sent again. Empty: it has none.
    std::string_view identity{};
  };
  void begin_profile(const Head& head);
  void profile_attribute(std::uint32_t attribute) { attributes_.push_back(attribute); }
  void sample(std::uint32_t stack, std::span<const std::uint32_t> attributes, std::uint64_t value);
  void end_profile();

  // Once, at the end. Error: limit_exceeded, where it is larger than a message can be.
  base::result<std::string> finish();

 private:
  std::uint32_t text(std::string_view one);

  tsl::robin_map<std::string, std::uint32_t, base::SeededHash> numbers_;  // of texts
  std::string resource_;
  std::string profiles_;
  std::string dictionary_;                 // all tables but texts, whose entries may mix
  std::string strings_;                    // the table of texts
  std::string profile_;                    // the one that is open
  std::vector<std::uint32_t> attributes_;  // its
  std::uint32_t frames_ = 1, stacks_ = 1, known_attributes_ = 1;  // with the empty ones
};

}  // namespace polytrace::exports
