// SPDX-License-Identifier: Apache-2.0
#include "service/index/ready_index.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/io/scratch_file.hpp"
#include "service/index/build.hpp"

namespace polytrace::service {
namespace {

using store::FolderLock;
using store::Store;

// A store and what keeps its folder, which go together.
struct HeldStore {
  std::shared_ptr<const Store> store;
  std::optional<FolderLock> lock;
};

std::shared_ptr<const Store> held(std::shared_ptr<const Store> store,
                                  std::optional<FolderLock> lock) {
  const auto both = std::make_shared<HeldStore>(HeldStore{std::move(store), std::move(lock)});
  return {both, both->store.get()};
}

Asked<ReadyIndex> make_unnamed(const Input& input) {
  const auto source = store::identify(input.name());
  base::ContentHash content;
  auto opened = input.open_trace(&content);
  if (!opened) return refuse(opened.error(), input.name());
  const auto watcher = input.asking().watcher();
  store::IndexJob job{
      .path = {}, .format = fmt::format("{} {}", opened->format->name, opened->reader->version())};
  if (source) {
    job.source = *source;
    job.whole = [&] { return store::whole_digest(input.name(), source->facts.size, content); };
  }
  job.pump.stop = input.asking().stop;
  job.pump.workers = input.options().workers;
  if (watcher) job.pump.progress = [&](const base::Source& source) { watcher->update(source); };
  auto made = store::build_unnamed_index(*opened->reader, job);
  if (!made) return refuse(made.error(), base::scratch_folder());
  ReadyIndex ready{.store = std::move(made->store)};
  ready.reading.origin = origin_of(input, *opened);
  ready.reading.passed.notices = made->outcome.notices.sorted();
  ready.reading.passed.outcome = std::move(made->outcome);
  ready.reading.passed.interrupted = ready.store == nullptr;
  return ready;
}

Asked<ReadyIndex> open_built(BuiltIndex built) {
  ReadyIndex ready{.folder = built.account.folder,
                   .reading = std::move(built.reading),
                   .replaced = std::move(built.replaced)};
  if (!built.written) return ready;
  const store::IndexPlace place{ready.folder};
  auto lock = FolderLock::use(place);
  auto opened = Store::open(place.file());
  if (!opened) return refuse(opened.error(), place.file());
  // Where nothing can be written, nobody removes it either.
  ready.store = held(std::move(*opened), lock ? std::move(*lock) : std::nullopt);
  return ready;
}

// Whether what the index would be of is all that the trace's reader reads.
bool can_be_kept(const Input& input) {
  const InputOptions& options = input.options();
  return options.file != "-" && options.segments.empty() && !options.resync &&
         !depends_on_neighbours(options.file, {});
}

}  // namespace

Asked<ReadyIndex> ready_index(const Input& input) {
  const IndexOptions& wanted = input.options().index;
  if (wanted.none || !can_be_kept(input)) return make_unnamed(input);
  auto built = build_index(input);
  if (built) {
    auto ready = open_built(std::move(*built));
    if (!ready || !ready->store || !depends_on_neighbours(input.name(), ready->store->notices()))
      return ready;
    return make_unnamed(input);
  }
  const Refusal& refusal = built.error();
  if (refusal.file == input.name() || !wanted.folder.empty()) return tl::unexpected(refusal);
  auto unnamed = make_unnamed(input);
  if (unnamed) unnamed->kept_out = refusal.error;
  return unnamed;
}

}  // namespace polytrace::service
