// SPDX-License-Identifier: Apache-2.0
#include "agent/common/recorded.hpp"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "support/temporary_folder.hpp"

namespace polytrace::test {
namespace {

using Event = Recorded::Event;

constexpr std::uint64_t kLostNumber = 8;  // of docs: src/format/native/wire/numbers.def
constexpr std::uint64_t kCpuNumber = 49;

class Input {
 public:
  explicit Input(std::string_view bytes) : bytes_(bytes) {}
  bool bad() const { return bad_; }
  bool empty() const { return at_ == bytes_.size(); }
  std::size_t at() const { return at_; }

  template <class T>
  T fixed() {
    T value{};
    if (bytes_.size() - at_ < sizeof value) bad_ = true;
    if (!bad_) std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ = bad_ ? bytes_.size() : at_ + sizeof value;
    return value;
  }
  std::uint64_t var() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    bad_ = true;
    return 0;
  }
  std::uint64_t zig() {
    const std::uint64_t value = var();
    return value >> 1 ^ (0 - (value & 1));
  }
  std::string_view bytes(std::uint64_t size) {
    if (bytes_.size() - at_ < size) bad_ = true;
    if (bad_) return {};
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool bad_ = false;
};

std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t sum = i;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1) * 0x82f63b78;
    table[i] = sum;
  }
  return table;
}

Event body_event(std::uint64_t thread, std::uint64_t tick, std::string_view body) {
  Input in(body);
  Event event;
  event.thread = thread;
  event.tick = tick;
  event.value = in.var();
  event.extra = in.var();
  event.body = body.substr(in.at());
  return event;
}

// Section 4.
std::string records(std::string_view payload, std::uint64_t tick, std::uint64_t thread,
                    std::vector<Event>& into) {
  Input in(payload);
  std::uint64_t method = 0;
  std::vector<std::uint64_t> frames;
  const auto named = [&] { return method += in.zig(); };
  const auto last = [&] { return frames.empty() ? ~std::uint64_t{0} : frames.back(); };
  const auto add = [&](Event::Kind kind, std::uint64_t value, std::uint64_t extra = 0) {
    into.push_back({kind, thread, tick, value, extra, {}});
    if (kind == Event::kEnter) frames.push_back(value);
    if ((kind == Event::kLeave || kind == Event::kUnwind) && !frames.empty()) frames.pop_back();
  };
  while (!in.empty() && !in.bad()) {
    const auto first = in.fixed<std::uint8_t>();
    const unsigned form = first & 3;
    if (form != 0) {
      std::uint64_t ticks = first >> 2 & 31;
      if ((first & 0x80) != 0) ticks |= in.var() << 5;
      tick += ticks;
      if (form == 1) add(Event::kEnter, named());
      if (form == 2) add(Event::kLeave, last());
      if (form == 3) add(Event::kLeave, named());
      continue;
    }
    switch (first >> 2) {
      case 1: {
        tick += in.zig();
        const std::string_view body = in.bytes(in.var());
        if (!in.bad()) into.push_back(body_event(thread, tick, body));
        break;
      }
      case 2:
        thread = in.var() - 1;
        frames.clear();
        break;
      case 3: tick += in.zig(); break;
      case 4:
        tick += in.var();
        add(Event::kUnwind, last());
        break;
      case 5:
        tick += in.var();
        add(Event::kUnwind, named());
        break;
      case 6:
        tick += in.var();
        add(Event::kAlloc, in.var());
        break;
      case 7: {
        tick += in.var();
        const std::uint64_t site = in.var();
        add(Event::kAllocArray, site, in.var());
        break;
      }
      default: return "record number " + std::to_string(first >> 2);
    }
  }
  return in.bad() ? "a record goes over the end" : "";
}

struct Key {
  std::uint64_t thread = 0;
  std::uint64_t number = 0;
  auto operator<=>(const Key&) const = default;
};
using Taken = std::map<Key, std::uint32_t>;  // words or bytes

