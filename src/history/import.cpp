// SPDX-License-Identifier: Apache-2.0
#include "history/files/bundle_files.hpp"
#include "history/interchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/codes.hpp"
#include "history/csv/csv_reader.hpp"
#include "history/files/json_file.hpp"
#include "history/model/interval_sorter.hpp"
#include "history/trace_compass/ht_reader.hpp"
#include "history/trace_compass/tc_snapshot.hpp"
#include "history/trace_compass/type_table.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

namespace {

BuildOptions build_options(const ImportOptions& options, Tick start) {
  BuildOptions build;
  build.start = start;
  build.layout = options.layout;
  build.replace = options.replace;
  return build;
}

// Faults of single intervals cost these and a notice; all others end the import.
bool is_survivable(Code code) {
  return code == Code::type_conflict || code == Code::time_backwards ||
         code == Code::time_outside || code == Code::intervals_overlap ||
         code == Code::value_too_long || code == Code::value_unexpected ||
         code == Code::key_unknown;
}

// Keeps a survivable fault as a notice. False: `done` is an error to go on with.
bool survive(const result<void>& done, base::Place place, base::Notices& notices) {
  if (done) return true;
  if (!is_survivable(done.error().code)) return false;
  // Some of these end a query that a user asked for; in a file they are damage.
  const Code code =
      done.error().code == Code::time_outside || done.error().code == Code::key_unknown
          ? Code::value_unexpected
          : done.error().code;
  notices.add(code, std::move(place), 0, done.error().detail);
  return true;
}

result<Imported> finish(Builder& builder, const std::string& folder, Tick end,
                        base::Notices notices, const TypesFile& notes = {}) {
  if (auto closed = builder.close(end); !closed) return base::Unexpected(closed.error());
  if (auto whole = complete_bundle(builder, folder, notes); !whole)
    return base::Unexpected(whole.error());
  return Imported{builder.facts(), std::move(notices)};
}

// --- history trees ---

result<void> place_all(const Tree& tree, Builder& builder) {
  for (const Tree::Node node : tree.subtree(Tree::kTop)) {
    if (node == Tree::kTop) continue;
    auto named = builder.name(tree.key(node), tree.key(tree.parent(node)), tree.name(node));
    if (!named) return named;
  }
  return {};
}

result<void> declare_all(const TypesFile& types, Builder& builder) {
  for (const KeyType& type : types.types) {
    if (type.type == Type::open) continue;
    if (auto done = builder.declare(type.key, type.type); !done) return done;
  }
  return {};
}

result<void> insert_all(std::span<const Interval> intervals, Builder& builder,
                        base::Notices& notices) {
  for (const Interval& one : intervals) {
    const auto done = builder.insert(one.key, one.start, one.end, one.value);
    if (!survive(done, {}, notices)) return done;
  }
  return {};
}

result<Imported> import_ht(std::unique_ptr<base::Source> source, const std::string& folder,
                           const ImportOptions& options) {
  IntervalSorter sorter(IntervalOrder::by_time);
  base::Notices notices;
  const auto file = read_ht(
      *source, [&](std::span<const Interval> some) { return sorter.add(some); }, notices,
      options.limits);
  if (!file) return base::Unexpected(file.error());
  auto builder = create_bundle(folder, build_options(options, file->header.start));
  if (!builder) return base::Unexpected(builder.error());
  auto placed = builder->end(file->header.start, kRoot);  // nothing was ever said of it
  if (placed) placed = place_all(file->tree, *builder);
  if (placed) placed = declare_all(file->types, *builder);
  if (!placed) return base::Unexpected(placed.error());
  const auto delivered = sorter.deliver(
      [&](std::span<const Interval> some) { return insert_all(some, *builder, notices); });
  if (!delivered) return base::Unexpected(delivered.error());
  return finish(*builder, folder, file->end, std::move(notices));
}

// --- snapshots ---

result<Imported> import_states(const Snapshot& snapshot, Tick first, Tick last,
                               const std::string& folder, const ImportOptions& options,
                               base::Notices notices) {
  BuildOptions build = build_options(options, first);
  build.ticks_per_second = snapshot.states.ticks_per_second;
  build.clock_offset = snapshot.states.clock_offset;
  auto builder = create_bundle(folder, build);
  if (!builder) return base::Unexpected(builder.error());
  if (auto restored = restore(snapshot, *builder); !restored)
    return base::Unexpected(restored.error());
  return finish(*builder, folder, last, std::move(notices), snapshot.types);
}

result<Imported> import_states(const BundleFiles& files, const std::string& folder,
                               const ImportOptions& options) {
  base::Notices notices = files.notices();
  const auto snapshot = load_snapshot(files, notices, options.mixed);
  if (!snapshot) return base::Unexpected(snapshot.error());
  const Tick at = snapshot->states.timestamp.value_or(0);
  return import_states(*snapshot, at, at, folder, options, std::move(notices));
}

result<Imported> import_tc_snapshot(const std::string& path, const std::string& folder,
                                    const ImportOptions& options) {
  base::Notices notices;
  const auto text = load_text(path, notices, options.limits);
  if (!text) return base::Unexpected(text.error());
  auto parsed = parse_tc_snapshot(*text, notices);
  if (!parsed) return base::Unexpected(parsed.error());
  const Tick at = parsed->states.timestamp.value_or(parsed->first.value_or(0));
  const Snapshot snapshot{std::move(parsed->types), std::move(parsed->tree),
                          std::move(parsed->states)};
  return import_states(snapshot, parsed->first.value_or(at), parsed->last.value_or(at), folder,
                       options, std::move(notices));
}

// --- rows ---

// All rows of a table, gathered before anything is written: they come in any order, and a timeline
// has its type before its first value.
class Rows {
 public:
  result<void> read(CsvReader& reader) {
    form_ = reader.form();
    for (;;) {
      const auto rows = reader.next();
      if (!rows) return base::Unexpected(rows.error());
      if (rows->empty()) break;
      for (const CsvRow& row : *rows) {
        const auto taken = take(row);
        if (!survive(taken, {.line = static_cast<std::uint32_t>(row.line)}, notices_)) return taken;
      }
    }
    notices_.merge(reader.notices());
    is_wall_ = reader.has_wall_times();
    const base::Notice* const faulty = notices_.find(Code::row_malformed);
    if (rows_ != 0 || faulty == nullptr) return {};
    return base::fail(Code::row_malformed, "no row is sound: " + faulty->detail, faulty->first);
  }

