// SPDX-License-Identifier: Apache-2.0
#include "service/index/make.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "store/source/page_file.hpp"

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

base::result<std::optional<FolderLock>> wait_for_place(const store::IndexPlace& place,
                                                       const Asking& asking) {
  constexpr std::chrono::milliseconds kPoll(20);
  for (;;) {
    auto lock = lock_place(place);
    if (!lock || *lock || asking.is_stopped()) return lock;
    const auto draft = store::read_head(place.file() + ".new");
    if (draft && draft->live != 0) return lock;
    std::this_thread::sleep_for(kPoll);
  }
}

store::IndexJob index_job(const Input& input, const format::Opened& opened, const Making& making) {
  store::IndexJob job{.path = making.place.file(),
                      .format = fmt::format("{} {}", opened.format->name, opened.reader->version()),
                      .source = making.source};
  job.whole = [&content = making.content, file = input.name(), size = making.source.facts.size,
               stop = input.asking().stop] {
    return store::whole_digest(file, size, content, stop);
  };
  job.pump.workers = input.options().workers;
  // What is followed ends by its source.
  if (input.options().follow) job.live = store::live_id(making.source.facts);
  else job.pump.stop = input.asking().stop;
  return job;
}

base::result<event::PumpOutcome> write_index(const Input& input, const format::Opened& opened,
                                             const Making& making) {
  const auto watcher = input.asking().watcher();
  store::IndexJob job = index_job(input, opened, making);
  if (watcher) job.pump.progress = [&](const base::Source& read) { watcher->update(read); };
  return store::build_index(*opened.reader, job);
}

}  // namespace polytrace::service