// Section 3. Empty string: none is left, or a fault was told.
bool block(Input& in, std::string_view all, Recorded& into, Taken& taken) {
  const std::size_t begin = in.at();
  if (all.size() - begin < 72) return false;
  const auto fail = [&](const std::string& what) {
    into.fault = what + " in the block at " + std::to_string(begin);
    return false;
  };
  if (in.fixed<std::uint32_t>() != 0x4b4c4250) return fail("no mark");
  const auto length = in.fixed<std::uint32_t>();
  const auto content = in.fixed<std::uint8_t>();
  in.fixed<std::uint8_t>();
  in.fixed<std::uint16_t>();
  const auto events = in.fixed<std::uint32_t>();
  const auto index = in.fixed<std::uint64_t>();
  const auto thread = in.fixed<std::uint64_t>();
  const auto tick = in.fixed<std::uint64_t>();
  in.fixed<std::uint64_t>();
  const auto segment = in.fixed<std::uint64_t>();
  const auto before = in.fixed<std::uint32_t>();
  const auto after = in.fixed<std::uint32_t>();
  const auto payload_crc = in.fixed<std::uint32_t>();
  const auto crc = in.fixed<std::uint32_t>();
  if (all.size() - in.at() < length) {
    into.cut_short = true;
    return false;
  }
  const std::string_view payload = in.bytes(length);
  if (slow_crc32c(all.data() + begin, 68) != crc) return fail("wrong crc of the header");
  if (slow_crc32c(payload.data(), payload.size()) != payload_crc) return fail("wrong crc");
  if (index != into.blocks++) return fail("index is not the next one");
  if (into.ended) return fail("something behind the end");
  if (content == 4) into.ended = true;
  if (content == 2) {
    Input line(payload);
    into.lines.push_back(
        {line.fixed<std::uint64_t>(), line.fixed<std::int64_t>(), line.fixed<std::uint64_t>()});
  }
  if (content == 3) into.sites += Input(payload).var();
  if (content != 1) return true;
  const std::size_t had = into.events.size();
  const std::string fault = records(payload, tick, thread, into.events);
  if (!fault.empty()) return fail(fault);
  if (into.events.size() - had != events) return fail("another number of events");
  if (segment != 0) {
    std::uint32_t& words = taken[{thread, segment}];
    if (words != before) return fail("words are missing or twice there");
    words = after;
  }
  return true;
}

// Section 9: the words that no block has.
std::string leftover_words(const std::uint64_t* word, const std::uint64_t* end, std::uint64_t base,
                           std::uint64_t thread, std::uint32_t taken, std::vector<Event>& into) {
  const std::uint64_t* const begin = word;
  while (word != end && *word != 0) {
    const std::uint64_t tick = base + (*word >> 26);
    const bool fresh = static_cast<std::size_t>(word - begin) >= taken;
    const unsigned kind = *word & 3;
    const std::uint64_t type = *word >> 2 & 7;
    const std::uint64_t argument = *word >> 5 & 0x1fffff;
    const std::uint64_t more = kind != 3 ? 0 : type == 0 ? argument : type == 1 ? 0 : 1;
    if (more > static_cast<std::size_t>(end - word) - 1) return "an escape goes over the end";
    const std::uint64_t second = more != 0 ? word[1] & ~(std::uint64_t{1} << 63) : 0;
    Event event{
        kind == 1 ? Event::kEnter : Event::kLeave, thread, tick, *word >> 2 & 0xffffff, 0, {}};
    if (kind == 3 && type == 0) {
      Input in({reinterpret_cast<const char*>(word + 1), more * 8});
      const std::string_view body = in.bytes(in.var());
      if (in.bad()) return "a body goes over its words";
      event = body_event(thread, tick, body);
    } else if (kind == 3 && type == 3) {
      thread = second;
    } else if (kind == 3) {
      event.kind = type == 1 ? Event::kAlloc : type == 2 ? Event::kAllocArray : Event::kUnwind;
      event.value = type == 4 ? second : argument;
      event.extra = type == 2 ? second : 0;
      if (type > 4) return "an escape of no type";
    }
    if (fresh && !(kind == 3 && type == 3)) into.push_back(event);
    word += 1 + more;
  }
  return {};
}

