// SPDX-License-Identifier: Apache-2.0
#include "history/write/stream_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/frames/bits.hpp"
#include "base/io/cursor.hpp"
#include "history/write/build_core.hpp"
#include "history/write/timelines.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using base::result;

struct LoadedRecord {
  Tick start = 0;
  Tick end = 0;
  Key key = kNoKey;
  Value value = Value::null();  // texts lie in the stream or its dictionary
};

class Loader {
 public:
  Loader(std::unique_ptr<Opened> stream, const OpenOptions& options)
      : stream_(std::move(stream)), options_(options) {}

  result<std::unique_ptr<Opened>> load();

 private:
  void read_frame(std::uint64_t offset);
  bool read_record(base::Cursor& in, Tick& before);
  TypeCode type_of_key(Key key) const;
  Value read_value(base::Cursor& in, TypeCode code) const;
  Value read_text(base::Cursor& in, bool is_string) const;
  result<base::FrameFile> build();
  result<void> insert_all(BuildCore& core);

  std::unique_ptr<Opened> stream_;
  const OpenOptions& options_;
  std::vector<base::RawArray<std::byte>> rooms_;  // inflated frames
  std::vector<LoadedRecord> records_;
};

TypeCode Loader::type_of_key(Key key) const {
  const std::uint32_t index = stream_->keys.find(key);
  return index == KeyList::kNone ? kOpenCode : stream_->keys[index].code;
}

Value Loader::read_text(base::Cursor& in, bool is_string) const {
  const std::uint64_t id = in.uleb();
  std::string_view text;
  if (id == 0) {
    const base::Bytes bytes = in.bytes(in.uleb());
    text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } else if (const auto known = stream_->strings.text(id - 1)) {
    text = *known;
  } else {
    in.fault(Code::value_unexpected);
  }
  return is_string ? Value::text(text) : Value::bytes(text);
}

Value Loader::read_value(base::Cursor& in, TypeCode code) const {
  if (code == kAnyCode) code = in.byte();
  switch (static_cast<Type>(code)) {
    case Type::none: return Value::exists();
    case Type::boolean: return Value::of(in.byte() != 0);
    case Type::integer: return Value::of(base::unzigzag(in.uleb()));
    case Type::real: return Value::of(in.fixed<double>());
    case Type::string: return read_text(in, true);
    case Type::bytes: return read_text(in, false);
    default: in.bytes(in.uleb()); return Value::exists();  // of a later version
  }
}

bool Loader::read_record(base::Cursor& in, Tick& before) {
  const std::uint64_t number = in.uleb();
  LoadedRecord record;
  record.key = static_cast<Key>(number >> 1);
  record.end = base::tick_after(before, static_cast<std::uint64_t>(base::unzigzag(in.uleb())));
  const std::uint64_t length = in.uleb();
  record.start = base::tick_after(record.end, ~length + 1);
  const TypeCode code = type_of_key(record.key);
  if (code == code_of(Type::none)) record.value = Value::exists();
  else if ((number & 1) != 0) record.value = read_value(in, code);
  before = record.end;
  const bool good = number >> 1 < kNoKey && record.start <= record.end &&
                    base::ticks_between(record.start, record.end) == length &&
                    (code != kOpenCode || (number & 1) == 0);
  if (!good) in.fault(Code::value_unexpected);
  if (in.ok()) records_.push_back(record);
  return in.ok();
}

void Loader::read_frame(std::uint64_t offset) {
  constexpr std::size_t kLeast = 3;
  auto frame = base::frame_at(stream_->image.bytes(), offset, options_.trust_content);
  base::Notices& notices = stream_->notices;
  if (!frame) return notices.add(frame.error().code, frame.error().place, 0);
  auto& room = rooms_.emplace_back();
  const auto payload = base::content(*frame, room, options_.most_inflated);
  if (!payload) return notices.add(payload.error().code, payload.error().place, frame->head.length);
  base::Cursor in(*payload, offset + base::kFrameHeadSize);
  Tick before = in.fixed<Tick>();
  const std::uint64_t count = in.uleb();
  if (in.fits(count, kLeast)) {
    for (std::uint64_t i = 0; i < count && read_record(in, before);) ++i;
  }
  if (!in.ok())
    notices.add(in.fault_code(), {.offset = in.fault_offset(), .frame = "RECS"},
                payload->size() - (in.fault_offset() - offset - base::kFrameHeadSize));
}

result<void> Loader::insert_all(BuildCore& core) {
  for (const LoadedRecord& record : records_) {
    const std::uint32_t index = core.lines().index(record.key);
    auto done = core.insert(index, record.start, record.end, record.value);
    if (done) continue;
    const Code code = done.error().code;
    const bool survivable = code == Code::intervals_overlap || code == Code::time_backwards ||
                            code == Code::time_outside || code == Code::type_conflict;
    if (!survivable) return done;
    stream_->notices.add(code == Code::time_backwards ? Code::intervals_overlap : code, {}, 0,
                         fmt::format("key {} at {}", record.key, record.start));
  }
  // What no record tells of is a gap from the start on.
  for (const std::uint32_t index : core.lines().keys().in_order()) {
    if (core.lines().is_untouched(index)) core.lines().begin_absent(index);
  }
  return {};
}

