// SPDX-License-Identifier: Apache-2.0
// pprof's profile.proto: both figures of each stack and thread, frames from the innermost on. The
// order of fields is free, so that texts come last and samples are not kept.
#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <limits>
#include <protozero/pbf_writer.hpp>

#include "base/seeded_hash.hpp"
#include "exports/job/job.hpp"
#include "exports/job/text.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;
using protozero::pbf_writer;

// Field numbers of profile.proto.
namespace field {
enum Profile : protozero::pbf_tag_type {
  sample_type = 1,
  sample = 2,
  location = 4,
  function = 5,
  string_table = 6,
  time_nanos = 9,
  duration_nanos = 10,
  comment = 13,
  default_sample_type = 14
};
enum ValueType : protozero::pbf_tag_type { type = 1, unit = 2 };
enum Sample : protozero::pbf_tag_type { location_id = 1, value = 2, label = 3 };
enum Label : protozero::pbf_tag_type { key = 1, str = 2, num = 3 };
enum Location : protozero::pbf_tag_type { location_number = 1, line = 4 };
enum Line : protozero::pbf_tag_type { function_id = 1, line_number = 2 };
enum Function : protozero::pbf_tag_type {
  id = 1,
  name = 2,
  system_name = 3,
  filename = 4,
  start_line = 5
};
}  // namespace field

// What its tools call the two figures; the first is empty where there is but one.
struct ValueNames {
  std::string_view count;
  std::string_view weight;
  std::string_view unit;
};

ValueNames value_names(analysis::Carrier carrier) {
  using analysis::Carrier;
  switch (carrier) {
    case Carrier::calls: return {"calls", "time", "nanoseconds"};
    case Carrier::cpu: return {"calls", "cpu", "nanoseconds"};
    case Carrier::samples: return {"", "samples", "count"};
    case Carrier::allocations: return {"alloc_objects", "alloc_space", "bytes"};
    case Carrier::contentions: return {"contentions", "delay", "nanoseconds"};
    case Carrier::exceptions: return {"", "exceptions", "count"};
  }
  return {};
}

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
      message_.add_int64(field::comment, text(sentence));
    for (const std::string& one : texts_) {
      message_.add_string(field::string_table, one);
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
    pbf_writer type(message_, field::sample_type);
    type.add_int64(field::type, text(name));
    type.add_int64(field::unit, text(unit));
  }
  void write_head() {
    const ValueNames names = value_names(profile_.weight->carrier);
    has_count_ = !names.count.empty();
    if (has_count_) write_type(names.count, "count");
    write_type(names.weight, names.unit);
    message_.add_int64(field::default_sample_type,
                       text(has_count_ && profile_.weight->is_count ? names.count : names.weight));
    message_.add_int64(field::comment,
                       text("made by polytrace " POLYTRACE_VERSION " from " + job_.origin.trace));
    if (const base::Time wall = job_.origin.wall_of(profile_.first); wall != base::kNoTime)
      message_.add_int64(field::time_nanos, wall);
    base::Time span = 0;
    if (profile_.first != base::kNoTime &&
        !__builtin_sub_overflow(profile_.last, profile_.first, &span))
      message_.add_int64(field::duration_nanos, span);
  }
  base::result<void> write_samples(const Profile::Thread& thread) {
    const std::int64_t label = text("thread"), name = text(thread.name), number = text("thread_id");
    for (std::uint32_t node = thread.begin; node < thread.end; ++node) {
      const analysis::Amount& self = profile_.selfs[node];
      if (self.count == 0 && self.weight == 0) continue;
      pbf_writer sample(message_, field::sample);
      write_stack(sample, node);
      const std::array values{clamped(self.count), clamped(self.weight)};
      sample.add_packed_int64(field::value, values.begin() + (has_count_ ? 0 : 1), values.end());
      {
        pbf_writer said(sample, field::label);
        said.add_int64(field::key, label);
        said.add_int64(field::str, name);
      }
      if (thread.id != base::kNoId) {
        pbf_writer said(sample, field::label);
        said.add_int64(field::key, number);
        said.add_int64(field::num, static_cast<std::int64_t>(thread.id));
      }
      sample.commit();
      if (auto drained = out_.drain(); !drained) return drained;
    }
    return {};
  }
  void write_stack(pbf_writer& sample, std::uint32_t node) {
    stack_.clear();
    for (; node != Profile::kRoot; node = profile_.nodes[node].parent)
      stack_.push_back(profile_.nodes[node].frame + std::uint64_t{1});
    sample.add_packed_uint64(field::location_id, stack_.begin(), stack_.end());
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
        pbf_writer location(message_, field::location);
        location.add_uint64(field::location_number, i + 1);
        pbf_writer line(location, field::line);
        line.add_uint64(field::function_id, i + 1);
        if (frame.line != 0) line.add_int64(field::line_number, frame.line);
      }
      pbf_writer function(message_, field::function);
      function.add_uint64(field::id, i + 1);
      function.add_int64(field::name, name);
      function.add_int64(field::system_name, system_name);
      function.add_int64(field::filename, file);
      if (frame.line != 0) function.add_int64(field::start_line, frame.line);
    }
  }

  const ProfileJob& job_;
  const Profile& profile_;
  TextSink out_;
  pbf_writer message_;
  bool has_count_ = false;
  tsl::robin_map<std::string, std::int64_t, base::SeededHash> numbers_;  // of texts
  std::vector<std::string> texts_;
  std::vector<std::uint64_t> stack_;
};

}  // namespace

base::result<void> write_pprof(const ProfileJob& job) { return PprofWriter(job).write(); }

}  // namespace polytrace::exports
