// SPDX-License-Identifier: Apache-2.0
// Firefox Profiler's processed profile, version 60: the newest that all readers of it know. Each
// distinct stack of a thread is one sample. Sums have no times, so that samples stand one after the
// other, each as wide as it is heavy. Markers stand at their times.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/json_writer.hpp"
#include "exports/job/text.hpp"
#include "exports/profiles/firefox_markers.hpp"
#include "exports/profiles/markers.hpp"

namespace polytrace::exports {
namespace {

using analysis::Profile;
using base::JsonWriter;

constexpr double kMillion = 1e6;

struct CategoryInfo {
  const char* name;
  const char* color;
};
constexpr std::array<CategoryInfo, 5> kCategories{{{"Other", "grey"},
                                                   {"Methods", "blue"},
                                                   {"Garbage collector", "orange"},
                                                   {"Waiting", "purple"},
                                                   {"Exceptions", "red"}}};

class FirefoxWriter {
 public:
  explicit FirefoxWriter(const ProfileJob& job)
      : job_(job),
        profile_(job.pruned.profile),
        is_time_(profile_.weight->unit == analysis::Unit::nanoseconds),
        rows_(firefox_rows(job)),
        stretch_(stretch()),
        out_(job.sink),
        json_(out_.text(), JsonWriter::Form::one_line) {}

  base::result<void> write() {
    json_.begin_object();
    write_meta();
    array("libs", 0, [](std::size_t) {});
    write_shared();
    json_.key("threads");
    json_.begin_array();
    for (const FirefoxRow& row : rows_) {
      write_thread(row);
      if (auto drained = out_.drain(); !drained) return drained;
    }
    json_.end_array();
    json_.end_object();
    return out_.flush();
  }

 private:
  // A column: `count` values, each written by put(i).
  template <class Put>
  void array(std::string_view name, std::size_t count, const Put& put) {
    json_.key(name);
    json_.begin_array();
    for (std::size_t i = 0; i < count; ++i) put(i);
    json_.end_array();
  }
  void zeros(std::string_view name, std::size_t count, int value = 0) {
    array(name, count, [&](std::size_t) { json_.value(value); });
  }
  void nulls(std::string_view name, std::size_t count) {
    array(name, count, [&](std::size_t) { json_.null(); });
  }
  void table(std::string_view name) {
    json_.new_line();
    json_.key(name);
    json_.begin_object();
  }
  void end_table(std::size_t length) {
    json_.member("length", std::uint64_t{length});
    json_.end_object();
  }

  void write_meta() {
    const base::Time wall = job_.origin.wall_of(profile_.first);
    json_.key("meta");
    json_.begin_object();
    json_.member("interval", 1);
    json_.member("startTime", wall == base::kNoTime ? 0.0 : static_cast<double>(wall) / kMillion);
    json_.member("processType", 0);
    json_.member("product", product());
    json_.member("stackwalk", 0);
    json_.member("version", 36);
    json_.member("preprocessedProfileVersion", 60);
    json_.member("symbolicated", true);
    json_.member("importedFrom", "polytrace " POLYTRACE_VERSION);
    write_categories();
    array("markerSchema", kFirefoxMarkers.size(),
          [&](std::size_t i) { write_marker_schema(json_, kFirefoxMarkers[i]); });
    json_.key("sampleUnits");
    json_.begin_object();
    json_.member("time", "ms");
    json_.member("eventDelay", "ms");
    json_.member("threadCPUDelta", "ns");
    json_.end_object();
    write_extra();
    json_.end_object();
  }
  std::string product() const {
    return fmt::format("{}: {}",
                       job_.origin.process.empty() ? job_.origin.trace : job_.origin.process,
                       profile_.weight->title);
  }
  void write_categories() {
    json_.key("categories");
    json_.begin_array();
    for (const auto& [name, color] : kCategories) {
      json_.begin_object();
      json_.member("name", name);
      json_.member("color", color);
      array("subcategories", 1, [&](std::size_t) { json_.value("Other"); });
      json_.end_object();
    }
    json_.end_array();
  }
  // What the profile does not hold, as its reader shows it.
  void write_extra() {
    json_.key("extra");
    json_.begin_array();
    json_.begin_object();
    json_.member("label", "polytrace");
    json_.key("entries");
    json_.begin_array();
    write_entry(
        "Samples",
        "Sums by stack, one after the other: their times mean nothing. Those of markers do.");
    for (const std::string& sentence : job_.account.sentences()) write_entry("Note", sentence);
    json_.end_array();
    json_.end_object();
    json_.end_array();
  }
  void write_entry(std::string_view label, std::string_view value) {
    json_.begin_object();
    json_.member("label", label);
    json_.member("format", "string");
    json_.member("value", value);
    json_.end_object();
  }

