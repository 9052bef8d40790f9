// SPDX-License-Identifier: Apache-2.0
#include "exports/jfr/pools.hpp"

#include <fmt/format.h>

#include "exports/jfr/metadata.hpp"

namespace polytrace::exports::jfr {
namespace {

using slice::Names;
using slice::StackTree;

constexpr std::uint32_t kUnmanaged = ~std::uint32_t{0} - 1;  // as a method
constexpr std::uint64_t kUnmanagedNumber = std::uint64_t{1} << 33;
constexpr std::uint64_t kManagedFrame = 1, kNativeFrame = 2;
constexpr std::uint64_t kPools = 5;  // that are never empty

struct MethodParts {
  std::string type;
  std::string name;
};

// "Ns.Type:Method (int)", "Ns.Type::Method" and "com.acme.Shop.main".
MethodParts parts_of(const std::string& method) {
  std::size_t split = method.find(':');
  if (split != std::string::npos && split != 0 && method.substr(split, 2) == "::")
    return {method.substr(0, split), method.substr(split + 2)};
  if (split == std::string::npos) {
    const std::size_t signature = method.find('(', 1);
    split = method.rfind('.', signature == std::string::npos ? signature : signature - 1);
  }
  if (split == std::string::npos || split == 0) return {"", method};
  return {method.substr(0, split), method.substr(split + 1)};
}

void pool(Bytes& out, type::Id type, std::size_t entries) {
  if (entries == 0) return;
  out.number(std::uint64_t{type});
  out.number(std::uint64_t{entries});
}

}  // namespace

std::uint32_t Pools::node(const slice::Slice& slice, const event::Stack& recorded) {
  std::uint32_t stack = StackTree::kRoot;
  for (const base::Id frame : slice.batch.list(recorded))
    if (slice.names.is_method(frame))
      stack = stacks_.child(stack, slice.names.methods().index(frame));
  return stack;
}

std::uint64_t Pools::stack(const slice::Slice& slice, const event::Stack& recorded,
                           bool with_unmanaged) {
  const std::uint32_t stack = node(slice, recorded);
  const auto frames = slice.batch.list(recorded);
  const bool unmanaged =
      with_unmanaged && (frames.empty() || !slice.names.is_method(frames.back()));
  return known(unmanaged ? stacks_.child(stack, kUnmanaged) : stack);
}

std::uint64_t Pools::symbol(std::string text) {
  return symbols_.try_emplace(std::move(text), symbols_.size() + 1).first->second;
}

std::uint64_t Pools::class_named(std::string text) {
  return class_names_.try_emplace(std::move(text), 2 * class_names_.size() + 1).first->second;
}

void Pools::begin_chunk() {
  ++chunk_;
  for (Used* used : {&methods_, &threads_, &strangers_, &classes_, &stacks_used_})
    used->list.clear();
  class_names_.clear();
  symbols_.clear();
}

// What refers to others comes before them, so that all of these are known.
void Pools::write(Bytes& out, base::Time start, const Names& names) {
  constexpr std::uint64_t kCheckpoint = 1;
  const std::size_t event = out.begin(kCheckpoint);
  out.number(start);
  out.number(std::uint64_t{0});  // duration
  out.number(std::uint64_t{0});  // the checkpoint before
  out.byte(1);
  // Readers refuse pools without entries.
  out.number(kPools + (stacks_used_.list.empty() ? 0 : 1) +
             (threads_.list.empty() && strangers_.list.empty() ? 0 : 1));
  write_threads(out, names);
  write_stacks(out, names);
  write_methods(out, names);
  write_classes(out, names);
  pool(out, type::frame_type_t, 2);
  out.number(kManagedFrame);
  out.text("JIT compiled");
  out.number(kNativeFrame);
  out.text("Native");
  pool(out, type::thread_state_t, 1);
  out.number(std::uint64_t{1});
  out.text("STATE_RUNNABLE");
  write_symbols(out);
  out.end(event);
}

void Pools::write_threads(Bytes& out, const Names& names) const {
  pool(out, type::thread_t, threads_.list.size() + strangers_.list.size());
  const auto write = [&](std::uint64_t number, const std::string& name, base::Id id) {
    out.number(number);
    out.text(name);
    out.number(id);
    out.text(name);
    out.number(number);
  };
  for (const std::uint32_t index : threads_.list)
    write(index + std::uint64_t{1}, names.thread_name(index), names.threads()[index].id);
  for (const std::uint32_t index : strangers_.list) {
    const base::Id id = strange_ids_.id(index);
    write(kFirstStranger + index + 1, fmt::format("{:#x}", id), id);
  }
}

void Pools::write_stacks(Bytes& out, const Names& names) {
  pool(out, type::stack_t, stacks_used_.list.size());
  std::vector<std::uint32_t> frames;
  for (const std::uint32_t stack : stacks_used_.list) {
    frames.clear();
    for (std::uint32_t node = stack; node != StackTree::kRoot; node = stacks_.parent(node))
      if (const std::uint32_t m = stacks_.method(node); m == kUnmanaged || texts_.shows(m, names))
        frames.push_back(m);
    out.number(stack + std::uint64_t{1});
    out.byte(0);  // not truncated
    out.number(std::uint64_t{frames.size()});
    for (const std::uint32_t frame : frames) {
      out.number(frame == kUnmanaged ? kUnmanagedNumber : method(frame));
      out.number(std::uint64_t{0});  // line
      out.number(std::uint64_t{0});  // bytecode
      out.number(frame == kUnmanaged ? kNativeFrame : kManagedFrame);
    }
  }
}

void Pools::write_methods(Bytes& out, const Names& names) {
  pool(out, type::method_t, methods_.list.size() + 1);
  const auto write = [&](std::uint64_t number, const std::string& text) {
    const MethodParts parts = parts_of(text);
    out.number(number);
    out.number(class_named(parts.type));
    out.number(symbol(parts.name));
    out.number(symbol("()V"));
    out.number(std::uint64_t{0});  // modifiers
    out.byte(0);                   // not hidden
  };
  write(kUnmanagedNumber, "(no managed frame)");
  for (const std::uint32_t index : methods_.list) {
    if (!names.methods().named(index)) texts_.count_nameless(index);
    write(index + std::uint64_t{1}, names.method_name(index));
  }
}

void Pools::write_classes(Bytes& out, const Names& names) {
  pool(out, type::class_t, classes_.list.size() + class_names_.size());
  const auto write = [&](std::uint64_t number, const std::string& name) {
    out.number(number);
    out.number(std::uint64_t{0});  // loader
    out.number(symbol(name));
    out.number(std::uint64_t{0});  // package
    out.number(std::uint64_t{0});  // modifiers
  };
  for (const auto& [name, number] : class_names_) write(number, name);
  for (const std::uint32_t index : classes_.list)
    write(2 * (index + std::uint64_t{1}), names.class_name(names.resolve_class(index)));
}

void Pools::write_symbols(Bytes& out) const {
  pool(out, type::symbol_t, symbols_.size());
  for (const auto& [text, number] : symbols_) {
    out.number(number);
    out.text(text);
  }
}

}  // namespace polytrace::exports::jfr
