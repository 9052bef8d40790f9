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

}  // namespace

base::result<std::shared_ptr<const Store>> Store::open(const std::string& path) {
  auto view = IndexView::open(path);
  if (!view) return tl::unexpected(view.error());
  auto frames = IndexFrames::open(std::move(*view));
  if (!frames) return tl::unexpected(frames.error());
  return std::shared_ptr<const Store>(new Store(std::move(*frames)));
}

Facts Store::facts() const {
  const IndexView& view = frames_->view();
  return {.id = view.head().id,
          .format = view.head().format,
          .source = view.head().source,
          .state = view.slot().state,
          .totals = view.totals()};
}

std::unique_ptr<event::Reader> Store::reader() const {
  return std::make_unique<StoreReader>(frames_);
}

base::result<event::PumpOutcome> build_index(event::Reader& reader, const IndexJob& job) {
  const PageHead head{.id = random_digest(),
                      .fingerprint = job.fingerprint,
                      .covered = job.fingerprint,
                      .source = job.source,
                      .format = job.format};
  const std::string growing = job.path + ".new";
  auto writer = IndexWriter::create(growing, head);
  if (!writer) return tl::unexpected(writer.error());
  Builder builder(*writer, job.build);
  event::PumpOutcome outcome = event::pump(reader, builder, job.pump);
  const bool stopped = job.pump.stop != nullptr && job.pump.stop->load();
  const IndexState state = stopped ? IndexState::building : IndexState::complete;
  if (auto done = builder.finish(outcome, state, head); !done) return tl::unexpected(done.error());
  if (!stopped && std::rename(growing.c_str(), job.path.c_str()) != 0)
    return base::system_fault(base::Code::write_failed);
  return outcome;
}

}  // namespace polytrace::store
