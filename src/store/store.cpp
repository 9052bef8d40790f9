// SPDX-License-Identifier: Apache-2.0
#include "store/store.hpp"

#include <cstdio>
#include <random>
#include <utility>

#include "base/codes.hpp"
#include "store/read/events/store_reader.hpp"

namespace polytrace::store {
namespace {

Digest random_digest() {
  std::random_device device;
  Digest digest;
  for (std::byte& one : digest) one = static_cast<std::byte>(device());
  return digest;
}

bool is_stopped(const IndexJob& job) { return job.pump.stop != nullptr && job.pump.stop->load(); }

// Up to a last commit.
base::result<event::PumpOutcome> fill(IndexWriter& writer, event::Reader& reader,
                                      const IndexJob& job) {
  Builder builder(writer, job.build);
  event::PumpOutcome outcome = event::pump(reader, builder, job.pump);
  const IndexState state = is_stopped(job) ? IndexState::building : IndexState::complete;
  PageHead head = writer.head();
  // Without one the index is of no file that has changed since.
  if (state == IndexState::complete && job.whole)
    if (const auto whole = job.whole()) head.whole = *whole;
  if (auto done = builder.finish(outcome, state, head); !done) return tl::unexpected(done.error());
  return outcome;
}

}  // namespace

PageHead head_of(const IndexJob& job) {
  return {.id = random_digest(),
          .fingerprint = job.source.fingerprint,
          .covered = job.source.fingerprint,
          .whole = job.source.whole,
          .source = job.source.facts,
          .format = job.format,
          .live = job.live,
          .looked = job.source.looked};
}

base::result<std::shared_ptr<const Store>> Store::open(const std::string& path) {
  return of(IndexView::open(path));
}

base::result<std::shared_ptr<const Store>> Store::open(base::Image image) {
  return of(IndexView::open(std::move(image)));
}

base::result<std::shared_ptr<const Store>> Store::of(
    base::result<std::unique_ptr<const IndexView>> view) {
  if (!view) return tl::unexpected(view.error());
  auto frames = IndexFrames::open(std::move(*view));
  if (!frames) return tl::unexpected(frames.error());
  return of(std::move(*frames));
}

std::shared_ptr<const Store> Store::of(std::shared_ptr<const IndexFrames> frames) {
  return std::shared_ptr<const Store>(new Store(std::move(frames)));
}

bool Store::keeps_durations(const Range& range, LeftOut left_out) const {
  const Totals& totals = frames_->view().totals();
  return range.from <= totals.first && range.to > totals.last && !left_out.waits &&
         !left_out.pauses && !frames_->method_wholes().empty() &&
         is_of_all_threads(range, frames_->threads());
}

base::result<std::vector<MethodDurations>> Store::method_durations(const Range& range,
                                                                   LeftOut left_out) const {
  return keeps_durations(range, left_out) ? whole_durations(*frames_)
                                          : store::method_durations(*frames_, range, left_out);
}

Facts Store::facts() const {
  const IndexView& view = frames_->view();
  return {.id = view.head().id,
          .format = view.head().format,
          .source = view.head().source,
          .state = view.slot().state,
          .features = view.head().required,
          .totals = view.totals()};
}

std::unique_ptr<event::Reader> Store::reader() const {
  return std::make_unique<StoreReader>(frames_);
}

base::result<event::PumpOutcome> build_index(event::Reader& reader, const IndexJob& job) {
  const std::string growing = job.path + ".new";
  auto writer = IndexWriter::create(growing, head_of(job));
  if (!writer) return tl::unexpected(writer.error());
  auto outcome = fill(*writer, reader, job);
  if (outcome && !is_stopped(job) && std::rename(growing.c_str(), job.path.c_str()) != 0)
    return base::system_fault(base::Code::write_failed);
  return outcome;
}

base::result<UnnamedIndex> build_unnamed_index(event::Reader& reader, const IndexJob& job) {
  auto file = base::FrameFile::temporary();
  if (!file) return tl::unexpected(file.error());
  auto writer = IndexWriter::begin(std::move(*file), head_of(job));
  if (!writer) return tl::unexpected(writer.error());
  auto outcome = fill(*writer, reader, job);
  if (!outcome) return tl::unexpected(outcome.error());
  UnnamedIndex made{.outcome = std::move(*outcome)};
  if (is_stopped(job)) return made;
  auto image = base::Image::map(writer->descriptor(), writer->size());
  if (!image) return tl::unexpected(image.error());
  auto store = Store::open(std::move(*image));
  if (!store) return tl::unexpected(store.error());
  made.store = std::move(*store);
  return made;
}

}  // namespace polytrace::store