  // Texts: the names of all frames, then files.
  void write_shared() {
    const std::vector<Profile::Frame>& frames = profile_.frames;
    std::vector<std::size_t> files;  // frames that tell one: each is a source of its own
    for (std::size_t i = 0; i < frames.size(); ++i)
      if (!frames[i].file.empty()) files.push_back(i);
    json_.new_line();
    json_.key("shared");
    json_.begin_object();
    first_marker_name_ = frames.size() + files.size();
    array("stringArray", first_marker_name_ + kFirefoxMarkers.size(), [&](std::size_t i) {
      if (i < frames.size()) json_.value(frames[i].name);
      else if (i < first_marker_name_) json_.value(frames[files[i - frames.size()]].file);
      else json_.value(kFirefoxMarkers[i - first_marker_name_].name);
    });
    write_stacks();
    write_frames();
    write_functions(files);
    table("resourceTable");
    for (const char* name : {"name", "host", "type", "lib"}) zeros(name, 0);
    end_table(0);
    table("nativeSymbols");
    for (const char* name : {"libIndex", "address", "name", "functionSize"}) zeros(name, 0);
    end_table(0);
    table("sources");
    array("filename", files.size(), [&](std::size_t i) { json_.value(frames.size() + i); });
    nulls("uuid", files.size());
    end_table(files.size());
    json_.end_object();
  }
  void write_stacks() {
    const std::size_t count = profile_.nodes.size() - 1;
    table("stackTable");
    array("frame", count, [&](std::size_t i) { json_.value(profile_.nodes[i + 1].frame); });
    array("prefix", count, [&](std::size_t i) {
      const std::uint32_t parent = profile_.nodes[i + 1].parent;
      if (parent == Profile::kRoot) json_.null();
      else json_.value(parent - 1);
    });
    end_table(count);
  }
  void write_frames() {
    const std::size_t count = profile_.frames.size();
    table("frameTable");
    zeros("address", count, -1);
    zeros("inlineDepth", count);
    zeros("category", count, 1);
    zeros("subcategory", count);
    array("func", count, [&](std::size_t i) { json_.value(std::uint64_t{i}); });
    for (const char* name : {"nativeSymbol", "innerWindowID", "line", "column"}) nulls(name, count);
    end_table(count);
  }
  void write_functions(const std::vector<std::size_t>& files) {
    const std::size_t count = profile_.frames.size();
    std::size_t taken = 0;
    table("funcTable");
    array("name", count, [&](std::size_t i) { json_.value(std::uint64_t{i}); });
    for (const char* name : {"isJS", "relevantForJS"})
      array(name, count, [&](std::size_t) { json_.value(false); });
    zeros("resource", count, -1);
    array("source", count, [&](std::size_t i) {
      if (taken < files.size() && files[taken] == i) json_.value(std::uint64_t{taken++});
      else json_.null();
    });
    array("lineNumber", count, [&](std::size_t i) {
      if (profile_.frames[i].line == 0) json_.null();
      else json_.value(profile_.frames[i].line);
    });
    nulls("columnNumber", count);
    end_table(count);
  }