  result<Imported> build(const std::string& folder, const ImportOptions& options) {
    // INT64_MIN stands for "not told" and is no tick.
    const Tick start = rows_ == 0 ? 0 : std::max(first_, std::numeric_limits<Tick>::min() + 1);
    BuildOptions build = build_options(options, start);
    build.ticks_per_second = options.ticks_per_second;
    if (is_wall_) build.clock_offset = 0;
    auto builder = create_bundle(folder, build);
    if (!builder) return base::Unexpected(builder.error());
    auto done = place_all(tree_, *builder);
    if (done) done = declare_all(types_.file(), *builder);
    if (done) done = leave_unsaid(*builder, start);
    if (done) done = sorter_.deliver([&](auto some) { return put(some, *builder); });
    if (!done) return base::Unexpected(done.error());
    const Tick end = std::max(last_, options.end.value_or(start));
    return finish(*builder, folder, std::max(end, start), std::move(notices_));
  }

 private:
  result<void> take(const CsvRow& row) {
    Key key = row.key;
    if (form_ != CsvForm::keys) {
      const auto node = tree_.make(row.path);
      if (!node) return base::Unexpected(node.error());
      key = key_of(*node);
    }
    types_.add(key, row.value.type());
    first_ = std::min(first_, row.start);
    last_ = std::max(last_, row.end);
    ++rows_;
    const Interval one{.key = key, .start = row.start, .end = row.end, .value = row.value};
    return sorter_.add(std::span(&one, 1));
  }

