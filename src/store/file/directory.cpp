// SPDX-License-Identifier: Apache-2.0
#include "store/file/directory.hpp"

#include "base/codes.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::store {
namespace {

using base::Code;
using base::fail;

}  // namespace

void encode(const Entry& entry, base::Appender& to) {
  to.fixed(entry.kind);
  to.fixed(entry.stream);
  to.fixed(entry.level);
  to.fixed(entry.count);
  to.fixed(entry.number);
  to.fixed(entry.least);
  to.fixed(entry.greatest);
  to.fixed(entry.offset);
  to.fixed(entry.length);
  to.fixed(entry.sum);
  to.fixed(std::uint32_t{0});
}

Entry decode_entry(base::Bytes bytes) {
  base::Cursor in(bytes, 0);
  Entry entry;
  entry.kind = in.fixed<std::uint32_t>();
  entry.stream = in.fixed<std::uint32_t>();
  entry.level = in.fixed<std::uint32_t>();
  entry.count = in.fixed<std::uint32_t>();
  entry.number = in.fixed<std::uint64_t>();
  entry.least = in.fixed<base::Time>();
  entry.greatest = in.fixed<base::Time>();
  entry.offset = in.fixed<std::uint64_t>();
  entry.length = in.fixed<std::uint64_t>();
  entry.sum = in.fixed<std::uint32_t>();
  return entry;
}

void encode(const Root& root, base::Appender& to) {
  to.fixed(static_cast<std::uint32_t>(root.directory.size()));
  for (const std::uint64_t offset : root.directory) to.fixed(offset);
  const Totals& totals = root.totals;
  for (const std::uint64_t number : {totals.events, totals.blocks, totals.paths, totals.texts,
                                     totals.threads, totals.methods, totals.classes})
    to.fixed(number);
  for (const base::Time time : {totals.origin, totals.first, totals.last, totals.settled})
    to.fixed(time);
}

base::result<Root> decode_root(base::Bytes payload, std::uint64_t offset) {
  base::Cursor in(payload, offset);
  Root root;
  const auto count = in.fixed<std::uint32_t>();
  if (in.fits(count, sizeof(std::uint64_t))) {
    root.directory.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) root.directory.push_back(in.fixed<std::uint64_t>());
  }
  Totals& totals = root.totals;
  for (std::uint64_t* number : {&totals.events, &totals.blocks, &totals.paths, &totals.texts,
                                &totals.threads, &totals.methods, &totals.classes})
    *number = in.fixed<std::uint64_t>();
  for (base::Time* time : {&totals.origin, &totals.first, &totals.last, &totals.settled})
    *time = in.fixed<base::Time>();
  if (!in.ok()) return fail(in.fault_code(), {}, {.offset = in.fault_offset(), .frame = "ROOT"});
  if (!in.done()) return fail(Code::trailing_bytes, {}, {.offset = in.offset(), .frame = "ROOT"});
  return root;
}

base::result<void> decode_entries(base::Bytes payload, std::uint64_t offset,
                                  std::vector<Entry>& to) {
  if (payload.size() % kEntryBytes != 0 || payload.size() > kEntriesPerFrame * kEntryBytes)
    return fail(Code::value_unexpected, "length", {.offset = offset, .frame = "DIRE"});
  for (; !payload.empty(); payload = payload.subspan(kEntryBytes))
    to.push_back(decode_entry(payload.first(kEntryBytes)));
  return {};
}

}  // namespace polytrace::store
