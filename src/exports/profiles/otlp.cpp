// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry's profiles: both figures of each stack and thread, each a profile of its own, for
// such a profile has one type of values.
#include <fmt/ranges.h>

#include "exports/job/job.hpp"
#include "exports/profiles/fields.hpp"
#include "exports/profiles/otlp_message.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;

class OtlpWriter {
 public:
  explicit OtlpWriter(const ProfileJob& job) : job_(job), profile_(job.pruned.profile) {}

  base::result<void> write() {
    tell_resource();
    for (const Profile::Frame& frame : profile_.frames)
      frames_.push_back(message_.frame(frame.name, frame.file, frame.line));
    for (const Profile::Thread& thread : profile_.threads) gather(thread);
    const analysis::Carrier carrier = profile_.weight->carrier;
    if (!value_names(carrier).count.empty()) tell({.carrier = carrier, .is_count = true});
    tell({.carrier = carrier, .is_count = false});
    const auto bytes = message_.finish();
    if (!bytes) return base::Unexpected(bytes.error());
    return job_.sink.write(std::as_bytes(std::span(*bytes)));
  }

 private:
  struct Sample {
    std::uint32_t stack;
    std::uint32_t thread;  // in threads_
    analysis::Amount amount;
  };

  void tell_resource() {
    const Origin& origin = job_.origin;
    message_.resource("service.name", origin.process_or_trace());
    if (origin.pid != base::kNoId)
      message_.resource("process.pid", static_cast<std::int64_t>(origin.pid));
    if (!origin.runtime.empty()) message_.resource("process.runtime.name", origin.runtime);
  }
  void gather(const Profile::Thread& thread) {
    threads_.emplace_back();
    if (!thread.name.empty())
      threads_.back().push_back(message_.attribute("thread.name", thread.name));
    if (thread.id != base::kNoId)
      threads_.back().push_back(
          message_.attribute("thread.id", static_cast<std::int64_t>(thread.id)));
    for (std::uint32_t node = thread.begin; node < thread.end; ++node) {
      const analysis::Amount& self = profile_.selfs[node];
      if (self.count != 0 || self.weight != 0)
        samples_.push_back({stack(node), static_cast<std::uint32_t>(threads_.size() - 1), self});
    }
  }
  std::uint32_t stack(std::uint32_t node) {
    path_.clear();
    for (; node != Profile::kRoot; node = profile_.nodes[node].parent)
      path_.push_back(frames_[profile_.nodes[node].frame]);
    return message_.stack(path_);
  }
  void tell(OtlpMessage::Head head) {
    const base::Time wall = job_.origin.wall_of(profile_.first);
    base::Time span = 0;
    if (wall != base::kNoTime) head.wall = wall;
    if (profile_.first != base::kNoTime &&
        !__builtin_sub_overflow(profile_.last, profile_.first, &span) && span > 0)
      head.nanoseconds = static_cast<std::uint64_t>(span);
    message_.begin_profile(head);
    if (const auto notes = job_.account.sentences(); !notes.empty())
      message_.profile_attribute(
          message_.attribute(kOtlpNotes, fmt::format("{}", fmt::join(notes, "\n"))));
    for (const Sample& sample : samples_) {
      const std::uint64_t value = head.is_count ? sample.amount.count : sample.amount.weight;
      if (value != 0) message_.sample(sample.stack, threads_[sample.thread], value);
    }
    message_.end_profile();
  }

  const ProfileJob& job_;
  const Profile& profile_;
  OtlpMessage message_;
  std::vector<std::uint32_t> frames_;                // by frame: its number there
  std::vector<std::vector<std::uint32_t>> threads_;  // attributes
  std::vector<Sample> samples_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

base::result<void> write_otlp(const ProfileJob& job) { return OtlpWriter(job).write(); }

}  // namespace polytrace::exports
