// SPDX-License-Identifier: Apache-2.0
#include "history/trace_compass/ht_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/codes.hpp"
#include "base/io/cursor.hpp"
#include "base/notices.hpp"
#include "base/text/utf8.hpp"
#include "base/types.hpp"
#include "history/model/texts.hpp"
#include "history/model/value.hpp"
#include "history/trace_compass/java_paths.hpp"
#include "history/trace_compass/type_table.hpp"

namespace polytrace::history {
namespace {

using base::Code;

constexpr std::uint8_t kCore = 1;
constexpr std::uint8_t kLeaf = 2;
constexpr std::int8_t kNull = -1;

// What a value's type byte says.
enum class Form : std::int8_t { int32 = 0, text = 1, int64 = 2, real = 3, custom = 20 };

// The number n of significant bytes, then n = 8: those; else 4 bytes if n >= 4, 2 if two more are
// due, 1 if one more is, lowest part first. The stored number is the value plus 3.
std::uint64_t stored_long(base::Cursor& in) {
  const std::uint8_t size = in.byte();
  if (size > 8) return in.fault(Code::value_unexpected), 0;
  if (size == 8) return in.fixed<std::uint64_t>();
  std::uint64_t value = 0;
  unsigned shift = 0;
  unsigned left = size;
  if (left >= 4) {
    value = in.fixed<std::uint32_t>();
    shift = 32;
    left -= 4;
  }
  if (left >= 2) {
    value |= std::uint64_t{in.fixed<std::uint16_t>()} << shift;
    shift += 16;
    left -= 2;
  }
  if (left == 1) value |= std::uint64_t{in.byte()} << shift;
  return value;
}

constexpr std::uint64_t kStoredMore = 3;

std::uint64_t var_long(base::Cursor& in) { return stored_long(in) - kStoredMore; }

Tick plus(Tick start, std::uint64_t distance) {
  return static_cast<Tick>(static_cast<std::uint64_t>(start) + distance);
}

// One node of the file (docs/formats/state-history-interchange.md, "Nodes"). The texts of what it
// reads are views of `block`, or kept in `texts` where they had to be repaired. What lies behind
// damage is skipped with a notice. `offset` is that of the block in the stream.
class NodeReader {
 public:
  NodeReader(base::Bytes block, std::uint64_t offset, Texts& texts, base::Notices& notices)
      : in_(block, offset), texts_(texts), notices_(notices) {}

  void run(std::int32_t most_children, std::vector<Interval>& into) {
    const std::int32_t count = head(most_children);
    if (in_.ok() && count < 0) in_.fault(Code::count_too_large);
    if (!in_.ok()) return tell(in_.fault_offset(), "all intervals are left out");
    // No list is made for the count: every interval takes bytes, and those are at hand.
    for (std::int32_t left = count; left > 0; --left) {
      const std::uint64_t from = in_.offset();
      const auto read = interval();
      if (!in_.ok()) return tell(from, fmt::format("{} intervals are left out", left));
      into.push_back(read);
    }
  }

 private:
  // The number of intervals.
  std::int32_t head(std::int32_t most_children) {
    const std::uint8_t type = in_.byte();
    if (in_.ok() && type != kCore && type != kLeaf) in_.fault(Code::record_unknown);
    start_ = in_.fixed<Tick>();
    end_ = in_.fixed<Tick>();
    if (in_.ok() && end_ < start_) in_.fault(Code::value_unexpected);
    in_.bytes(8);  // least and greatest key
    number_ = in_.fixed<std::int32_t>();
    in_.bytes(4);  // parent
    const auto count = in_.fixed<std::int32_t>();
    if (type == kCore) skip_children(most_children);
    return count;
  }

  void skip_children(std::int32_t most_children) {
    in_.bytes(4);
    in_.bytes(4 * static_cast<std::size_t>(most_children));  // their numbers
    for (std::int32_t i = 0; i < 2 * most_children && in_.ok(); ++i) var_long(in_);
    in_.bytes(8 * static_cast<std::size_t>(most_children));  // their least and greatest keys
  }

  Interval interval() {
    const Tick start = plus(start_, var_long(in_));
    const Tick end = plus(start, var_long(in_));
    const auto quark = in_.fixed<std::int32_t>();
    const Value read = value();
    // A wrong length before it shows here at the latest.
    if (in_.ok() && (quark < 0 || start < start_ || end < start || end > end_))
      in_.fault(Code::value_unexpected);
    return {.key = static_cast<Key>(quark) + 1, .start = start, .end = end, .value = read};
  }

  Value value() {
    const auto form = in_.fixed<std::int8_t>();
    if (form == kNull) return Value::null();
    switch (static_cast<Form>(form)) {
      case Form::int32: return Value::of(std::int64_t{in_.fixed<std::int32_t>()});
      case Form::int64: return Value::of(in_.fixed<std::int64_t>());
      case Form::real: return Value::of(in_.fixed<double>());
      case Form::text: return text();
      case Form::custom: return Value::bytes(octets());
    }
    in_.fault(Code::value_unexpected);
    return Value::null();
  }

