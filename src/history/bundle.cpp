// SPDX-License-Identifier: Apache-2.0
#include "history/bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "base/codes.hpp"
#include "history/files/bundle_files.hpp"
#include "history/files/json_file.hpp"
#include "history/files/tree_file.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

namespace {

// The id of a JSON file against that of its history; none, or one in another spelling, fits.
result<void> check_id(std::string_view told, std::string_view expected, std::string_view file) {
  if (told.empty() || told == expected) return {};
  return base::fail(Code::bundle_mismatch,
                    fmt::format("{} is of history {}, not {}", file, told, expected));
}

// The "history_id" of a JSON file that is too large to be read whole only for that: what else it
// says, `check` compares. Nothing for a small file, and where the head has another form than ours.
std::optional<std::string> id_in_head(const std::string& path) {
  constexpr std::uintmax_t kSmall = std::uintmax_t{1} << 20;
  constexpr std::string_view kMember = "\"history_id\":\"";
  std::error_code fault;
  const auto size = std::filesystem::file_size(path, fault);
  if (fault || size <= kSmall) return std::nullopt;
  std::string head(256, '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file.read(head.data(), static_cast<std::streamsize>(head.size()))) return std::nullopt;
  const std::size_t begin = head.find(kMember);
  if (!head.starts_with('{') || begin == head.npos) return std::nullopt;
  const std::size_t end = head.find('"', begin + kMember.size());
  if (end == head.npos) return std::nullopt;
  return head.substr(begin + kMember.size(), end - begin - kMember.size());
}

// `parse` of a file of the bundle, if it is there.
template <class Parse>
auto load_if_there(const BundleFiles& files, std::string_view file, base::Notices& notices,
                   Parse parse) -> decltype(parse(std::string_view{})) {
  if (!files.has(file)) return {};
  const auto text = load_text(files.path(file), notices);
  if (!text) return base::Unexpected(text.error());
  auto parsed = parse(*text);
  if (!parsed) parsed.error().detail = fmt::format("{}: {}", file, parsed.error().detail);
  return parsed;
}

result<void> save_types_and_tree(const std::string& folder, const TypesFile& types,
                                 const Tree& tree, bool replace) {
  auto tree_text = to_json(tree, types.history_id);
  if (!tree_text) return base::Unexpected(tree_text.error());
  auto saved = save_text(file_in(folder, kTypesFile), to_json(types), replace);
  return saved ? save_text(file_in(folder, kTreeFile), *tree_text, replace) : saved;
}

// Which history a JSON file of the bundle is of; "" where it does not tell.
template <class Parse>
result<std::string> id_told(const BundleFiles& files, std::string_view file, Parse parse) {
  if (auto id = id_in_head(files.path(file))) return std::move(*id);
  base::Notices notices;
  const auto parsed = load_if_there(files, file, notices,
                                    [&](std::string_view text) { return parse(text, notices); });
  if (!parsed) return base::Unexpected(parsed.error());
  return parsed->history_id;
}

template <class Source>
TypesFile make_types(const Source& source, const TypesFile& notes) {
  TypesFile types;
  types.history_id = to_text(source.facts().id);
  for (const Key key : source.keys()) {
    types.types.push_back({.key = key, .type = source.type(key)});
    const KeyType* const note = notes.find(key);
    if (note == nullptr) continue;
    types.types.back().unit = note->unit;
    types.types.back().description = note->description;
  }
  return types;
}

// A file of the bundle that a snapshot was taken of, byte for byte; else `made`.
result<std::string> text_kept(const SnapshotOptions& options, std::string_view file,
                              std::string made) {
  if (options.bundle == nullptr || !options.bundle->has(file)) return made;
  base::Notices notices;
  return load_text(options.bundle->path(file), notices);
}

// Where a timeline stands by tree.json, where by history.bin.
std::string place_in(const Tree& tree, Key key) {
  const Tree::Node node = tree.node(key);
  return node == Tree::kNone ? "nowhere" : "/" + tree.path(node);
}

void compare_types(const History& history, const TypesFile& types, base::Notices& notices) {
  const auto differ = [&](Key key, std::string_view told, std::string_view own) {
    notices.add(Code::bundle_mismatch, {}, 0,
                fmt::format("{}: key {} is {}, not {}", kTypesFile, key, told, own));
  };
  const auto keys = history.keys();
  for (const Key key : keys) {
    const KeyType* const told = types.find(key);
    const Type own = history.type(key);
    const bool is_open = own == Type::open && told == nullptr;
    const bool is_opaque = told != nullptr && !told->opaque.empty();
    if (!is_open && !is_opaque && types.type(key) != own)
      differ(key, told == nullptr ? "any" : name(told->type), name(own));
  }
  for (const KeyType& told : types.types)
    if (!std::ranges::binary_search(keys, told.key)) differ(told.key, name(told.type), "there");
}

void compare_trees(const History& history, const Tree& tree, base::Notices& notices) {
  const auto compare = [&](Key key) {
    if (key == kNoKey || key == kRoot) return;
    const std::string told = place_in(tree, key);
    const std::string own = place_in(history.tree(), key);
    if (told != own)
      notices.add(Code::bundle_mismatch, {}, 0,
                  fmt::format("{}: key {} is {}, not {}", kTreeFile, key, told, own));
  };
  for (const Key key : history.keys()) compare(key);
  for (const Tree::Node node : tree.subtree(Tree::kTop))
    if (!std::ranges::binary_search(history.keys(), tree.key(node))) compare(tree.key(node));
}

Key highest_key(const Snapshot& snapshot) {
  Key highest = kRoot;
  for (const Tree::Node node : snapshot.tree.subtree(Tree::kTop))
    if (const Key key = snapshot.tree.key(node); key != kNoKey) highest = std::max(highest, key);
  for (const KeyType& type : snapshot.types.types) highest = std::max(highest, type.key);
  for (const StateAt& state : snapshot.states.states) highest = std::max(highest, state.key);
  return highest;
}

// Absent from `first` on, until something else is said.
result<void> begin_absent(const Snapshot& snapshot, Builder& builder, Tick first) {
  std::vector<Key> keys = builder.keys();
  for (const StateAt& state : snapshot.states.states) keys.push_back(state.key);
  for (const Key key : keys) {
    if (auto done = builder.end(first, key); !done) return done;
  }
  return {};
}

// Parents come before their children. A mere folder of the tree gets a key of its own.
result<void> restore_places(const Snapshot& snapshot, Builder& builder) {
  const Tree& tree = snapshot.tree;
  Key fresh = highest_key(snapshot);
  std::vector<Key> keys(tree.size(), kRoot);
  for (const Tree::Node node : tree.subtree(Tree::kTop)) {
    if (node == Tree::kTop) continue;
    keys[node] = tree.key(node) != kNoKey ? tree.key(node) : ++fresh;
    auto named = builder.name(keys[node], keys[tree.parent(node)], tree.name(node));
    if (!named) return named;
  }
  return {};
}

}  // namespace

result<void> make_folder(const std::string& folder) {
  if (auto good = refuse_file(folder); !good) return good;
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (!fault) return {};
  return base::fail(Code::write_failed, fmt::format("{}: {}", folder, fault.message()));
}

std::string to_text(const HistoryId& id) {
  std::string text;
  for (const std::byte byte : id) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

result<Builder> create_bundle(const std::string& folder, const BuildOptions& options) {
  if (auto made = make_folder(folder); !made) return base::Unexpected(made.error());
  return Builder::create(file_in(folder, kHistoryFile), options);
}

result<void> complete_bundle(const Builder& builder, const std::string& folder,
                             const TypesFile& notes) {
  return save_types_and_tree(folder, make_types(builder, notes), builder.tree(), true);
}

result<History> renew_bundle(const std::string& folder, const TypesFile& notes) {
  auto history = History::open(file_in(folder, kHistoryFile));
  if (!history) return history;
  const auto saved =
      save_types_and_tree(folder, make_types(*history, notes), history->tree(), true);
  if (!saved) return base::Unexpected(saved.error());
  return history;
}

result<History> open_bundle(const BundleFiles& files, const OpenBundleOptions& options) {
  auto history = History::open(files.path(kHistoryFile), options.history);
  if (!history) return base::Unexpected(files.explain(history.error(), kHistoryFile));
  history->add(files.notices());
  if (options.force) return history;
  const std::string id = to_text(history->facts().id);
  const auto types = id_told(files, kTypesFile, parse_types);
  if (!types) return base::Unexpected(types.error());
  const auto tree = id_told(files, kTreeFile, parse_tree);
  if (!tree) return base::Unexpected(tree.error());
  if (auto good = check_id(*types, id, kTypesFile); !good) return base::Unexpected(good.error());
  if (auto good = check_id(*tree, id, kTreeFile); !good) return base::Unexpected(good.error());
  return history;
}

TypesFile load_notes(const BundleFiles& files) {
  base::Notices notices;
  auto types = load_if_there(files, kTypesFile, notices,
                             [&](std::string_view text) { return parse_types(text, notices); });
  return types ? std::move(*types) : TypesFile();
}

result<base::Notices> compare_bundle(const History& history, const BundleFiles& files) {
  base::Notices notices;
  if (files.has(kTypesFile)) {
    const auto types = load_if_there(files, kTypesFile, notices, [&](std::string_view text) {
      return parse_types(text, notices);
    });
    if (!types) return base::Unexpected(types.error());
    compare_types(history, *types, notices);
  }
  if (files.has(kTreeFile)) {
    const auto tree = load_if_there(files, kTreeFile, notices, [&](std::string_view text) {
      return parse_tree(text, notices);
    });
    if (!tree) return base::Unexpected(tree.error());
    compare_trees(history, tree->tree, notices);
  }
  return notices;
}

result<void> save_snapshot(const History& history, Tick t, const std::string& folder,
                           const SnapshotOptions& options) {
  const TypesFile types = make_types(history, {});
  const Facts& facts = history.facts();
  StateFile file;
  file.history_id = types.history_id;
  file.timestamp = t;
  file.ticks_per_second = facts.ticks_per_second;
  file.clock_offset = facts.clock_offset;
  const auto told = history.full(t, [&](const Interval& interval) {
    StateAt state{.key = interval.key, .value = interval.value};
    if (options.with_intervals) {
      state.start = interval.start;
      state.end = interval.end;
    }
    file.states.push_back(state);
  });
  if (!told) return told;
  auto made_tree = to_json(history.tree(), types.history_id);
  if (!made_tree) return base::Unexpected(made_tree.error());
  const auto tree_text = text_kept(options, kTreeFile, std::move(*made_tree));
  if (!tree_text) return base::Unexpected(tree_text.error());
  const auto types_text = text_kept(options, kTypesFile, to_json(types));
  if (!types_text) return base::Unexpected(types_text.error());
  if (auto made = make_folder(folder); !made) return made;
  auto saved = save_text(file_in(folder, kTypesFile), *types_text, options.replace);
  if (saved) saved = save_text(file_in(folder, kTreeFile), *tree_text, options.replace);
  if (!saved) return saved;
  return save_text(file_in(folder, kStateFile), to_json(file, types), options.replace);
}

result<Snapshot> load_snapshot(const BundleFiles& files, base::Notices& notices, bool force) {
  Snapshot snapshot;
  auto types = load_if_there(files, kTypesFile, notices,
                             [&](std::string_view text) { return parse_types(text, notices); });
  if (!types) return base::Unexpected(types.error());
  auto tree = load_if_there(files, kTreeFile, notices,
                            [&](std::string_view text) { return parse_tree(text, notices); });
  if (!tree) return base::Unexpected(tree.error());
  const auto text = load_text(files.path(kStateFile), notices);
  if (!text) return base::Unexpected(files.explain(text.error(), kStateFile));
  auto states = parse_state(*text, *types, notices);
  if (!states) return base::Unexpected(files.explain(states.error(), kStateFile));
  if (!force) {
    for (const auto& [id, file] : {std::pair{std::string_view(types->history_id), kTypesFile},
                                   std::pair{std::string_view(tree->history_id), kTreeFile}}) {
      if (auto good = check_id(id, states->history_id, file); !good && !states->history_id.empty())
        return base::Unexpected(good.error());
    }
  }
  snapshot.types = std::move(*types);
  snapshot.tree = std::move(tree->tree);
  snapshot.states = std::move(*states);
  return snapshot;
}

result<void> restore(const Snapshot& snapshot, Builder& builder) {
  if (auto placed = restore_places(snapshot, builder); !placed) return placed;
  for (const KeyType& type : snapshot.types.types) {
    if (type.type == Type::open) continue;
    if (auto declared = builder.declare(type.key, type.type); !declared) return declared;
  }
  const Tick first = builder.facts().start;
  if (auto absent = begin_absent(snapshot, builder, first); !absent) return absent;
  std::vector<const StateAt*> in_order;
  for (const StateAt& state : snapshot.states.states) in_order.push_back(&state);
  const Tick at = snapshot.states.timestamp.value_or(first);
  const auto start = [&](const StateAt* state) {
    return std::max(first, state->start.value_or(at));
  };
  std::ranges::stable_sort(in_order, {}, start);
  for (const StateAt* state : in_order) {
    if (auto done = builder.modify(start(state), state->key, state->value); !done) return done;
  }
  return {};
}

}  // namespace polytrace::history
