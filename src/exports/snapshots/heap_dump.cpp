// SPDX-License-Identifier: Apache-2.0
#include "exports/snapshots/heap_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

#include "base/codes.hpp"
#include "exports/job/job.hpp"
#include "format/hprof/dump_writer.hpp"

namespace polytrace::exports {
namespace {

using analysis::Dominators;
using analysis::HeapGraph;
using analysis::HeapView;
using format::hprof::DumpWriter;
using format::hprof::NewClass;
using Index = HeapGraph::Index;

// More than that are written as an array: each object of a class has all its fields.
constexpr std::uint32_t kMostFields = 64;
constexpr base::Id kFirstClass = base::Id{0xf} << 60;

struct Sums {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint32_t references = 0;  // the most of any object
  bool varies = false;           // not all are of one size

  void add(std::uint64_t size) {
    varies = varies || (objects != 0 && bytes != objects * size);
    ++objects;
    bytes += size;
  }
};

std::vector<Sums> sums_of(const HeapView& view) {
  std::vector<Sums> sums(view.names.classes().size());
  for (Index object = 0; object < view.graph.objects(); ++object) {
    Sums& sum = sums[view.type(object)];
    sum.add(view.graph.size(object));
    sum.references =
        std::max(sum.references, static_cast<std::uint32_t>(view.graph.references(object).size()));
  }
  return sums;
}

NewClass class_of(std::string name, const Sums& sums, base::Id id) {
  NewClass out;
  out.id = id;
  out.array = name.ends_with("[]");
  if (out.array) name.resize(name.size() - 2);
  // Every class inherits from it: it cannot have fields of its own.
  const bool object = name == "java.lang.Object" && sums.references != 0;
  out.array = out.array || object || sums.references > kMostFields;
  // Readers look for a field of this one.
  out.references = std::max<std::uint32_t>(sums.references, name == "java.lang.ref.Reference");
  out.name = std::move(name);
  out.size = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sums.bytes / std::max<std::uint64_t>(sums.objects, 1), 1U << 30));
  return out;
}

// Objects of one class have one size there. A class whose objects differ, as strings of .NET do, is
// written as several of the same name: one for each size, above 1 KiB one for all sizes of the same
// five leading bits, with their average.
class Classes {
 public:
  Classes(const HeapView& view, const std::vector<Sums>& sums)
      : view_(view), next_(kFirstClass + std::uint64_t{sums.size()} * 16) {
    for (std::uint32_t type = 0; type < sums.size(); ++type)
      types_.push_back(class_of(view.names.class_name(type), sums[type],
                                kFirstClass + std::uint64_t{type} * 16));
    std::map<Key, Sums> sized;
    for (Index object = 0; object < view.graph.objects(); ++object)
      if (is_split(sums, view.type(object))) sized[key_of(object)].add(view.graph.size(object));
    for (auto& [key, sum] : sized) {
      sum.references = sums[key.first].references;
      parts_[key] = class_of(types_[key.first].name, sum, next_);
      next_ += 16;
    }
    for (std::uint32_t type = 0; type < sums.size(); ++type)
      if (sums[type].objects != 0 && !is_split(sums, type)) used_.push_back(types_[type]);
    for (const auto& [key, type] : parts_) used_.push_back(type);
  }

  const NewClass& of(Index object) const {
    const auto part = parts_.empty() ? parts_.end() : parts_.find(key_of(object));
    return part == parts_.end() ? types_[view_.type(object)] : part->second;
  }
  const std::vector<NewClass>& used() const { return used_; }
  base::Id next() const { return next_; }

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;

  // Some of Java's own have a meaning to readers; objects of a class are of one size there.
  bool is_split(const std::vector<Sums>& sums, std::uint32_t type) const {
    return sums[type].varies && !types_[type].array && !types_[type].name.starts_with("java.");
  }
  Key key_of(Index object) const {
    constexpr std::uint64_t kExact = 1024;
    constexpr int kLeading = 5;
    const std::uint64_t size = view_.graph.size(object);
    const auto rest = size < kExact ? 0 : static_cast<int>(std::bit_width(size)) - kLeading;
    return {view_.type(object), size >> rest << rest};
  }

  const HeapView& view_;
  base::Id next_;
  std::vector<NewClass> types_;
  std::map<Key, NewClass> parts_;
  std::vector<NewClass> used_;
};

// Long enough for what it refers to, and for its size where the length makes that.
std::uint32_t length_of(std::uint64_t size, std::uint64_t references) {
  constexpr std::uint64_t kArrayHead = 20, kElement = 8, kMost = std::uint64_t{1} << 20;
  const std::uint64_t by_size =
      size > kArrayHead ? std::min((size - kArrayHead) / kElement, kMost) : 0;
  return static_cast<std::uint32_t>(std::max(by_size, references));
}

}  // namespace

base::result<void> find_snapshot(const analysis::HeapStudy& study,
                                 std::optional<std::uint64_t> wanted) {
  if (wanted ? study.graph_of(*wanted) != nullptr : study.chosen().has_value()) return {};
  const std::size_t count = study.snapshots().size();
  if (count == 0)
    return base::fail(base::Code::usage,
                      "the trace has no heap snapshot; while a program is recorded, polytrace "
                      "control PID heap-dump makes one");
  if (wanted)
    return base::fail(base::Code::usage, fmt::format("there are {} snapshots, from 0 on", count));
  return base::fail(base::Code::usage,
                    "no heap snapshot is complete; --snapshot 0 takes the first as it is");
}

base::result<void> write_hprof(const SnapshotJob& job) {
  return write_heap_dump(job.view, job.sink);
}

base::result<void> write_heap_dump(const HeapView& view, base::Sink& sink) {
  const Classes classes(view, sums_of(view));
  auto writer = DumpWriter::create(sink, classes.used(), classes.next());
  if (!writer) return base::Unexpected(writer.error());
  DumpWriter& to = **writer;
  std::vector<base::Id> targets;
  for (Index object = 0; object < view.graph.objects(); ++object) {
    targets.clear();
    for (const Index target : view.graph.references(object))
      targets.push_back(view.graph.id(target));
    const NewClass& type = classes.of(object);
    const base::Id id = view.graph.id(object);
    auto done =
        type.array ? to.array(id, type, targets, length_of(view.graph.size(object), targets.size()))
                   : to.object(id, type, targets);
    // Without told roots, what nothing single holds is one: that changes nobody's dominator.
    const bool start =
        !view.dominators.roots_told() && view.dominators.of_object(object) == Dominators::kRoots;
    if (done && start) done = to.root(id);
    if (!done) return done;
  }
  for (const HeapGraph::Root& root : view.graph.roots())
    if (auto done = to.root(view.graph.id(root.object)); !done) return done;
  return to.finish();
}

}  // namespace polytrace::exports
