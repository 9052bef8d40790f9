// SPDX-License-Identifier: Apache-2.0
// A CTF 1.8 trace: a folder with a text that describes the layout, written last, and two streams
// for each thread, its calls and its other events, so that times do not decrease within one.
// Threads beyond the first hundred share two.
#include <fmt/format.h>
#include <xxhash.h>

#include <cstdio>
#include <cstring>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "event/visit.hpp"
#include "exports/ctf/layout.hpp"
#include "exports/ctf/shared.hpp"
#include "exports/timelines/timeline_walk.hpp"

namespace polytrace::exports {
namespace {

using namespace ctf;
using base::Time;
using event::Event;
using event::Kind;
using event::Tag;
using slice::Names;
using slice::Slice;

constexpr std::size_t kBuffers = std::size_t{16} << 20;  // of all streams
constexpr std::size_t kMostPacket = 64 * 1024;
constexpr std::size_t kLeastPacket = 4 * 1024;
// With streams of their own: readers open all files at once.
constexpr std::uint32_t kOwnStreams = 100;

template <class T>
void put(std::string& out, T value) {  // this machine is little-endian, as the format is
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof bytes);
}

void put_text(std::string& out, std::string_view text) {
  out.append(text.substr(0, text.find('\0')));
  out += '\0';
}

struct Stream {
  std::string events;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t packets = 0;
};

struct CtfFieldWriter {
  std::string& out;
  const Slice& slice;

  template <Tag tag, class T>
  void field(const char* name, const T& value) {
    if constexpr (event::is_text(tag)) put_text(out, field_text(name, value));
    else if constexpr (std::is_enum_v<T>) put(out, static_cast<std::uint8_t>(value));
    else if constexpr (tag == Tag::kf64) put(out, value);
    else if constexpr (tag == Tag::kStack)
      list<std::uint32_t>(slice.batch.list(value), [&](base::Id frame) {
        return slice.names.is_method(frame) ? slice.names.methods().index(frame) + 1 : 0;
      });
    else if constexpr (tag == Tag::kIlMap)
      list<std::uint64_t>(slice.batch.list(value), &event::IlRange::begin);
    else if constexpr (tag == Tag::kRefs)
      list<std::uint64_t>(slice.batch.list(value), &event::Ref::target);
    else if constexpr (tag == Tag::kNatives)
      list<std::uint64_t>(slice.batch.list(value), std::identity{});
    else put(out, static_cast<std::uint64_t>(value));
  }
  template <class Item, class List, class Member>
  void list(const List& items, const Member& member) {
    put(out, static_cast<std::uint32_t>(items.size()));
    for (const auto& item : items) put(out, static_cast<Item>(std::invoke(member, item)));
  }
};

class CtfMaker : public MakerParts {
 public:
  static constexpr bool kTellsFacts = false;
  struct Track : CallTrack {
    Stream calls;
    Stream others;
  };

  explicit CtfMaker(const TimelineJob& job) : MakerParts(job) {
    const XXH128_hash_t hash = XXH3_128bits(job.origin.trace.data(), job.origin.trace.size());
    std::memcpy(uuid_.data(), &hash, uuid_.size());
  }

  void start(const Slice& slice) {
    const Time first = slice.batch.events[0].time;
    if (first < 0 && first != std::numeric_limits<Time>::min()) shift_ = -first;
  }
  void turn_to(const Slice&) {
    packet_ = std::clamp(kBuffers / (2 * std::max<std::size_t>(tracks_.size(), 1)), kLeastPacket,
                         kMostPacket);
  }
  void other(const Slice& slice, const Event& event);
  base::result<void> complete(const Names& names);

  // For CallSpans.
  Track& track(std::uint32_t thread) { return track_of(tracks_, thread); }
  bool shows(Track&, std::uint32_t method, const Names& names) { return shown_.has(method, names); }
  bool begin(Track& track, Time time, std::uint32_t method) {
    if (!cap_.admit()) return false;
    add_call(track, Kind::Enter, time, method);
    return true;
  }
  void end(Track& track, std::uint32_t method, Time, Time time) {
    add_call(track, Kind::Leave, time, method);
  }

 private:
  // The time as it stands in the stream; it does not run backwards there.
  std::uint64_t stamp(Stream& stream, Time time) {
    Time at = 0;
    if (__builtin_add_overflow(time, shift_, &at)) at = 0;
    auto value = static_cast<std::uint64_t>(std::max<Time>(at, 0));
    if (stream.events.empty()) stream.first = std::max(value, stream.last);
    if (at < 0 || value < stream.last) {
      ++backwards_;
      value = std::max(value, stream.last);
    }
    return stream.last = value;
  }
  void add_call(Track& track, Kind kind, Time time, std::uint32_t method) {
    Stream& stream = track.calls;
    const std::uint64_t at = stamp(stream, time);
    const std::uint32_t number = method + 1;
    // Each field where it stays: a copy of the whole would wait for what was just written.
    const auto append = [&](std::string& out) {
      out.resize(out.size() + kEventHeader + sizeof number);
      char* end = out.data() + out.size();
      std::memcpy(end -= sizeof number, &number, sizeof number);
      std::memcpy(end -= sizeof at, &at, sizeof at);
      end[-1] = static_cast<char>(kind);
    };
    if (shares(track)) SharedStream::append(stream.events, append);
    else append(stream.events);
    if (stream.events.size() >= packet_) flush(track, stream);
  }
  static bool shares(const Track& track) { return track.thread >= kOwnStreams; }
  void write_event(std::string& out, const Slice& slice, const Event& event, std::uint64_t at);
  void flush(Track& track, Stream& stream);
  // `context` is of the packet.
  void write_packet(Stream& stream, std::uint32_t stream_class, const std::string& context,
                    const std::string& name);
  void write(const std::string& name, const std::string& packet);
  std::string thread_text(std::uint32_t thread) const;
  void write_shared(SharedStream& shared, const std::string& name);

