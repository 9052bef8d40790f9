// SPDX-License-Identifier: Apache-2.0
// Cuts a stream into chunks of whole frames, for all formats that have frames: here are the loop,
// the tail behind a chunk, its numbers, and what to do at the end. A format says of bytes only
// whether they are a whole frame, an incomplete one (and what it lacks) or broken. Input is never
// held beyond one chunk and one incomplete frame; a chunk is given as soon as one frame is whole,
// so that a growing file is read while it grows. One thread at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "base/io/piece.hpp"
#include "event/reader.hpp"

namespace polytrace::event {

// What a format says of the bytes at one place.
struct Cut {
  enum class What : std::uint8_t { whole, incomplete, broken };

  What what = What::incomplete;
  std::size_t bytes = 0;     // of what is whole; what an incomplete frame lacks, 0 = not known
  std::uint64_t frames = 0;  // that are whole

  static Cut whole(std::size_t bytes, std::uint64_t frames = 1) {
    return {What::whole, bytes, frames};
  }
  static Cut incomplete(std::size_t missing = 0) { return {What::incomplete, missing, 0}; }
  static Cut broken() { return {What::broken, 0, 0}; }
};

// Whether reading can go on at a place behind what is broken; `unclear` asks for more bytes.
enum class Likely : std::uint8_t { no, yes, unclear };

// What of a stream was read before its frames are: where they begin, and their first bytes.
struct ReadBefore {
  std::uint64_t offset = 0;
  base::Bytes head{};
};

// The stream between chunks, as the rules of a format see it.
class FrameStream {
 public:
  FrameStream(base::Source& source, const ReadOptions& options, const ReadBefore& before,
              base::Piece piece)
      : source_(source), resync_(options.resync), piece_(piece), offset_(before.offset) {
    tail_.append(before.head);
  }
  FrameStream(const FrameStream&) = delete;
  FrameStream& operator=(const FrameStream&) = delete;

  // What is there and was not given yet.
  base::Bytes rest() const { return *bytes_; }
  std::uint64_t offset() const { return offset_; }  // of rest()
  std::uint64_t frames() const { return frames_; }  // given so far
  bool ended() const { return ended_; }             // the source: nothing comes behind rest()
  base::Notices& notices() { return notices_; }

  // Errors: those of the source.
  base::result<void> read_more(std::size_t wanted = 0);
  // The first bytes of rest() are accounted for.
  void drop(std::size_t count) {
    bytes_->drop_front(count);
    offset_ += count;
  }
  // Passes broken bytes as the options say, and tells: to the next place at or behind `from` that
  // is likely(base::Bytes, bool ended), or to the end. `fault` without a place is at offset().
  template <class IsLikely>
  base::result<void> lose(base::Error fault, std::size_t from, const IsLikely& likely) {
    return resync_ ? lose_to_next(std::move(fault), from, likely) : lose_all(std::move(fault));
  }
  template <class IsLikely>
  base::result<void> lose_to_next(base::Error fault, std::size_t from, const IsLikely& likely);
  base::result<void> lose_all(base::Error fault);

 private:
  template <class Rules>
  friend class Framing;
  using Buffer = base::RawArray<std::byte>;

  void begin(Chunk& chunk);
  void give(Chunk& chunk, std::size_t bytes, std::uint64_t frames);
  void finish(Chunk& chunk, const std::optional<base::Error>& fault);
  void tell_lost(base::Error fault, std::uint64_t begin);

  base::Source& source_;
  bool resync_;
  base::Piece piece_;
  base::Notices notices_;
  Buffer tail_;             // behind the last chunk
  Buffer* bytes_ = &tail_;  // while a chunk is being made: its bytes
  std::uint64_t offset_;
  std::uint64_t frames_ = 0;
  std::uint64_t chunks_ = 0;
  bool ended_ = false;
  bool finished_ = false;
};

// What rules need not say. The rules of a format have besides
//   static base::Piece piece();  // how much is read at once
//   // Of the bytes at `offset`; `ended`: nothing comes behind them. May change the bytes of what
//   // it calls whole.
//   Cut look(std::span<std::byte> rest, std::uint64_t offset, bool ended);
//   // Gets past the front of the stream, which look() called broken, and tells.
//   base::result<void> pass(FrameStream& stream);
//   // At the end: tells of stream.rest(), which is no whole frame. `cut_off`: the source itself
//   // ended too early, which is told behind it.
//   void end(FrameStream& stream, bool cut_off);
struct FrameRules {
  // No frame is in the next chunk yet. May be called several times for one.
  void begin_chunk() {}
  // Whether a chunk of so many bytes and frames, not none, takes on what follows.
  bool goes_on(base::Bytes, std::size_t, std::uint64_t) const { return true; }
  // What look() called whole is in the chunk.
  void take(base::Bytes, std::uint64_t, base::Notices&) {}
  // Of the chunk.
  std::shared_ptr<const void> context() const { return nullptr; }
};

template <class Rules>
class Framing {
 public:
  // The other arguments are those of the rules. The source outlives it.
  template <class... Arguments>
  Framing(base::Source& source, const ReadOptions& options, const ReadBefore& before,
          Arguments&&... arguments)
      : stream_(source, options, before, Rules::piece()),
        rules_(std::forward<Arguments>(arguments)...) {}