  double width(std::uint32_t node) const {
    const auto self = static_cast<double>(profile_.self(node));
    return is_time_ ? self / kMillion : self;
  }
  double since_start(base::Time time) const {
    return profile_.first == base::kNoTime || time < profile_.first
               ? 0
               : static_cast<double>(time - profile_.first) / kMillion;
  }
  // What is no time takes as long as the trace, on the heaviest thread, so that markers fit.
  double stretch() const {
    double most = 0;
    for (const FirefoxRow& row : rows_) {
      double sum = 0;
      for (std::uint32_t node = row.begin; node < row.end; ++node) sum += width(node);
      most = std::max(most, sum);
    }
    const double length = since_start(profile_.last);
    return is_time_ || most == 0 || length == 0 ? 1 : length / most;
  }
  void write_thread(const FirefoxRow& row) {
    std::vector<std::uint32_t> nodes;
    double end = 0;
    for (std::uint32_t node = row.begin; node < row.end; ++node) {
      if (profile_.self(node) == 0) continue;
      nodes.push_back(node);
      end += width(node) * stretch_;
    }
    for (const Marker& marker : row.markers) end = std::max(end, since_start(marker.end));
    json_.new_line();
    json_.begin_object();
    json_.member("processType", "default");
    json_.member("processStartupTime", 0);
    json_.key("processShutdownTime");
    json_.null();
    json_.member("registerTime", 0);
    json_.member("unregisterTime", end);
    array("pausedRanges", 0, [](std::size_t) {});
    json_.member("name", row.name);
    json_.member("processName",
                 job_.origin.process.empty() ? job_.origin.trace : job_.origin.process);
    json_.member("isMainThread", &row == rows_.data());
    json_.member("pid", job_.origin.pid == base::kNoId ? "0" : fmt::to_string(job_.origin.pid));
    write_tid(row.id);
    write_samples(nodes, end);
    write_markers(row.markers);
    json_.end_object();
  }
  // The format takes numbers and texts; what reads it, numbers of 53 bits.
  void write_tid(base::Id id) {
    if (id < std::uint64_t{1} << 53) json_.member("tid", id);
    else json_.member("tid", fmt::format("{:#x}", id));
  }
  void write_markers(std::span<const Marker> markers) {
    constexpr int kInstant = 0, kInterval = 1;
    const auto column = [&](std::string_view name, const auto& put) {
      array(name, markers.size(), [&](std::size_t i) { put(markers[i]); });
    };
    table("markers");
    column("data", [&](const Marker& marker) { write_marker_data(json_, marker, *job_.markers); });
    column("name", [&](const Marker& marker) {
      json_.value(first_marker_name_ + static_cast<std::size_t>(marker.kind));
    });
    column("startTime", [&](const Marker& marker) { json_.value(since_start(marker.start)); });
    column("endTime", [&](const Marker& marker) {
      if (marker.kind == MarkerKind::exception) json_.null();
      else json_.value(since_start(marker.end));
    });
    column("phase", [&](const Marker& marker) {
      json_.value(marker.kind == MarkerKind::exception ? kInstant : kInterval);
    });
    column("category",
           [&](const Marker& marker) { json_.value(firefox_marker(marker.kind).category); });
    end_table(markers.size());
  }
  // Behind them one of nothing at the end: readers show no marker behind the last sample.
  void write_samples(const std::vector<std::uint32_t>& nodes, double end) {
    double time = 0;
    const std::size_t count = nodes.size() + 1;
    table("samples");
    array("stack", count, [&](std::size_t i) {
      if (i == nodes.size()) json_.null();
      else json_.value(nodes[i] - 1);
    });
    array("time", count, [&](std::size_t i) {
      json_.value(i == nodes.size() ? end : time);
      if (i < nodes.size()) time += width(nodes[i]) * stretch_;
    });
    array("weight", count,
          [&](std::size_t i) { json_.value(i == nodes.size() ? 0 : width(nodes[i])); });
    json_.member("weightType", is_time_                                         ? "tracing-ms"
                               : profile_.weight->unit == analysis::Unit::bytes ? "bytes"
                                                                                : "samples");
    end_table(count);
  }

  const ProfileJob& job_;
  const Profile& profile_;
  bool is_time_;
  std::vector<FirefoxRow> rows_;
  double stretch_;
  std::size_t first_marker_name_ = 0;  // in stringArray
  TextSink out_;
  JsonWriter json_;
};

}  // namespace

base::result<void> write_firefox(const ProfileJob& job) { return FirefoxWriter(job).write(); }

}  // namespace polytrace::exports
