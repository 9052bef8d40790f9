// SPDX-License-Identifier: Apache-2.0
#include "base/notices.hpp"

#include <algorithm>
#include <tuple>

namespace polytrace::base {
namespace {

bool before(const Place& a, const Place& b) {
  return std::tie(a.offset, a.line, a.column) < std::tie(b.offset, b.line, b.column);
}

}  // namespace

void Notices::add(Code code, Place place, std::uint64_t bytes, std::string detail) {
  add(Notice{code, 1, bytes, std::move(place), std::move(detail)});
}

void Notices::add(Notice notice) {
  for (Notice& known : notices_) {
    if (known.code != notice.code) continue;
    known.count += notice.count;
    known.bytes += notice.bytes;
    if (before(notice.first, known.first)) {
      known.first = std::move(notice.first);
      known.detail = std::move(notice.detail);
    }
    return;
  }
  notices_.push_back(std::move(notice));
}

void Notices::merge(const Notices& other) {
  for (const Notice& notice : other.notices_) add(notice);
}

std::vector<Notice> Notices::sorted() const {
  std::vector<Notice> all = notices_;
  std::sort(all.begin(), all.end(),
            [](const Notice& a, const Notice& b) { return before(a.first, b.first); });
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
