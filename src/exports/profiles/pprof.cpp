// SPDX-License-Identifier: Apache-2.0
// pprof's profile.proto: both figures of each stack and thread, frames from the innermost on. The
// order of fields is free, so that texts come last and samples are not kept.
#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <limits>
#include <protozero/pbf_builder.hpp>

#include "base/seeded_hash.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"
#include "exports/profiles/fields.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;
using protozero::pbf_builder;

std::int64_t clamped(std::uint64_t number) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(number, kMost));
}

class PprofWriter {
 public:
  explicit PprofWriter(const ProfileJob& job)
      : job_(job), profile_(job.pruned.profile), out_(job.sink), message_(out_.text()) {
    text("");
  }

  base::result<void> write() {
    write_head();
    for (const Profile::Thread& thread : profile_.threads)
      if (auto written = write_samples(thread); !written) return written;
    write_frames();
    for (const std::string& sentence : job_.account.sentences())
      message_.add_int64(PprofProfile::comment, text(sentence));
    for (const std::string& one : texts_) {
      message_.add_string(PprofProfile::string_table, one);
      if (auto drained = out_.drain(); !drained) return drained;
    }
    return out_.flush();
  }

 private:
  std::int64_t text(std::string_view one) {
    const auto [entry, fresh] =
        numbers_.try_emplace(std::string(one), static_cast<std::int64_t>(texts_.size()));
    if (fresh) texts_.emplace_back(one);
    return entry->second;
  }
  void write_type(std::string_view name, std::string_view unit) {
    pbf_builder<PprofValueType> type(message_, PprofProfile::sample_type);
    type.add_int64(PprofValueType::type, text(name));
    type.add_int64(PprofValueType::unit, text(unit));
  }
  void write_head() {
    const ValueNames names = value_names(profile_.weight->carrier);
    has_count_ = !names.count.empty();
    if (has_count_) write_type(names.count, "count");
    write_type(names.weight, names.unit);
    message_.add_int64(PprofProfile::default_sample_type,
                       text(has_count_ && profile_.weight->is_count ? names.count : names.weight));
    message_.add_int64(PprofProfile::comment,
                       text("made by polytrace " POLYTRACE_VERSION " from " + job_.origin.trace));
    if (const base::Time wall = job_.origin.wall_of(profile_.first); wall != base::kNoTime)
      message_.add_int64(PprofProfile::time_nanos, wall);
    base::Time span = 0;
    if (profile_.first != base::kNoTime &&
        !__builtin_sub_overflow(profile_.last, profile_.first, &span))
      message_.add_int64(PprofProfile::duration_nanos, span);
  }
  base::result<void> write_samples(const Profile::Thread& thread) {
    const std::int64_t label = text("thread"), name = text(thread.name), number = text("thread_id");
    for (std::uint32_t node = thread.begin; node < thread.end; ++node) {
      const analysis::Amount& self = profile_.selfs[node];
      if (self.count == 0 && self.weight == 0) continue;
      pbf_builder<PprofSample> sample(message_, PprofProfile::sample);
      write_stack(sample, node);
      const std::array values{clamped(self.count), clamped(self.weight)};
      sample.add_packed_int64(PprofSample::value, values.begin() + (has_count_ ? 0 : 1),
                              values.end());
      if (!thread.name.empty()) {
        pbf_builder<PprofLabel> said(sample, PprofSample::label);
        said.add_int64(PprofLabel::key, label);
        said.add_int64(PprofLabel::str, name);
      }
      if (thread.id != base::kNoId) {
        pbf_builder<PprofLabel> said(sample, PprofSample::label);
        said.add_int64(PprofLabel::key, number);
        said.add_int64(PprofLabel::num, static_cast<std::int64_t>(thread.id));
      }
      sample.commit();
      if (auto drained = out_.drain(); !drained) return drained;
    }
    return {};
  }
  void write_stack(pbf_builder<PprofSample>& sample, std::uint32_t node) {
    stack_.clear();
    for (; node != Profile::kRoot; node = profile_.nodes[node].parent)
      stack_.push_back(profile_.nodes[node].frame + std::uint64_t{1});
    sample.add_packed_uint64(PprofSample::location_id, stack_.begin(), stack_.end());
  }
  // One location and one function for each frame, by its number + 1. A function needs another
  // system_name than its name: pprof takes the name for one of C++ else, and cuts what stands in
  // "<>" and "()".
  void write_frames() {
    for (std::size_t i = 0; i < profile_.frames.size(); ++i) {
      const Profile::Frame& frame = profile_.frames[i];
      const std::int64_t name = text(frame.name), file = text(frame.file);
      const std::int64_t system_name = text(fmt::format("method {}", i + 1));
      {
        pbf_builder<PprofLocation> location(message_, PprofProfile::location);
        location.add_uint64(PprofLocation::id, i + 1);
        pbf_builder<PprofLine> line(location, PprofLocation::line);
        line.add_uint64(PprofLine::function_id, i + 1);
        if (frame.line != 0) line.add_int64(PprofLine::line, frame.line);
      }
      pbf_builder<PprofFunction> function(message_, PprofProfile::function);
      function.add_uint64(PprofFunction::id, i + 1);
      function.add_int64(PprofFunction::name, name);
      function.add_int64(PprofFunction::system_name, system_name);
      function.add_int64(PprofFunction::filename, file);
      if (frame.line != 0) function.add_int64(PprofFunction::start_line, frame.line);
    }
  }

  const ProfileJob& job_;
  const Profile& profile_;
  TextSink out_;
  pbf_builder<PprofProfile> message_;
  bool has_count_ = false;
  tsl::robin_map<std::string, std::int64_t, base::SeededHash> numbers_;  // of texts
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> stack_;
};

}  // namespace

base::result<void> write_pprof(const ProfileJob& job) { return PprofWriter(job).write(); }

}  // namespace polytrace::exports