  ShownMethods shown_{methods_};
  std::deque<Track> tracks_;  // by thread index
  SharedStream shared_calls_, shared_others_;
  std::size_t packet_ = kMostPacket;
  Uuid uuid_{};
  Time shift_ = 0;
  std::uint64_t backwards_ = 0;
};

void CtfMaker::other(const Slice& slice, const Event& event) {
  const slice::Selection& wanted = job_.request.selection;
  const bool selected = event.kind == Kind::Sample
                            ? wanted.has(event.time) && wanted.threads.has(event.id)
                            : selects(wanted, slice.batch, event);
  if (!selected || !cap_.admit()) return;
  Track& own = track(slice.threads[event.thread]);
  std::string& out = own.others.events;
  const std::uint64_t at = stamp(own.others, event.time);
  if (shares(own))
    SharedStream::append(out, [&](std::string& to) { write_event(to, slice, event, at); });
  else write_event(out, slice, event, at);
  if (out.size() >= packet_) flush(own, own.others);
}

void CtfMaker::write_event(std::string& out, const Slice& slice, const Event& event,
                           std::uint64_t at) {
  put(out, static_cast<std::uint8_t>(event.kind));
  put(out, at);
  const std::string_view subject = event::describe(event.kind).subject;
  const bool told = event.id != base::kNoId;
  if (subject == "method")
    put(out, told ? slice.names.methods().index(event.id) + 1 : std::uint32_t{0});
  else if (subject == "class")
    put(out, told ? slice.names.class_index(event.id) + 1 : std::uint32_t{0});
  else if (subject != "none") put(out, event.id);
  CtfFieldWriter writer{out, slice};
  event::with_details(slice.batch, event,
                      [&](const auto& details) { visit_fields(writer, details); });
}

void CtfMaker::flush(Track& track, Stream& stream) {
  if (stream.events.empty() || failure_) return;
  const bool is_calls = &stream == &track.calls;
  if (shares(track)) {
    SharedStream& shared = is_calls ? shared_calls_ : shared_others_;
    keep(shared.add(track.thread, stream.events, job_.folder));
    stream.events.clear();
  } else {
    write_packet(stream, kOfThread, thread_text(track.thread),
                 fmt::format("{}_{}", is_calls ? "calls" : "events", track.thread));
  }
  if (stream.events.capacity() > 2 * packet_) stream.events.shrink_to_fit();
}

std::string CtfMaker::thread_text(std::uint32_t thread) const {
  std::string text;
  put(text, names_->threads()[thread].id);
  put_text(text, names_->thread_name(thread));
  return text;
}

void CtfMaker::write_packet(Stream& stream, std::uint32_t stream_class, const std::string& context,
                            const std::string& name) {
  std::string packet;
  put(packet, kMagic);
  packet.append(reinterpret_cast<const char*>(uuid_.data()), uuid_.size());
  put(packet, stream_class);
  const std::uint64_t bits =
      8 * (packet.size() + 6 * sizeof(std::uint64_t) + context.size() + stream.events.size());
  for (const std::uint64_t value :
       {stream.first, stream.last, bits, bits, stream.packets++, std::uint64_t{0}})
    put(packet, value);
  packet += context;
  packet += stream.events;
  write(name, packet);
  stream.events.clear();
}

// Files are open only while they are written: there may be many threads.
void CtfMaker::write(const std::string& name, const std::string& packet) {
  const std::string path = job_.folder + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "ab");
  bool written = file != nullptr;
  if (written) written = std::fwrite(packet.data(), 1, packet.size(), file) == packet.size();
  if (file != nullptr && std::fclose(file) != 0) written = false;
  if (!written) failure_ = base::Error{base::Code::write_failed, {}, path};
}

// Behind its header each event has its thread.
void CtfMaker::write_shared(SharedStream& shared, const std::string& name) {
  Stream stream;
  std::uint32_t known = Names::kNone;
  std::string text;
  const auto merged = shared.merge([&](std::uint32_t thread, std::string_view event) {
    if (std::exchange(known, thread) != thread) text = thread_text(thread);
    if (stream.events.empty()) stream.first = time_of(event);
    stream.last = time_of(event);
    stream.events += event.substr(0, kEventHeader);
    stream.events += text;
    stream.events += event.substr(kEventHeader);
    if (stream.events.size() >= kMostPacket) write_packet(stream, kShared, {}, name);
    return state();
  });
  if (merged && !stream.events.empty()) write_packet(stream, kShared, {}, name);
  if (!merged) failure_ = merged.error();
}

base::result<void> CtfMaker::complete(const Names& names) {
  for (Track& track : tracks_) {
    flush(track, track.calls);
    flush(track, track.others);
  }
  if (!failure_) write_shared(shared_calls_, "calls_shared");
  if (!failure_) write_shared(shared_others_, "events_shared");
  if (failure_) return state();
  if (backwards_ != 0)
    account_.notes.push_back(
        fmt::format("{} times ran backwards: put right.", base::count_text(backwards_)));
  const std::string text = metadata_text(uuid_, job_.origin, shift_, names, account_.sentences(),
                                         !shared_calls_.empty() || !shared_others_.empty());
  return job_.sink.write(std::as_bytes(std::span(text)));
}

}  // namespace

std::unique_ptr<TimelineMaker> make_ctf(const TimelineJob& job) {
  return std::make_unique<TimelineWalk<CtfMaker>>(job);
}

}  // namespace polytrace::exports
