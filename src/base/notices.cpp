// SPDX-License-Identifier: Apache-2.0
#include "base/notices.hpp"

#include <algorithm>
#include <tuple>

#include "base/codes.hpp"

namespace polytrace::base {
namespace {

bool before(const Place& a, const Place& b) {
  return std::tie(a.offset, a.line, a.column) < std::tie(b.offset, b.line, b.column);
}

bool earlier(const Occurrence& a, const Occurrence& b) { return before(a.place, b.place); }

// Keeps the earliest ones, the latest of them in front.
void keep(std::vector<Occurrence>& heap, Occurrence&& one) {
  if (heap.size() == Notice::kMostOthers) {
    if (!earlier(one, heap.front())) return;
    std::pop_heap(heap.begin(), heap.end(), earlier);
    heap.pop_back();
  }
  heap.push_back(std::move(one));
  std::push_heap(heap.begin(), heap.end(), earlier);
}

void join(Notice& known, Occurrence&& one) {
  if (before(one.place, known.first)) {
    std::swap(known.first, one.place);
    std::swap(known.detail, one.detail);
  }
  keep(known.others, std::move(one));
}

}  // namespace

void Notices::add(Code code, Place place, std::uint64_t bytes, std::string detail) {
  for (Notice& known : notices_) {
    if (known.code != code) continue;
    ++known.count;
    known.bytes += bytes;
    return join(known, {std::move(place), std::move(detail)});
  }
  stand_behind_made();
  notices_.push_back({code, 1, bytes, std::move(place), std::move(detail)});
}

void Notices::add(Notice notice) {
  for (Notice& known : notices_) {
    if (known.code != notice.code) continue;
    known.count += notice.count;
    known.bytes += notice.bytes;
    join(known, {std::move(notice.first), std::move(notice.detail)});
    for (Occurrence& one : notice.others) join(known, std::move(one));
    return;
  }
  stand_behind_made();
  std::make_heap(notice.others.begin(), notice.others.end(), earlier);
  notices_.push_back(std::move(notice));
}

void Notices::merge(const Notices& other) {
  for (const Notice& notice : other.notices_) add(notice);
}

std::vector<Notice> Notices::sorted() const {
  std::vector<Notice> all = notices_;
  std::sort(all.begin(), all.end(),
            [](const Notice& a, const Notice& b) { return before(a.first, b.first); });
  for (Notice& notice : all) std::sort(notice.others.begin(), notice.others.end(), earlier);
  return all;
}

const Notice* Notices::find(Code code) const {
  for (const Notice& notice : notices_) {
    if (notice.code == code) return &notice;
  }
  return nullptr;
}

int Notices::exit_code() const {
  int worst = 0;
  for (const Notice& notice : notices_) worst = std::max(worst, describe(notice.code).exit);
  return worst;
}

std::uint64_t Notices::bytes_lost() const {
  std::uint64_t sum = 0;
  for (const Notice& notice : notices_) sum += notice.bytes;
  return sum;
}

}  // namespace polytrace::base