  std::string_view octets() {
    const base::Bytes bytes = in_.bytes(in_.fixed<std::uint16_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  Value text() {
    const std::string_view text = octets();
    if (in_.byte() != 0) in_.fault(Code::text_without_end);
    for (std::size_t i = 0; i < text.size();) {
      const unsigned bytes = base::first_character(text.substr(i)).bytes;
      if (bytes == 0) return repaired(text);
      i += bytes;
    }
    return Value::text(text);
  }

  Value repaired(std::string_view text) {
    if (!in_.ok()) return Value::null();
    notices_.add(Code::text_ill_formed, {.offset = in_.offset() - 1 - text.size(), .frame = name()},
                 0);
    return Value::text(texts_.keep(base::repaired(text)));
  }

  std::string name() const { return fmt::format("node {}", number_); }

  void tell(std::uint64_t from, std::string detail) {
    notices_.add(in_.fault_code(), {.offset = in_.fault_offset(), .frame = name()},
                 in_.offset() - from, std::move(detail));
  }

  base::Cursor in_;
  Texts& texts_;
  base::Notices& notices_;
  Tick start_ = 0;
  Tick end_ = 0;
  std::int32_t number_ = 0;
};

constexpr std::uint32_t kTreeMagic = 0x05ffa900;
constexpr std::int32_t kTreeVersion = 11;
constexpr std::size_t kHeaderBytes = 4096;
constexpr std::int32_t kLeastBlock = 64;
constexpr std::int32_t kChildBytes = 4 + 1 + 1 + 4 + 4;  // a child takes at least that in a node

base::Unexpected invalid(const char* what, std::int32_t value) {
  return base::fail(Code::header_invalid, fmt::format("{} {}", what, value));
}

base::result<HtHeader> parse_header(base::Bytes bytes, const base::Limits& limits) {
  base::Cursor in(bytes, 0);
  if (in.fixed<std::uint32_t>() != kTreeMagic) return base::fail(Code::not_recognised);
  if (const auto version = in.fixed<std::int32_t>(); in.ok() && version != kTreeVersion)
    return base::fail(
        Code::version_unsupported,
        fmt::format("history tree version {}; version {} is known", version, kTreeVersion));
  HtHeader header{.provider_version = in.fixed<std::int32_t>(),
                  .block_size = in.fixed<std::int32_t>(),
                  .most_children = in.fixed<std::int32_t>(),
                  .nodes = in.fixed<std::int32_t>(),
                  .root = in.fixed<std::int32_t>(),
                  .start = in.fixed<Tick>()};
  if (bytes.size() < kHeaderBytes)
    return base::fail(Code::header_truncated, {}, {.offset = bytes.size()});
  if (header.block_size < kLeastBlock ||
      static_cast<std::size_t>(header.block_size) > limits.frame_bytes)
    return invalid("node size", header.block_size);
  if (header.most_children < 0 || header.most_children > header.block_size / kChildBytes)
    return invalid("most children", header.most_children);
  if (header.nodes < 0) return invalid("node count", header.nodes);
  return header;
}

class HtReader {
 public:
  HtReader(base::Source& source, const HtIntervals& each, base::Notices& notices)
      : source_(source), each_(each), notices_(notices) {}

  base::result<HtFile> run(const base::Limits& limits) {
    std::vector<std::byte> head(kHeaderBytes);
    const auto got = base::read_fully(source_, head);
    if (!got) return base::Unexpected(got.error());
    const auto header = parse_header(base::Bytes(head).first(*got), limits);
    if (!header) return base::Unexpected(header.error());
    file_.header = *header;
    file_.end = header->start;
    block_.resize(static_cast<std::size_t>(header->block_size));
    const auto whole = read_nodes();
    if (!whole) return base::Unexpected(whole.error());
    if (*whole) {
      if (auto read = read_java_paths(source_, offset_, file_.tree, notices_); !read)
        return base::Unexpected(read.error());
    }
    if (const auto fault = source_.end_fault())
      notices_.add(fault->code, fault->place, 0, fault->detail);
    file_.types = types_.file();
    return std::move(file_);
  }

 private:
  // False when the stream ended before the last node did.
  base::result<bool> read_nodes() {
    for (std::int32_t i = 0; i < file_.header.nodes; ++i) {
      const auto got = base::read_fully(source_, block_);
      if (!got) return base::Unexpected(got.error());
      if (*got < block_.size()) cut(i, *got);
      if (*got == 0) return false;
      if (auto given = give(base::Bytes(block_).first(*got)); !given)
        return base::Unexpected(given.error());
      offset_ += *got;
      if (*got < block_.size()) return false;
    }
    return true;
  }

  base::result<void> give(base::Bytes block) {
    intervals_.clear();
    texts_.clear();
    NodeReader(block, offset_, texts_, notices_).run(file_.header.most_children, intervals_);
    for (const Interval& interval : intervals_) {
      types_.add(interval.key, interval.value.type());
      file_.end = std::max(file_.end, interval.end);
    }
    file_.intervals += intervals_.size();
    return intervals_.empty() ? base::result<void>() : each_(intervals_);
  }

  void cut(std::int32_t node, std::size_t got) {
    notices_.add(Code::frame_truncated,
                 {.offset = offset_ + got, .frame = fmt::format("node {}", node)}, 0,
                 fmt::format("{} of {} nodes are whole; the attribute tree is missing", node,
                             file_.header.nodes));
  }

  base::Source& source_;
  const HtIntervals& each_;
  base::Notices& notices_;
  HtFile file_{};
  TypeTable types_{};
  std::vector<std::byte> block_{};
  std::vector<Interval> intervals_{};
  Texts texts_{};
  std::uint64_t offset_ = kHeaderBytes;
};

}  // namespace

bool is_ht(base::Bytes head) {
  return head.size() >= sizeof kTreeMagic &&
         base::load_le<std::uint32_t>(head.data()) == kTreeMagic;
}

base::result<HtFile> read_ht(base::Source& source, const HtIntervals& each, base::Notices& notices,
                             const base::Limits& limits) {
  return HtReader(source, each, notices).run(limits);
}

}  // namespace polytrace::history