  // Keys in order of first sight, from the root down.
  Key key_of(Tree::Node node) {
    std::vector<Tree::Node> way;
    for (Tree::Node at = node; tree_.key(at) == kNoKey; at = tree_.parent(at)) way.push_back(at);
    for (; !way.empty(); way.pop_back()) tree_.set_key(way.back(), next_++);
    return tree_.key(node);
  }

  // Intervals say nothing of the root and of mere folders: these have not even a null one.
  result<void> leave_unsaid(Builder& builder, Tick start) const {
    if (form_ == CsvForm::changes) return {};
    for (const Tree::Node node : tree_.subtree(Tree::kTop)) {
      if (types_.knows(tree_.key(node))) continue;
      if (auto done = builder.end(start, tree_.key(node)); !done) return done;
    }
    return {};
  }

  result<void> put(std::span<const Interval> some, Builder& builder) {
    for (const Interval& one : some) {
      auto done = form_ == CsvForm::changes
                      ? builder.modify(one.start, one.key, one.value)
                      : builder.insert(one.key, one.start, one.end, one.value);
      if (!done) done.error().detail = fmt::format("{} at {}", label(one.key), one.start);
      if (!survive(done, {}, notices_)) return done;
    }
    return {};
  }
  std::string label(Key key) const {
    const Tree::Node node = tree_.node(key);
    return node == Tree::kNone ? fmt::format("key {}", key) : "/" + tree_.path(node);
  }

  CsvForm form_ = CsvForm::changes;
  Tree tree_{};
  Key next_ = kRoot + 1;
  TypeTable types_{};
  IntervalSorter sorter_{IntervalOrder::by_time};
  std::uint64_t rows_ = 0;
  Tick first_ = std::numeric_limits<Tick>::max();
  Tick last_ = std::numeric_limits<Tick>::min();
  bool is_wall_ = false;
  base::Notices notices_{};
};

result<Imported> import_rows(std::unique_ptr<base::Source> source, const std::string& folder,
                             const ImportOptions& options) {
  auto reader = CsvReader::open(std::move(source), options.limits, options.ticks_per_second);
  if (!reader) return base::Unexpected(reader.error());
  Rows rows;
  if (auto read = rows.read(*reader); !read) return base::Unexpected(read.error());
  return rows.build(folder, options);
}

// The first bytes of what is there, unpacked.
result<std::vector<std::byte>> head_of(base::Source& source) {
  constexpr std::size_t kHead = 64;
  std::vector<std::byte> head(kHead);
  const auto size = base::read_fully(source, head);
  if (!size) return base::Unexpected(size.error());
  head.resize(*size);
  return head;
}

bool begins_json(const std::vector<std::byte>& head) {
  const auto is_space = [](std::byte c) {
    return c == std::byte{' '} || c == std::byte{'\n'} || c == std::byte{'\r'} ||
           c == std::byte{'\t'};
  };
  const auto first = std::ranges::find_if_not(head, is_space);
  return first != head.end() && *first == std::byte{'{'};
}

}  // namespace

result<Imported> import_bundle(const std::string& path, const std::string& folder,
                               const ImportOptions& options) {
  const auto files = BundleFiles::find(path, kStateFile);
  if (!files) return base::Unexpected(files.error());
  if (files->is_folder() || files->is_archive()) return import_states(*files, folder, options);
  auto source = base::open_source(path, {.limits = options.limits});
  if (!source) return base::Unexpected(source.error());
  const auto head = head_of(**source);
  if (!head) return base::Unexpected(head.error());
  if (is_ht(*head)) return import_ht(base::prepend(*head, std::move(*source)), folder, options);
  if (begins_json(*head)) return import_tc_snapshot(path, folder, options);
  return import_rows(base::prepend(*head, std::move(*source)), folder, options);
}

}  // namespace polytrace::history
