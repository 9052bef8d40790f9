// SPDX-License-Identifier: Apache-2.0
#include "history/trace_compass/ht_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/io/cursor.hpp"
#include "history/trace_compass/ht_node.hpp"
#include "history/trace_compass/java_paths.hpp"
#include "history/trace_compass/type_table.hpp"

namespace polytrace::history {
namespace {

using base::Code;

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
    read_ht_node(block, offset_, file_.header.most_children, intervals_, texts_, notices_);
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
