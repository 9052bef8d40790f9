// SPDX-License-Identifier: Apache-2.0
#include "collector/live/position.hpp"

#include "base/io/appender.hpp"
#include "base/io/cursor.hpp"
#include "collector/live/saved_state.hpp"

namespace polytrace::collector {
namespace {

std::string state_text(const Saved& saved) {
  base::Appender out;
  out.uleb(saved.closings.size());
  for (const Closing& closing : saved.closings) {
    out.uleb(closing.block);
    out.sleb(closing.until);
  }
  out.bytes(saved.state);
  const base::Bytes all = out.view();
  return {reinterpret_cast<const char*>(all.data()), all.size()};
}

}  // namespace

std::optional<warehouse::Stream> position_of(std::uint64_t stream, const Saved& saved,
                                             const Aggregator& made, const std::string& edge,
                                             std::uint32_t touched) {
  const auto state = read_state_bytes(saved.state);
  if (!state) return std::nullopt;
  const Aggregator::Closed closed = made.last_closed();
  warehouse::Stream row;
  row.stream = stream;
  row.version = 2 * saved.done + state->ended;
  row.series = made.ids().series;
  row.edge = edge;
  row.next_block = saved.done;
  row.offset = saved.offset;
  row.window = static_cast<std::uint32_t>(closed.number * (kWindow / kSecond));
  row.gen = closed.gen;
  row.ended = state->ended;
  row.touched = touched;
  row.state = state_text(saved);
  if (row.state.size() > kMostPositionBytes) return std::nullopt;
  return row;
}

std::optional<Saved> saved_of(const warehouse::Stream& row) {
  base::Cursor in(std::as_bytes(std::span(row.state)), 0);
  Saved saved;
  saved.done = row.next_block;
  saved.offset = row.offset;
  const std::uint64_t closings = in.uleb();
  if (!in.fits(closings, 2)) return std::nullopt;
  for (std::uint64_t i = 0; i < closings; ++i) {
    Closing closing;
    closing.block = in.uleb();
    closing.until = in.sleb();
    saved.closings.push_back(closing);
  }
  if (!in.ok()) return std::nullopt;
  const base::Bytes state = in.bytes(in.left());
  saved.state.assign(state.begin(), state.end());
  if (!read_state_bytes(saved.state)) return std::nullopt;
  return saved;
}

}  // namespace polytrace::collector
