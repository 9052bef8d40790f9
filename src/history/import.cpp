// SPDX-License-Identifier: Apache-2.0
#include "history/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "history/csv_reader.hpp"
#include "history/ht_reader.hpp"
#include "history/interval_sorter.hpp"
#include "history/json_file.hpp"
#include "history/tc_snapshot.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

namespace {

BuildOptions build_options(const ImportOptions& options, Tick start) {
  BuildOptions build;
  build.start = start;
  build.layout = options.layout;
  build.replace = options.replace;
  build.reorder_window = options.reorder_window;
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
                        base::Notices notices) {
  if (auto closed = builder.close(end); !closed) return base::Unexpected(closed.error());
  if (auto whole = complete_bundle(builder, folder); !whole) return base::Unexpected(whole.error());
  return Imported{builder.facts(), std::move(notices)};
}

// Nothing was ever said of the root and of mere folders: they have no interval, not even a null
// one.
result<void> leave_unsaid(Builder& builder, Key first, Key behind) {
  const Tick start = builder.facts().start;
  for (Key key = first; key < behind; ++key) {
    const auto done = builder.end(start, key);
    if (!done && !is_survivable(done.error().code)) return done;
  }
  return {};
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
  auto placed = leave_unsaid(*builder, kRoot, kRoot + 1);
  if (placed) placed = place_all(file->tree, *builder);
  if (!placed) return base::Unexpected(placed.error());
  for (const KeyType& type : file->types.types) {
    if (type.type == Type::open) continue;
    if (auto done = builder->declare(type.key, type.type); !done)
      return base::Unexpected(done.error());
  }
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
  return finish(*builder, folder, last, std::move(notices));
}

result<Imported> import_folder(const std::string& path, const std::string& folder,
                               const ImportOptions& options) {
  base::Notices notices;
  const auto snapshot = load_snapshot(path, notices);
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

// The smallest time of all rows: a history begins there.
result<Tick> first_time(const std::string& path, const ImportOptions& options) {
  auto source = base::open_source(path, {.limits = options.limits});
  if (!source) return base::Unexpected(source.error());
  auto reader = CsvReader::open(std::move(*source), options.limits);
  if (!reader) return base::Unexpected(reader.error());
  Tick first = std::numeric_limits<Tick>::max();
  for (;;) {
    const auto rows = reader->next();
    if (!rows) return base::Unexpected(rows.error());
    if (rows->empty()) return first == std::numeric_limits<Tick>::max() ? 0 : first;
    for (const CsvRow& row : *rows) first = std::min(first, row.start);
  }
}

// `known` counts the keys that paths have made so far.
result<void> add_row(const CsvRow& row, CsvForm form, Builder& builder, Key& known) {
  Key key = row.key;
  if (form != CsvForm::keys) {
    const auto made = builder.key(row.path);
    if (!made) return base::Unexpected(made.error());
    key = *made;
    if (key >= known) {
      if (form == CsvForm::paths) {
        if (auto done = leave_unsaid(builder, known, key); !done) return done;
      }
      known = key + 1;
    }
  }
  return form == CsvForm::changes ? builder.modify(row.start, key, row.value)
                                  : builder.insert(key, row.start, row.end, row.value);
}

// INT64_MIN stands for "not told" and is no tick.
Tick tick_of(Tick first) { return std::max(first, std::numeric_limits<Tick>::min() + 1); }

result<Imported> import_rows(const std::string& path, const std::string& folder,
                             const ImportOptions& options) {
  const auto first = first_time(path, options);
  if (!first) return base::Unexpected(first.error());
  auto source = base::open_source(path, {.limits = options.limits});
  if (!source) return base::Unexpected(source.error());
  auto reader = CsvReader::open(std::move(*source), options.limits);
  if (!reader) return base::Unexpected(reader.error());
  BuildOptions build = build_options(options, tick_of(*first));
  build.strict_types = false;
  auto builder = create_bundle(folder, build);
  if (!builder) return base::Unexpected(builder.error());
  base::Notices notices;
  Tick last = build.start;
  Key known = kRoot + 1;
  if (reader->form() != CsvForm::changes) {
    if (auto done = leave_unsaid(*builder, kRoot, known); !done)
      return base::Unexpected(done.error());
  }
  for (;;) {
    const auto rows = reader->next();
    if (!rows) return base::Unexpected(rows.error());
    if (rows->empty()) break;
    for (const CsvRow& row : *rows) {
      const auto done = add_row(row, reader->form(), *builder, known);
      if (!survive(done, {.line = static_cast<std::uint32_t>(row.line)}, notices))
        return base::Unexpected(done.error());
      last = std::max(last, row.end);
    }
  }
  notices.merge(reader->notices());
  return finish(*builder, folder, last, std::move(notices));
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
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) return import_folder(path, folder, options);
  auto source = base::open_source(path, {.limits = options.limits});
  if (!source) return base::Unexpected(source.error());
  const auto head = head_of(**source);
  if (!head) return base::Unexpected(head.error());
  if (is_ht(*head)) return import_ht(base::prepend(*head, std::move(*source)), folder, options);
  if (begins_json(*head)) return import_tc_snapshot(path, folder, options);
  return import_rows(path, folder, options);
}

}  // namespace polytrace::history
