// SPDX-License-Identifier: Apache-2.0
#include "exports/perfetto/heap.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "analysis/heap/graph/dominators.hpp"
#include "analysis/heap/graph/holders.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/utf8.hpp"

namespace polytrace::exports::perfetto {

using analysis::HeapGraph;
using protozero::pbf_writer;
using slice::Names;

namespace {

constexpr HeapGraph::Index kObjectsOfPacket = 512;
constexpr std::uint64_t kReference = 1;  // the name of every field: recorders tell none

// Field numbers of the format's public definition.
namespace graph_field {
enum : protozero::pbf_tag_type {
  pid = 1,
  objects = 2,
  field_names = 4,
  continued = 5,
  index = 6,
  roots = 7,
  types = 9,
};
}  // namespace graph_field

// Its kinds of roots that ours can be told of.
enum RootType : std::uint8_t {
  kUnknownRoot = 0,
  kGlobalRoot = 1,
  kFrameRoot = 3,
  kFinalizing = 10
};

// In words of HeapGraph::root_kinds().
constexpr std::array<std::pair<std::string_view, RootType>, 3> kRootTypes{
    {{"stack", kFrameRoot}, {"handle", kGlobalRoot}, {"finalizer", kFinalizing}}};

RootType root_type(std::string_view kind) {
  const auto known = std::ranges::find(kRootTypes, kind, [](const auto& one) { return one.first; });
  return known == kRootTypes.end() ? kUnknownRoot : known->second;
}

}  // namespace

void HeapGraphs::open(base::Time time, const Names& names) {
  close(names);
  open_ = true;
  time_ = std::max(facts_.placed(time), last_ + 1);
  last_ = time_;
  index_ = 0;
  allocated_.begin_snapshot();
}

void HeapGraphs::add_object(const Slice& slice, const event::Event& event) {
  static constexpr event::DumpObject kUntold{};
  if (allocated_.join(slice, event, joined())) return;
  const auto& object = slice.batch.details_or(event, kUntold);
  builder_.add(event.id, slice.names.class_index(object.class_id), object.size,
               slice.batch.list(object.refs));
}

void HeapGraphs::add_root(const Slice& slice, const event::Event& event) {
  const auto root = slice.batch.details_or<event::Root>(event, {});
  if (root.class_id != base::kNoId)
    allocated_.join(event.id, slice.names, root.class_id, {}, joined());
  if (!analysis::is_weak_handle(root)) builder_.add_root(event.id, analysis::holder_of(root));
}

void HeapGraphs::close(const Names& names) {
  if (!open_) return;
  open_ = false;
  const HeapGraph graph = builder_.finish();
  outside_ += graph.outside();
  roots_outside_ += graph.roots_outside();
  left_out_ += graph.left_out();
  write(graph, names);
}

template <class Fill>
void HeapGraphs::add_packet(bool last, Fill&& fill) {
  file_.add(kHeap, Flags::none, [&](pbf_writer& packet) {
    packet.add_uint64(field::timestamp, static_cast<std::uint64_t>(time_));
    pbf_writer graph(packet, field::heap_graph);
    graph.add_int32(graph_field::pid, facts_.pid());
    fill(graph);
    if (!last) graph.add_bool(graph_field::continued, true);
    graph.add_uint64(graph_field::index, index_++);
  });
}

void HeapGraphs::write(const HeapGraph& graph, const Names& names) {
  used_.clear();
  for (HeapGraph::Index first = 0; first < graph.objects(); first += kObjectsOfPacket)
    add_packet(false, [&](pbf_writer& to) {
      const HeapGraph::Index count = std::min(graph.objects() - first, kObjectsOfPacket);
      for (HeapGraph::Index i = 0; i < count; ++i) write_object(to, graph, first + i, names);
    });
  write_types(names);
  write_roots(graph);
}

void HeapGraphs::write_object(pbf_writer& to, const HeapGraph& graph, HeapGraph::Index object,
                              const Names& names) {
  const std::uint32_t type = names.resolve_class(graph.type(object));
  if (used_.size() <= type) used_.resize(type + std::size_t{1});
  used_[type] = true;
  pbf_writer writer(to, graph_field::objects);
  writer.add_uint64(1, graph.id(object));
  writer.add_uint64(2, std::uint64_t{type} + 1);
  writer.add_uint64(3, graph.size(object));
  const auto references = graph.references(object);
  if (references.empty()) return;
  {
    protozero::packed_field_uint64 fields(writer, 4);
    for (std::size_t i = 0; i < references.size(); ++i) fields.add_element(kReference);
  }
  protozero::packed_field_uint64 targets(writer, 5);
  for (const HeapGraph::Index target : references) targets.add_element(graph.id(target));
}

void HeapGraphs::write_types(const Names& names) {
  constexpr int kNormal = 1, kArray = 4;
  add_packet(false, [&](pbf_writer& to) {
    for (std::uint32_t type = 0; type < used_.size(); ++type) {
      if (!used_[type]) continue;
      const std::string name = names.class_name(type);
      pbf_writer writer(to, graph_field::types);
      writer.add_uint64(1, std::uint64_t{type} + 1);
      writer.add_string(3, base::repaired(name));
      writer.add_enum(7, name.ends_with("[]") ? kArray : kNormal);
    }
    pbf_writer name(to, graph_field::field_names);
    name.add_uint64(1, kReference);
    name.add_string(2, "reference");
  });
}

void HeapGraphs::write_roots(const HeapGraph& graph) {
  std::map<RootType, std::vector<base::Id>> roots;
  for (const HeapGraph::Root& root : graph.roots())
    roots[root_type(graph.root_kinds()[root.kind])].push_back(graph.id(root.object));
  if (graph.roots().empty() && graph.objects() != 0) {
    // What nothing single holds is taken for one: that changes nobody's dominator.
    ++rootless_;
    const auto dominators = analysis::Dominators::of(graph);
    for (HeapGraph::Index i = 0; i < graph.objects(); ++i)
      if (dominators.of_object(i) == analysis::Dominators::kRoots)
        roots[kUnknownRoot].push_back(graph.id(i));
  }
  add_packet(true, [&](pbf_writer& to) {
    for (const auto& [type, objects] : roots) {
      pbf_writer writer(to, graph_field::roots);
      writer.add_packed_uint64(1, objects.begin(), objects.end());
      writer.add_enum(2, type);
    }
  });
}

void HeapGraphs::tell(Account& account) const {
  const auto note = [&](std::uint64_t count, const char* one, const char* many, const char* rest) {
    if (count != 0) account.notes.push_back(base::count_text(count, one, many) + rest);
  };
  note(outside_, "reference", "references", " to what is not in the heap snapshot: left out.");
  note(roots_outside_, "root", "roots", " not in the heap snapshot: left out.");
  note(left_out_, "object", "objects", " of heap snapshots beyond what has a number: left out.");
  note(rootless_, "heap snapshot", "heap snapshots",
       " without roots: what nothing single holds is one.");
}

}  // namespace polytrace::exports::perfetto
