// SPDX-License-Identifier: Apache-2.0
// Takes changes by index and writes a history: what stands behind Builder, and behind whoever
// makes a history out of another one. Knows no tree. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "base/frames/dictionary.hpp"
#include "base/frames/frame_file.hpp"
#include "history/layout/container.hpp"
#include "history/model/options.hpp"
#include "history/write/segment_writer.hpp"
#include "history/write/stream_records.hpp"
#include "history/write/timelines.hpp"

namespace polytrace::history {

class BuildCore {
 public:
  static base::result<std::unique_ptr<BuildCore>> start(base::FrameFile file,
                                                        const BuildOptions& options);

  Timelines& lines() { return lines_; }
  const Timelines& lines() const { return lines_; }
  const base::Dictionary& dictionary() const { return dictionary_; }

  base::result<void> declare(std::uint32_t index, Type type);
  base::result<void> modify(Tick t, std::uint32_t index, const Value& value);
  // modify() for the usual case, a value of the timeline's own type, or null, with nothing to write
  // and nothing to refuse; false when it is another one.
  bool modify_plain(Tick t, std::uint32_t index, const Value& value);
  base::result<void> insert(std::uint32_t index, Tick start, Tick end, const Value& value);
  base::result<void> end(Tick t, std::uint32_t index);
  base::result<void> set_ongoing(std::uint32_t index, const Value& value);
  // Applies what the reorder window still holds back.
  base::result<void> settle();

  base::result<void> flush();
  base::result<void> close(Tick end);
  bool closed() const { return closed_; }

  Value value_of(const State& state) const;
  Facts facts() const;
  const std::vector<SegmentPlace>& segments() const { return footer_.segments; }
  const std::vector<std::uint64_t>& string_frames() const { return footer_.string_frames; }
  const base::FrameFile& file() const { return file_; }
  base::FrameFile take_file() { return std::move(file_); }
  Tick start() const { return footer_.header.start; }
  Layout layout() const { return footer_.header.layout; }
  bool needs_flush(Tick t) const { return lines_.is_full(t, segment_size_); }

 private:
  struct Encoded {
    std::uint64_t payload;
    Tag tag;
  };
  struct Held {
    Tick t;
    std::uint64_t order;
    std::uint32_t index;
    Encoded state;
  };
  struct Later {
    bool operator()(const Held& a, const Held& b) const {
      return a.t != b.t ? a.t > b.t : a.order > b.order;
    }
  };

  BuildCore(base::FrameFile file, const BuildOptions& options);

  base::result<Encoded> encode(std::uint32_t index, const Value& value);
  base::result<void> put(Tick t, std::uint32_t index, Encoded state, bool kept);
  base::result<void> hold(Tick t, std::uint32_t index, Encoded state);
  base::result<void> release(Tick until);
  base::result<void> write_keys();
  base::result<void> write_strings();
  base::result<void> write_segment();
  base::result<void> write_records();
  base::result<void> end_epoch();

  base::FrameFile file_;
  Timelines lines_;
  base::Dictionary dictionary_;
  SegmentWriter segment_writer_;
  StreamWriter stream_writer_;
  Footer footer_;
  std::vector<State> states_;
  std::vector<std::uint32_t> counts_;
  std::size_t segment_size_;
  bool adaptive_;
  bool strict_;
  bool sync_;
  bool closed_ = false;
  bool has_bytes_ = false;
  std::uint64_t changes_ = 0;
  std::uint64_t window_;
  Tick latest_held_ = INT64_MIN;
  std::uint64_t order_ = 0;
  std::vector<Held> held_;  // a heap
};

inline bool BuildCore::modify_plain(Tick t, std::uint32_t index, const Value& value) {
  const TypeCode code = code_of(value.type());
  if (window_ != 0 || closed_ || needs_flush(t)) return false;
  if (value.is_null()) {
    return lines_.code(index) != code_of(Type::none) && lines_.put_plain(t, index, 0, kNullTag);
  }
  if (lines_.code(index) != code) return false;
  std::uint64_t payload = value.bits();
  if (value.type() == Type::string) {
    if (dictionary_.full() || value.text().size() > base::Dictionary::kMostText) return false;
    payload = dictionary_.id(value.text());
  }
  return value.type() != Type::bytes && lines_.put_plain(t, index, payload, tag_of(code));
}

}  // namespace polytrace::history
