// SPDX-License-Identifier: Apache-2.0
#include "service/trace/call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "service/words/numbers.hpp"

namespace polytrace::service {
namespace {

constexpr std::string_view kCalls = "calls:";

store::Range moment(std::uint32_t thread, base::Time at) {
  return {.from = at, .to = base::tick_after(at, 1), .threads = {thread}};
}

// The calls of a row that begin at the very moment, in their order.
base::result<std::vector<store::SliceId>> begun_at(const IndexedTrace& trace, std::uint32_t thread,
                                                   std::uint32_t row, base::Time at) {
  std::vector<store::SliceId> found;
  const auto seen =
      trace.store().slices(moment(thread, at), nullptr, [&](const store::SlicePage& page) {
        for (std::size_t i = 0; i < page.calls.size(); ++i)
          if (page.starts[i] == at && page.depths[i] == row) found.push_back(page.calls[i]);
      });
  if (!seen) return base::Unexpected(seen.error());
  return found;
}

// Exactly: two calls of one path may share a nanosecond.
base::result<std::uint64_t> calls_inside(const IndexedTrace& trace, const store::Call& call,
                                         const store::Range& range) {
  std::uint64_t count = 0;
  std::optional<std::uint32_t> depth{};  // of the call, once it was met; gone behind its end
  bool is_over = false;
  const auto seen = trace.store().slices(range, nullptr, [&](const store::SlicePage& page) {
    for (std::size_t i = 0; i < page.calls.size() && !is_over; ++i) {
      if (page.calls[i] == call.call) depth = page.depths[i];
      else if (depth && page.depths[i] > *depth) ++count;
      else if (depth) is_over = true;
    }
  });
  if (!seen) return base::Unexpected(seen.error());
  return count;
}

bool is_below(const store::Paths& paths, std::uint32_t path, std::uint32_t above) {
  while (path > above) path = paths.parent(path);
  return path == above;
}

base::result<void> add_allocations(const IndexedTrace& trace, const store::Call& call,
                                   const store::Range& range, CallFacts::Inside& inside) {
  const auto sums = trace.store().sums(store::SumKind::allocations, range);
  if (!sums) return base::Unexpected(sums.error());
  for (const store::SumEntry& entry : *sums) {
    if (!is_below(trace.store().paths(), entry.key.path, call.path)) continue;
    inside.objects += entry.measures[0];
    inside.bytes += entry.measures[1];
  }
  return {};
}

base::result<CallFacts::Inside> inside_of(const IndexedTrace& trace, const store::Call& call,
                                          const std::atomic<bool>* stop) {
  const store::Range range{
      .from = call.start, .to = call.end, .threads = {call.thread}, .stop = stop};
  CallFacts::Inside inside;
  const auto sums = trace.store().calls(range);
  if (!sums) return base::Unexpected(sums.error());
  for (const store::PathFigures& sum : sums->paths()) {
    if (sum.path == call.path) inside.self += sum.self;
    if (!is_below(trace.store().paths(), sum.path, call.path)) continue;
    inside.blocked += sum.blocked;
    inside.waiting += sum.waiting;
    inside.paused += sum.paused;
  }
  const auto calls = calls_inside(trace, call, range);
  if (!calls) return base::Unexpected(calls.error());
  inside.calls = *calls;
  if (auto added = add_allocations(trace, call, range, inside); !added)
    return base::Unexpected(added.error());
  return inside;
}

}  // namespace

std::string to_text(const CallAddress& address) {
  std::string text = fmt::format("{}{}/{}/{}", kCalls, address.thread, address.row, address.start);
  if (address.nth != 1) text += fmt::format(".{}", address.nth);
  return text;
}

std::optional<CallAddress> parse_call_address(std::string_view text) {
  if (!text.starts_with(kCalls)) return std::nullopt;
  text.remove_prefix(kCalls.size());
  const auto skip = [&](char mark) {
    if (!text.starts_with(mark)) return false;
    text.remove_prefix(1);
    return true;
  };
  CallAddress address;
  const auto thread = take_number<std::uint32_t>(text);
  if (!thread || !skip('/')) return std::nullopt;
  const auto row = take_number<std::uint32_t>(text);
  if (!row || !skip('/')) return std::nullopt;
  const auto start = take_number<std::int64_t>(text);
  if (!start) return std::nullopt;
  address = {*thread, *row, *start, 1};
  if (skip('.')) {
    const auto nth = parse_number<std::uint32_t>(text);
    if (!nth || *nth == 0) return std::nullopt;
    address.nth = *nth;
    text = {};
  }
  return text.empty() ? std::optional(address) : std::nullopt;
}

base::result<CallFacts> call_facts(const IndexedTrace& trace, store::SliceId id, CallDetail detail,
                                   const std::atomic<bool>* stop) {
  const auto call = trace.store().call(id);
  if (!call) return base::Unexpected(call.error());
  CallFacts facts{.address = {call->thread, static_cast<std::uint32_t>(call->callers.size()),
                              trace.offset(call->start)},
                  .end = trace.offset(call->end),
                  .is_open = call->how == store::EndKind::end_of_trace,
                  .method = call->method};
  const auto same = begun_at(trace, call->thread, facts.address.row, call->start);
  if (!same) return base::Unexpected(same.error());
  const auto place = std::ranges::find(*same, id) - same->begin();
  facts.address.nth = static_cast<std::uint32_t>(place) + 1;
  if (detail == CallDetail::place) return facts;
  const auto inside = inside_of(trace, *call, stop);
  if (!inside) return base::Unexpected(inside.error());
  facts.inside = *inside;
  return facts;
}

base::result<std::optional<store::SliceId>> find_call(const IndexedTrace& trace,
                                                      const CallAddress& address) {
  if (address.thread >= trace.threads()) return std::nullopt;
  const auto same = begun_at(trace, address.thread, address.row, trace.at(address.start));
  if (!same) return base::Unexpected(same.error());
  if (address.nth > same->size()) return std::nullopt;
  return (*same)[address.nth - 1];
}

base::result<std::vector<store::SliceId>> calls_at(const IndexedTrace& trace, std::uint32_t thread,
                                                   std::int64_t at) {
  const auto open = trace.store().open_calls(thread, trace.at(at));
  if (!open) return base::Unexpected(open.error());
  std::vector<store::SliceId> calls;
  for (const store::OpenCall& call : *open) calls.push_back(call.call);
  return calls;
}

}  // namespace polytrace::service
