// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/records.hpp"

#include <span>

#include "base/io/crc32c.hpp"
#include "base/io/cursor.hpp"

namespace polytrace::collector {
namespace {

std::uint32_t head_crc(RecordHead head) {
  head.crc = 0;
  return base::crc32c(std::as_bytes(std::span(&head, 1)));
}

}  // namespace

RecordHead record_head(std::uint64_t key, std::uint64_t place, std::size_t length) {
  RecordHead head{static_cast<std::uint32_t>(length), 0, key, place};
  head.crc = head_crc(head);
  return head;
}

bool Records::is_record(std::size_t at) {
  const auto head = base::load_le<RecordHead>(bytes_.data() + at);
  if (head.length > bytes_.size() - at - sizeof head || head.crc != head_crc(head)) return false;
  head_ = head;
  payload_ = bytes_.subspan(at + sizeof head, head.length);
  return true;
}

bool Records::next() {
  for (std::size_t at = end_; bytes_.size() - at >= sizeof(RecordHead); ++at) {
    if (!is_record(at)) continue;
    passed_ += at - end_;
    at_ = at;
    end_ = at + sizeof(RecordHead) + payload_.size();
    return true;
  }
  passed_ += bytes_.size() - end_;
  at_ = bytes_.size();
  return false;
}

}  // namespace polytrace::collector
