// SPDX-License-Identifier: Apache-2.0
#include "history/write/stream_writer.hpp"

#include <algorithm>

#include "history/layout/bits.hpp"

namespace polytrace::history {

void StreamWriter::add(const KeyInfo& info, const State& state, Tick end) {
  const bool null_is_gap = info.code == code_of(Type::none);
  if (presence_of(state.tag) == Presence::absent) return;
  if (presence_of(state.tag) == Presence::null && null_is_gap) return;
  records_.push_back({end, state, info.key, info.code});
}

void StreamWriter::put(base::Appender& to, const Record& record, Tick before) {
  constexpr auto kNone = code_of(Type::none);
  const bool has_value = presence_of(record.state.tag) == Presence::value && record.code != kNone;
  to.uleb(std::uint64_t{record.key} << 1 | (has_value ? 1U : 0U));
  to.uleb(zigzag(static_cast<std::int64_t>(ticks_between(before, record.end))));
  to.uleb(ticks_between(record.state.start, record.end));
  if (!has_value) return;
  const TypeCode code = type_of(record.state.tag);
  const std::uint64_t payload = record.state.payload;
  if (record.code == kAnyCode) to.byte(code);
  switch (static_cast<Type>(code)) {
    case Type::boolean: to.byte(static_cast<std::uint8_t>(payload)); break;
    case Type::integer: to.uleb(zigzag(static_cast<std::int64_t>(payload))); break;
    case Type::real: to.fixed(payload); break;
    case Type::string:
    case Type::bytes: to.uleb(payload + 1); break;
    default: break;
  }
}

base::result<void> StreamWriter::flush(
    const std::function<base::result<void>(base::Bytes)>& write) {
  constexpr std::size_t kMostBytes = (std::size_t{1} << 20) - 64;
  constexpr std::size_t kMostHead = 10;
  std::ranges::stable_sort(records_, {}, &Record::end);
  for (std::size_t done = 0; done < records_.size();) {
    const Tick base = records_[done].end;
    Tick before = base;
    base::Appender records;
    std::size_t count = 0;
    for (; done < records_.size() && records.size() < kMostBytes - kMostHead; ++count, ++done) {
      put(records, records_[done], before);
      before = records_[done].end;
    }
    base::Appender payload;
    payload.fixed(base);
    payload.uleb(count);
    payload.bytes(records.view());
    if (auto written = write(payload.view()); !written) return written;
  }
  records_.clear();
  return {};
}

}  // namespace polytrace::history
