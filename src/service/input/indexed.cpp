// SPDX-License-Identifier: Apache-2.0
#include "service/input/indexed.hpp"

#include <filesystem>
#include <utility>

#include "base/codes.hpp"
#include "store/read/events/store_reader.hpp"
#include "store/source/page_file.hpp"

namespace polytrace::service {
namespace {

using base::Code;
using store::IndexView;

namespace fs = std::filesystem;

// As long as its field in the index: may be cut there.
constexpr std::size_t kMostFormat = 32;

bool exists(const std::string& path) {
  std::error_code fault;
  return fs::exists(path, fault);
}

// Of an index that this version does not know: it is not damaged.
bool is_of_another_version(Code code) {
  return code == Code::version_unsupported || code == Code::feature_unknown;
}

void set(FoundIndex& found, IndexStanding standing, std::string detail) {
  found.standing = standing;
  found.detail = std::move(detail);
}

void judge_source(FoundIndex& found, const std::atomic<bool>* stop) {
  using store::Staleness;
  const store::PageHead& head = found.view->head();
  const auto compared = store::compare(head, found.source, found.file, stop);
  if (!compared || !store::is_current(*compared))
    return set(found, IndexStanding::stale,
               compared && *compared == Staleness::grown ? "the trace has grown"
                                                         : "the trace is another one");
  set(found, IndexStanding::current, {});
  if (*compared == Staleness::same) store::refresh(found.place, head, found.source);
}

void judge(FoundIndex& found, const std::atomic<bool>* stop) {
  if (found.view->slot().state != store::IndexState::complete)
    return set(found, IndexStanding::building, "it is being built, or its build was stopped");
  if (found.view->head().rules != store::kRules)
    return set(found, IndexStanding::stale, "of another version");
  if (const auto broken = first_broken(*found.view))
    return set(found, IndexStanding::damaged, base::to_text(broken->error));
  judge_source(found, stop);
}

void look(FoundIndex& found, const std::atomic<bool>* stop) {
  const std::string file = found.place.file();
  const bool whole = exists(file);
  if (!whole && !exists(file + ".new")) return;
  auto view = IndexView::open(whole ? file : file + ".new");
  if (view) {
    found.view = std::move(*view);
    return judge(found, stop);
  }
  if (!whole) return set(found, IndexStanding::building, "nothing of it can be read so far");
  const bool other = is_of_another_version(view.error().code);
  set(found, other ? IndexStanding::stale : IndexStanding::damaged, base::to_text(view.error()));
}

std::optional<CurrentIndex> open_found(FoundIndex& found) {
  const std::string& text = found.view->head().format;
  const format::Format* format = format::find_format(text.substr(0, text.find(' ')));
  if (format == nullptr || text.size() >= kMostFormat) return std::nullopt;
  auto frames = store::IndexFrames::open(found.view);
  if (!frames) {
    set(found, IndexStanding::damaged, base::to_text(frames.error()));
    return std::nullopt;
  }
  if (depends_on_neighbours(found.file, (*frames)->notes().notices)) return std::nullopt;
  auto use = store::FolderLock::use(found.place);
  // Where nothing can be written, nobody removes it either.
  return CurrentIndex(format, std::move(*frames),
                      use ? std::move(*use) : std::optional<store::FolderLock>());
}

}  // namespace

std::optional<base::Notice> FoundIndex::notice() const {
  if (standing != IndexStanding::stale && standing != IndexStanding::damaged) return std::nullopt;
  const bool stale = standing == IndexStanding::stale;
  return base::Notice{.code = stale ? Code::index_stale : Code::index_damaged,
                      .count = 1,
                      .detail = place.file() + ": " + detail};
}

bool depends_on_neighbours(const std::string& file, const base::Notices& notices) {
  return exists(file + ".segments") || notices.find(Code::segments_read) != nullptr ||
         notices.find(Code::segments_damaged) != nullptr;
}

base::result<FoundIndex> find_index(const std::string& file, const std::string& folder,
                                    const std::atomic<bool>* stop) {
  const auto source = store::identify(file);
  if (!source) return base::Unexpected(source.error());
  FoundIndex found{.file = file, .source = *source};
  const std::string cache = store::cache_root();
  if (!folder.empty()) found.place.folder = folder;
  else if (!cache.empty()) found.place = store::place_of(cache, source->fingerprint);
  if (found.place.folder.empty()) return found;
  look(found, stop);
  if (found.standing != IndexStanding::none || !folder.empty()) return found;
  // One that is being made of it while it grows.
  FoundIndex live{.file = file, .source = *source};
  live.place = store::live_place(cache, store::live_id(source->facts));
  look(live, stop);
  return live.standing == IndexStanding::building ? live : found;
}

std::optional<BrokenFrame> first_broken(const IndexView& view, std::size_t from) {
  base::RawArray<std::byte> room;
  for (std::size_t entry = from; entry < view.entries().size(); ++entry)
    if (const auto payload = view.payload(entry, room); !payload)
      return BrokenFrame{entry, payload.error()};
  return std::nullopt;
}

CurrentIndex::CurrentIndex(const format::Format* format,
                           std::shared_ptr<const store::IndexFrames> frames,
                           std::optional<store::FolderLock> use)
    : format_(format), frames_(std::move(frames)), use_(std::move(use)) {}

format::Opened CurrentIndex::open() const {
  return {format_, std::make_unique<store::StoreReader>(frames_)};
}

IndexChoice open_if_current(const std::string& file, const std::string& folder,
                            const std::atomic<bool>* stop) {
  // Where nobody made any, the trace need not be looked at.
  if (!exists(folder.empty() ? store::indexes_folder(store::cache_root()) : folder)) return {};
  auto found = find_index(file, folder, stop);
  if (!found) return {};
  IndexChoice choice;
  if (found->standing == IndexStanding::current) choice.index = open_found(*found);
  choice.notice = found->notice();
  return choice;
}

}  // namespace polytrace::service
