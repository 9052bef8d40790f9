// SPDX-License-Identifier: Apache-2.0
#include "service/index/make.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace polytrace::service {

using store::FolderLock;

Refusal refuse_place(const store::IndexPlace& place, const base::Error& error) {
  base::Error told = error;
  told.detail +=
      fmt::format("{}--index PATH puts the index elsewhere", told.detail.empty() ? "" : "; ");
  return {told, place.folder, {}};
}

base::result<std::optional<FolderLock>> lock_place(const store::IndexPlace& place) {
  constexpr int kTries = 3;
  base::result<std::optional<FolderLock>> lock = std::nullopt;
  for (int i = 0; i < kTries; ++i) {
    if (auto made = store::make_folder(place); !made) return base::Unexpected(made.error());
    lock = FolderLock::take(place.lock(), FolderLock::Share::alone);
    if (!lock || !*lock || access(place.lock().c_str(), F_OK) == 0) break;
  }
  return lock;
}

store::IndexJob index_job(const Input& input, const event::Reader& reader,
                          const format::Format& format, const store::SourceIdentity& source,
                          const store::IndexPlace& place) {
  store::IndexJob job{.path = place.file(),
                      .format = fmt::format("{} {}", format.name, reader.version()),
                      .source = source.facts,
                      .fingerprint = source.fingerprint};
  job.pump.workers = input.options().workers;
  // What is followed ends by its source.
  if (input.options().follow) job.live = store::live_id(source.facts);
  else job.pump.stop = input.asking().stop;
  return job;
}

base::result<event::PumpOutcome> write_index(const Input& input, event::Reader& reader,
                                             const format::Format& format,
                                             const store::SourceIdentity& source,
                                             const store::IndexPlace& place) {
  const auto watcher = input.asking().watcher();
  store::IndexJob job = index_job(input, reader, format, source, place);
  if (watcher) job.pump.progress = [&](const base::Source& read) { watcher->update(read); };
  return store::build_index(reader, job);
}

}  // namespace polytrace::service
