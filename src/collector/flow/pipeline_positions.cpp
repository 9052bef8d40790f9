// SPDX-License-Identifier: Apache-2.0
// Where streams are, for who has lost this folder; and the other way round.
#include <algorithm>

#include "base/wall_clock.hpp"
#include "collector/flow/pipeline.hpp"
#include "collector/live/position.hpp"

namespace polytrace::collector {

std::vector<std::uint64_t> Pipeline::known_streams() {
  std::vector<std::uint64_t> ids = spool_.streams();
  for (const std::uint64_t id : checkpoint_.streams()) {
    // One that was adopted, of which nothing came: it is asked for again.
    if (!spool_.held(id) && !book_.find(id)) checkpoint_.forget(id);
    else ids.push_back(id);
  }
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

bool Pipeline::may_be_known_elsewhere(std::uint64_t id, const Owner& owner) const {
  const bool is_known = checkpoint_.has(id) || book_.find(id) || spool_.held(id);
  return id != 0 && !is_known && began_before(owner, begun_);
}

base::result<bool> Pipeline::adopt(const warehouse::Stream& row) {
  const auto saved = saved_of(row);
  if (!saved) return false;
  if (auto done = checkpoint_.adopt(row.stream, *saved); !done)
    return base::Unexpected(done.error());
  return true;
}

void Pipeline::note_owner(std::uint64_t id, const Owner& owner) {
  if (const auto noted = book_.note(id, owner); !noted)
    tell_({Weight::warning, "spool", owner.name, id, base::to_text(noted.error())});
}

// Where it is, behind all its rows until then; for this folder, and for who has it no more.
void Pipeline::save(Stream& stream, Saved&& saved) {
  const auto now = static_cast<std::uint32_t>(base::wall_seconds());
  if (auto row = position_of(stream.id, saved, stream.work->aggregator(), name_, now)) {
    Rows rows;
    rows.of<warehouse::Stream>().push_back(std::move(*row));
    packer_.take(std::move(rows), *database_of(stream.owner.user));
  }
  packer_.keep(stream.id, std::move(saved));
}

}  // namespace polytrace::collector