result<base::FrameFile> Loader::build() {
  const FileHeader& header = stream_->header;
  auto file = stream_->image.bytes().size() > (std::uint64_t{64} << 20)
                  ? base::FrameFile::temporary()
                  : base::FrameFile::in_memory();
  if (!file) return tl::unexpected(file.error());
  auto core = BuildCore::start(std::move(*file), {.start = header.start,
                                                  .ticks_per_second = header.ticks_per_second,
                                                  .clock_offset = header.clock_offset,
                                                  .id = header.id});
  if (!core) return tl::unexpected(core.error());
  Timelines& lines = (*core)->lines();
  for (std::uint32_t i = 0; i < stream_->keys.size(); ++i) {
    const KeyInfo& info = stream_->keys[i];
    const std::uint32_t index = lines.index(info.key);
    lines.keys()[index].parent = info.parent;
    lines.keys()[index].set_name(info.name());
    const bool known = name(static_cast<Type>(info.code)) != name(Type::open);
    const TypeCode code = known || info.code == kOpenCode ? info.code : code_of(Type::none);
    if (auto done = lines.declare(index, code, true); !done) return tl::unexpected(done.error());
  }
  std::ranges::stable_sort(records_, {}, &LoadedRecord::start);
  if (auto done = insert_all(**core); !done) return tl::unexpected(done.error());
  Tick end = stream_->end;
  for (const LoadedRecord& record : records_) end = std::max(end, record.end);
  if (auto done = (*core)->close(end); !done) return tl::unexpected(done.error());
  return (*core)->take_file();
}

result<std::unique_ptr<Opened>> Loader::load() {
  for (const std::uint64_t offset : stream_->record_frames) read_frame(offset);
  const auto file = build();
  if (!file) return tl::unexpected(file.error());
  auto image = base::Image::map(file->descriptor(), file->size());
  if (!image) return tl::unexpected(image.error());
  OpenOptions options = options_;
  options.trust_content = false;
  auto opened = open_image(std::move(*image), options);
  if (!opened) return opened;
  (*opened)->notices = stream_->notices;
  (*opened)->header.layout = Layout::stream;
  (*opened)->header.major = stream_->header.major;
  (*opened)->header.minor = stream_->header.minor;
  (*opened)->is_complete = stream_->is_complete && stream_->notices.empty();
  (*opened)->stream_bytes = stream_->image.bytes().size();
  return opened;
}

}  // namespace

result<std::unique_ptr<Opened>> load_stream(std::unique_ptr<Opened> stream,
                                            const OpenOptions& options) {
  return Loader(std::move(stream), options).load();
}

void StreamWriter::add(const KeyInfo& info, const State& state, Tick end) {
  const bool null_is_gap = info.code == code_of(Type::none);
  if (presence_of(state.tag) == Presence::absent) return;
  if (presence_of(state.tag) == Presence::null && null_is_gap) return;
  records_.push_back({end, state, info.key, info.code});
}

void StreamWriter::put(base::Appender& to, const Record& record, Tick before) {
  constexpr auto kNone = code_of(Type::none);
  const bool has_value = presence_of(record.state.tag) == Presence::value && record.code != kNone;
  to.uleb(std::uint64_t{record.key} << 1 | (has_value ? 1U : 0U));
  to.uleb(base::zigzag(static_cast<std::int64_t>(base::ticks_between(before, record.end))));
  to.uleb(base::ticks_between(record.state.start, record.end));
  if (!has_value) return;
  const TypeCode code = type_of(record.state.tag);
  const std::uint64_t payload = record.state.payload;
  if (record.code == kAnyCode) to.byte(code);
  switch (static_cast<Type>(code)) {
    case Type::boolean: to.byte(static_cast<std::uint8_t>(payload)); break;
    case Type::integer: to.uleb(base::zigzag(static_cast<std::int64_t>(payload))); break;
    case Type::real: to.fixed(payload); break;
    case Type::string:
    case Type::bytes: to.uleb(payload + 1); break;
    default: break;
  }
}

base::result<void> StreamWriter::flush(
    const std::function<base::result<void>(base::Bytes)>& write) {
  constexpr std::size_t kMostBytes = (std::size_t{1} << 20) - 64;
  constexpr std::size_t kMostHead = 10;
  std::ranges::stable_sort(records_, {}, &Record::end);
  for (std::size_t done = 0; done < records_.size();) {
    const Tick base = records_[done].end;
    Tick before = base;
    base::Appender records;
    std::size_t count = 0;
    for (; done < records_.size() && records.size() < kMostBytes - kMostHead; ++count, ++done) {
      put(records, records_[done], before);
      before = records_[done].end;
    }
    base::Appender payload;
    payload.fixed(base);
    payload.uleb(count);
    payload.bytes(records.view());
    if (auto written = write(payload.view()); !written) return written;
  }
  records_.clear();
  return {};
}

}  // namespace polytrace::history
