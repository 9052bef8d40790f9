// SPDX-License-Identifier: Apache-2.0
#include "service/input/source_watch.hpp"

#include <utility>

namespace polytrace::service {

SourceWatch::SourceWatch(std::string file, store::PageHead head)
    : file_(std::move(file)), head_(std::move(head)) {}

std::optional<std::string_view> SourceWatch::change() {
  const auto facts = store::look_up(file_);
  if (!facts) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (*facts == head_.source && store::are_settled(head_.source, head_.looked)) return std::nullopt;
  const auto now = store::identify(file_);
  if (!now) return std::nullopt;
  const auto stands = store::compare(head_, *now, file_);
  if (stands && store::is_current(*stands)) {
    head_.source = now->facts;
    head_.looked = now->looked;
    return std::nullopt;
  }
  if (now->facts.size < head_.source.size) return "it was cut";
  return stands && *stands == store::Staleness::grown ? "it has grown"
                                                      : "its content is another one";
}

bool SourceWatch::has_content_of(const std::string& other) const {
  const auto now = store::identify(other);
  if (!now) return false;
  const std::lock_guard lock(mutex_);
  const auto stands = store::compare(head_, *now, other);
  return stands && store::is_current(*stands);
}

}  // namespace polytrace::service