  // The next whole frames, at least one; false at the end. Errors: those of the source.
  base::result<bool> next(Chunk& chunk);
  // Complete when next() gave false.
  const base::Notices& notices() const { return stream_.notices_; }
  base::Notices& notices() { return stream_.notices_; }
  FrameStream& stream() { return stream_; }
  const FrameStream& stream() const { return stream_; }
  const Rules& rules() const { return rules_; }

 private:
  Cut take_whole(std::size_t& end, std::uint64_t& frames);
  bool finish(Chunk& chunk);

  FrameStream stream_;
  Rules rules_;
};

// What readers over any framing have in common: next(chunk), notices().
template <class Framed>
class FramedReader : public Reader {
 public:
  base::result<bool> fetch(Chunk& chunk) override { return framing_.next(chunk); }
  const base::Notices& notices() const override { return framing_.notices(); }
  const base::Source& source() const override { return *source_; }

 protected:
  // The framing is made of the source and the other arguments.
  template <class... Arguments>
  explicit FramedReader(std::unique_ptr<base::Source> source, Arguments&&... arguments)
      : source_(std::move(source)), framing_(*source_, std::forward<Arguments>(arguments)...) {}

  Framed& framing() { return framing_; }
  const Framed& framing() const { return framing_; }

 private:
  std::unique_ptr<base::Source> source_;
  Framed framing_;
};

template <class IsLikely>
base::result<void> FrameStream::lose_to_next(base::Error fault, std::size_t from,
                                             const IsLikely& likely) {
  const std::uint64_t begin = offset_;
  for (std::size_t at = from;;) {
    Likely found = Likely::unclear;
    if (at < bytes_->size()) found = likely(rest().subspan(at), ended_);
    if (found == Likely::no) {
      ++at;
      continue;
    }
    drop(std::min(at, bytes_->size()));
    if (found == Likely::yes || ended_) break;
    at = 0;
    if (auto done = read_more(); !done) return done;
  }
  tell_lost(std::move(fault), begin);
  return {};
}

template <class Rules>
base::result<bool> Framing<Rules>::next(Chunk& chunk) {
  stream_.begin(chunk);
  std::size_t end = 0;
  std::uint64_t frames = 0;
  for (;;) {
    rules_.begin_chunk();
    const Cut cut = take_whole(end, frames);
    if (frames > 0) break;
    if (cut.what == Cut::What::incomplete && stream_.ended()) return finish(chunk);
    auto done = cut.what == Cut::What::broken ? rules_.pass(stream_) : stream_.read_more(cut.bytes);
    if (!done) return base::Unexpected(done.error());
  }
  chunk.context = rules_.context();
  stream_.give(chunk, end, frames);
  return true;
}

// Gives what follows them.
template <class Rules>
Cut Framing<Rules>::take_whole(std::size_t& end, std::uint64_t& frames) {
  for (;;) {
    const std::span<std::byte> rest = std::span<std::byte>(*stream_.bytes_).subspan(end);
    if (frames > 0 && !rules_.goes_on(rest, end, frames)) return {};
    const std::uint64_t offset = stream_.offset_ + end;
    const Cut cut = rules_.look(rest, offset, stream_.ended_);
    if (cut.what != Cut::What::whole) return cut;
    rules_.take(rest.first(cut.bytes), offset, stream_.notices_);
    end += cut.bytes;
    frames += cut.frames;
  }
}

template <class Rules>
bool Framing<Rules>::finish(Chunk& chunk) {
  const auto fault = stream_.source_.end_fault();
  if (!stream_.finished_) rules_.end(stream_, fault.has_value());
  stream_.finish(chunk, fault);
  return false;
}

}  // namespace polytrace::event
