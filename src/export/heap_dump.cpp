// SPDX-License-Identifier: Apache-2.0
#include "export/heap_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "export/target.hpp"
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
};

std::vector<Sums> sums_of(const HeapView& view) {
  std::vector<Sums> sums(view.names.classes().size());
  for (Index object = 0; object < view.graph.objects(); ++object) {
    Sums& sum = sums[view.type(object)];
    ++sum.objects;
    sum.bytes += view.graph.size(object);
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

// Long enough for what it refers to, and for its size where the length makes that.
std::uint32_t length_of(std::uint64_t size, std::uint64_t references) {
  constexpr std::uint64_t kHead = 20, kElement = 8, kMost = std::uint64_t{1} << 20;
  const std::uint64_t by_size = size > kHead ? std::min((size - kHead) / kElement, kMost) : 0;
  return static_cast<std::uint32_t>(std::max(by_size, references));
}

}  // namespace

base::result<void> find_snapshot(const analysis::HeapStudy& study,
                                 std::optional<std::uint64_t> wanted) {
  if (study.chosen()) return {};
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
  const std::vector<Sums> sums = sums_of(view);
  std::vector<NewClass> classes, used;
  for (std::uint32_t type = 0; type < sums.size(); ++type) {
    classes.push_back(
        class_of(view.names.class_name(type), sums[type], kFirstClass + std::uint64_t{type} * 16));
    if (sums[type].objects != 0) used.push_back(classes.back());
  }
  auto writer = DumpWriter::create(sink, used, kFirstClass + std::uint64_t{sums.size()} * 16);
  if (!writer) return base::Unexpected(writer.error());
  DumpWriter& to = **writer;
  std::vector<base::Id> targets;
  for (Index object = 0; object < view.graph.objects(); ++object) {
    targets.clear();
    for (const Index target : view.graph.references(object))
      targets.push_back(view.graph.id(target));
    const NewClass& type = classes[view.type(object)];
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