void segments(const std::string& bytes, Recorded& into, const Taken& taken) {
  Input in(bytes);
  if (in.fixed<std::uint64_t>() != 0x0a53474553545089) into.fault = "no segment file";
  in.fixed<std::uint64_t>();
  if (in.fixed<std::uint64_t>() != into.stream) into.fault = "segments of another stream";
  // Wherever they lie in the file: a thread's in the order of their numbers.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Event>> left;
  for (std::size_t at = 4096; at + 4096 <= bytes.size();) {
    Input header(std::string_view(bytes).substr(at, 64));
    const auto mark = header.fixed<std::uint32_t>();
    const auto units = header.fixed<std::uint32_t>();
    const auto state = header.fixed<std::uint32_t>();
    const auto content = header.fixed<std::uint32_t>();
    const auto thread = header.fixed<std::uint64_t>();
    auto number = header.fixed<std::uint64_t>();
    const auto base = header.fixed<std::uint64_t>();
    const auto complete = header.fixed<std::uint32_t>();
    const std::size_t size = mark == 0x47455350 ? units * std::size_t{4096} : 4096;
    if (size == 0 || size > bytes.size() - at) {
      into.fault = "a segment over the end of the file";
      return;
    }
    if (mark == 0x47455350 && (state == 1 || state == 2)) {
      std::vector<Event>& rest = left[{content, number}];
      if (content == 2) number |= std::uint64_t{1} << 63;
      const auto found = taken.find({thread, number});
      const std::uint32_t had = found == taken.end() ? 0 : found->second;
      std::string fault;
      if (content == 2) {
        std::vector<Event> all;
        const std::string_view whole = std::string_view(bytes).substr(at + 64, complete);
        fault = records(whole, base, thread, all);
        std::vector<Event> before;
        records(whole.substr(0, had), base, thread, before);
        rest.assign(all.begin() + static_cast<long>(before.size()), all.end());
      } else {
        std::vector<std::uint64_t> words((size - 64) / 8);
        std::memcpy(words.data(), bytes.data() + at + 64, size - 64);
        fault = leftover_words(words.data(), words.data() + words.size(), base, thread, had, rest);
      }
      if (!fault.empty()) into.fault = fault + " in the segment at " + std::to_string(at);
    }
    at += size;
  }
  for (const auto& [number, events] : left)
    into.events.insert(into.events.end(), events.begin(), events.end());
}

}  // namespace

std::uint32_t slow_crc32c(const void* bytes, std::size_t size) {
  static const auto table = crc_table();
  std::uint32_t sum = ~std::uint32_t{0};
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) sum = sum >> 8 ^ table[(sum ^ at[i]) & 0xff];
  return ~sum;
}

Recorded read_recording(const std::string& stream_file, const std::string& segment_file) {
  Recorded into;
  Taken taken;
  const std::string stream = content_of(stream_file);
  Input in(stream);
  if (in.fixed<std::uint64_t>() != 0x0a45434152545089) into.fault = "no stream";
  in.fixed<std::uint64_t>();
  into.stream = in.fixed<std::uint64_t>();
  in.fixed<std::uint64_t>();
  while (into.fault.empty() && block(in, stream, into, taken)) {
  }
  into.cut_short = into.cut_short || (!in.empty() && into.fault.empty());
  const std::string beside = segment_file.empty() ? stream_file + ".segments" : segment_file;
  if (into.fault.empty() && std::filesystem::exists(beside))
    segments(content_of(beside), into, taken);
  return into;
}

std::size_t Recorded::count(Event::Kind kind) const {
  std::size_t n = 0;
  for (const Event& event : events) n += event.kind == kind ? 1 : 0;
  return n;
}

std::map<std::uint64_t, std::vector<Event>> Recorded::by_thread() const {
  std::map<std::uint64_t, std::vector<Event>> threads;
  for (const Event& event : events) threads[event.thread].push_back(event);
  return threads;
}

std::uint64_t Recorded::lost() const { return lost_in(events); }

std::uint64_t Recorded::lost_in(const std::vector<Event>& some) {
  std::uint64_t records = 0;
  for (const Event& event : some) {
    if (event.kind != Event::kBody || event.value != kLostNumber) continue;
    Input in(event.body);
    if ((in.var() & 1) != 0) records += in.var();
  }
  return records;
}

std::vector<Recorded::Cpu> Recorded::cpu_of(std::uint64_t thread) const {
  std::vector<Cpu> all;
  for (const Event& event : events) {
    if (event.kind != Event::kBody || event.value != kCpuNumber || event.thread != thread) continue;
    Input in(event.body);
    const std::uint64_t present = in.var();
    if ((present & 1) != 0) in.var();  // whose time
    Cpu& cpu = all.emplace_back();
    cpu.tick = event.tick;
    if ((present & 2) != 0) cpu.used = in.zig();
    if ((present & 4) != 0) in.var();  // bogus
    if ((present & 8) != 0) cpu.span = in.zig();
  }
  return all;
}

}  // namespace polytrace::test
