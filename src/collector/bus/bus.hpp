// SPDX-License-Identifier: Apache-2.0
// NATS JetStream as the way from edges to hubs: an edge publishes its batches, a stream keeps them,
// hubs take them from there. Subjects are pt.v1.<tenant>.rows.<table>.<lane>; the lane is that of
// the edge, so that one consumer sees its batches in order. A message is a batch as the outbox has
// it, with the fields of a POST as its header and a Nats-Msg-Id, by which the stream knows again
// what comes twice within two minutes. Who may publish for a tenant is the broker's to say.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "collector/door/door.hpp"
#include "collector/target/target.hpp"

namespace polytrace::collector {

inline constexpr std::uint32_t kLanes = 64;
inline constexpr const char* kStream = "PT_ROWS";
inline constexpr const char* kStreamSubjects = "pt.v1.*.rows.>";
// Of a message's bytes without its header.
inline constexpr std::size_t kMostMessage = (std::size_t{1} << 20) - 1024;

std::uint32_t lane_of(std::string_view edge);

struct Subject {
  std::string tenant;
  std::string table;
  std::uint32_t lane = 0;
};
std::string subject_text(const Subject& subject);
std::optional<Subject> parse_subject(std::string_view text);

// Publishes each batch and waits until the stream has it; one that is larger than a message goes as
// several, of edges <edge>.p0, <edge>.p1 ..., each with control totals of its own. Connects when
// there is something to send. Errors: library_missing. `figures` outlives it.
base::result<std::unique_ptr<Target>> bus_target(const Config& config, Figures& figures);

// A hub's end: makes the stream and a durable consumer for each lane where they are missing, and
// gives each message to `take`, as the request that a POST would be; its tenant is the subject's. A
// reply of 200 takes the message off the stream; 429 and 503 bring it again in some seconds, what
// is refused ten times a minute apart, so that a hub of a later version may know it, and is then
// dropped, told and counted. While `is_full` nothing is asked for. A bus that is away is waited
// for.
class BusIntake {
 public:
  struct Hands {
    std::function<void(Call)> take;  // any thread's; calls `done` from any, also after this is gone
    std::function<bool()> is_full;
  };
  // `config` and `figures` outlive it.
  static std::unique_ptr<BusIntake> open(const Config& config, Hands hands, Figures& figures,
                                         Tell tell);
  // What was not answered by now comes again, to whichever hub.
  virtual ~BusIntake() = default;
  BusIntake(const BusIntake&) = delete;
  BusIntake& operator=(const BusIntake&) = delete;

 protected:
  BusIntake() = default;
};

}  // namespace polytrace::collector
