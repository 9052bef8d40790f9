// SPDX-License-Identifier: Apache-2.0
#include "history/read/strings.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/dictionary.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::history {

Strings::~Strings() {
  for (const auto& part : parts_) delete part->texts.load();
}

base::result<void> Strings::add(const base::Frame& frame, std::uint64_t most_inflated) {
  base::RawArray<std::byte> room;
  const auto bytes = base::content(frame, room, most_inflated);
  if (!bytes) return tl::unexpected(bytes.error());
  base::Cursor in(*bytes, frame.offset);
  const std::uint64_t first = in.uleb();
  const std::uint64_t count = in.uleb();
  if (!in.fits(count, 1) || first != count_)
    return base::fail(base::Code::value_unexpected, {}, {.offset = frame.offset, .frame = "STRS"});
  auto& part = *parts_.emplace_back(std::make_unique<Part>());
  part.frame = frame;
  part.first = first;
  part.count = count;
  count_ += count;
  most_inflated_ = most_inflated;
  return {};
}

const Strings::Texts& Strings::load(const Part& part) const {
  const std::lock_guard lock(loading_);
  if (const Texts* const known = part.texts.load()) return *known;
  auto texts = std::make_unique<Texts>();
  if (const auto bytes = base::content(part.frame, texts->room, most_inflated_)) {
    base::Cursor in(*bytes, part.frame.offset);
    in.uleb();
    in.uleb();
    for (std::uint64_t i = 0; i < part.count; ++i) {
      const base::Bytes text = in.bytes(in.uleb());
      if (!in.ok()) break;
      texts->all.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
    }
  }
  part.texts.store(texts.get(), std::memory_order_release);
  return *texts.release();
}

std::optional<std::string_view> Strings::text(std::uint64_t id) const {
  if (id >= count_) {
    if (recent_ == nullptr || id >= recent_->count() || id < recent_->first()) return std::nullopt;
    return recent_->text(id);
  }
  const auto behind =
      std::ranges::upper_bound(parts_, id, {}, [](const auto& p) { return p->first; });
  const Part& part = **std::prev(behind);
  const Texts* texts = part.texts.load(std::memory_order_acquire);
  if (texts == nullptr) texts = &load(part);
  if (id - part.first >= texts->all.size()) return std::nullopt;
  return texts->all[id - part.first];
}

}  // namespace polytrace::history
