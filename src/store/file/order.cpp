// SPDX-License-Identifier: Apache-2.0
#include "store/file/order.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/svb.hpp"

namespace polytrace::store {

std::uint32_t OrderLog::place_of(Stream stream) {
  if (stream >= so_far_.size()) {
    so_far_.resize(stream + std::size_t{1});
    places_.resize(stream + std::size_t{1});
  }
  if (places_[stream] == 0) {
    streams_.push_back(stream);
    before_.push_back(so_far_[stream]);
    places_[stream] = static_cast<std::uint32_t>(streams_.size());
  }
  return places_[stream] - 1;
}

std::uint32_t OrderLog::add(Stream stream, std::uint32_t count) {
  const std::uint32_t taken = std::min(count, kOrderedEvents - events_);
  if (taken == 0) return 0;
  const std::uint32_t place = place_of(stream);
  so_far_[stream] += taken;
  events_ += taken;
  if (!runs_.empty() && runs_.back() == place) {
    counts_.back() += taken;
  } else {
    runs_.push_back(place);
    counts_.push_back(taken - 1);
  }
  return taken;
}

void OrderLog::add_beside(Stream stream) {
  place_of(stream);
  ++so_far_[stream];
}

void OrderLog::finish(std::string& payload) {
  base::append_svb(streams_, payload);
  base::append_svb(before_, payload);
  base::append_svb(runs_, payload);
  base::append_svb(counts_, payload);
  for (const std::uint64_t stream : streams_) places_[stream] = 0;
  for (auto* column : {&streams_, &before_, &runs_, &counts_}) column->clear();
  first_ordinal_ += events_;
  events_ = 0;
}

base::result<PartOfOrder> read_order(base::Bytes bytes, std::uint32_t events) {
  PartOfOrder part;
  for (auto* column : {&part.streams, &part.before, &part.places, &part.counts})
    if (auto read = base::read_svb(bytes, *column, kOrderedEvents + kOrderedEvents / 2); !read)
      return tl::unexpected(read.error());
  std::uint64_t sum = 0;
  bool fits = part.streams.size() == part.before.size() &&
              part.places.size() == part.counts.size() && bytes.empty();
  for (std::size_t i = 0; i < part.places.size() && fits; ++i) {
    fits = part.places[i] < part.streams.size() && part.counts[i] < events - sum;
    sum += ++part.counts[i];
  }
  if (!fits || sum != events)
    return base::fail(base::Code::value_unexpected, "columns do not fit together",
                      {.frame = "ORDR"});
  return part;
}

}  // namespace polytrace::store
