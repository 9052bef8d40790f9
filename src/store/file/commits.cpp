// SPDX-License-Identifier: Apache-2.0
#include "store/file/commits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/codes.hpp"
#include "base/io/appender.hpp"

namespace polytrace::store {
namespace {

using base::Bytes;
using base::Code;
using base::fail;
using base::Unexpected;

// Of what is inflated from a frame.
constexpr std::uint64_t kMostInflated = std::uint64_t{64} << 20;

base::Unexpected fail_twice(std::uint64_t offset, std::uint32_t kind) {
  return fail(Code::value_unexpected, "not behind the frame before it",
              {.offset = offset, .frame = base::frame_name(kind)});
}

// Each frame is told once: what an index takes to read is then bounded by its bytes.
base::result<void> check_order(const std::vector<Entry>& entries) {
  std::uint64_t behind = 0;
  for (const Entry& entry : entries) {
    const std::uint64_t begin = entry.offset + base::kFrameHeadSize;
    if (entry.offset < behind || begin < entry.offset || begin + entry.length < begin)
      return fail_twice(entry.offset, entry.kind);
    behind = begin + entry.length;
  }
  return {};
}

}  // namespace

base::result<IndexWriter> IndexWriter::create(const std::string& path, const PageHead& head) {
  auto file = base::FrameFile::create(path, true);
  if (!file) return tl::unexpected(file.error());
  return begin(std::move(*file), head);
}

base::result<IndexWriter> IndexWriter::begin(base::FrameFile file, const PageHead& head) {
  IndexWriter writer(std::move(file));
  writer.head_ = head;
  std::array<std::byte, kPageBytes> page{};
  std::ranges::copy(encode(head), page.begin());
  if (auto put = writer.file_.overwrite(0, page); !put) return tl::unexpected(put.error());
  return writer;
}

base::result<void> IndexWriter::write_head(const PageHead& head) {
  head_ = head;
  return file_.overwrite(0, encode(head));
}

// They may be told before the commit that has them, never after it.
base::result<void> IndexWriter::write_features(std::uint64_t required) {
  if ((required & ~head_.required) == 0) return {};
  PageHead head = head_;
  head.required |= required;
  return write_head(head);
}

base::result<void> IndexWriter::append(Entry entry, Bytes payload, Packing packing) {
  const auto offset = file_.append(entry.kind, payload, packing == Packing::compress);
  if (!offset) return tl::unexpected(offset.error());
  entry.offset = *offset;
  entry.length = file_.last_head().length;
  entry.sum = file_.last_head().checksum;
  directory_.behind.push_back(entry);
  return {};
}

base::result<Slot> IndexWriter::write_state(base::FrameFile& to, std::uint64_t start,
                                            Directory& directory, const Progress& progress) const {
  std::vector<Entry>& entries = directory.behind;
  std::vector<std::uint64_t> offsets = directory.full;
  for (std::size_t done = 0; done < entries.size();) {
    const std::size_t count = std::min(entries.size() - done, kEntriesPerFrame);
    base::Appender payload;
    for (std::size_t i = done; i < done + count; ++i) encode(entries[i], payload);
    const auto offset = to.append(frame::directory, payload.view());
    if (!offset) return tl::unexpected(offset.error());
    offsets.push_back(start + *offset);
    if (count == kEntriesPerFrame) directory.full.push_back(offsets.back());
    done += count;
  }
  const std::size_t full = entries.size() / kEntriesPerFrame * kEntriesPerFrame;
  entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(full));
  base::Appender payload;
  encode(Root{offsets, progress.totals}, payload);
  const auto offset = to.append(frame::root, payload.view());
  if (!offset) return tl::unexpected(offset.error());
  return Slot{.sequence = sequence_ + 1,
              .root = start + *offset,
              .root_length = static_cast<std::uint32_t>(payload.size()),
              .state = progress.state,
              .source_bytes = progress.source_bytes,
              .events = progress.totals.events,
              .watermark = progress.watermark,
              .length = start + to.size()};
}

base::result<void> IndexWriter::commit(const Progress& progress) {
  if (auto written = write_features(progress.required); !written) return written;
  const auto slot = write_state(file_, 0, directory_, progress);
  if (!slot) return tl::unexpected(slot.error());
  if (auto synced = file_.sync(); !synced) return synced;
  if (auto put = file_.overwrite(slot_offset(slot->sequence), encode(*slot)); !put) return put;
  if (auto synced = file_.sync(); !synced) return synced;
  sequence_ = slot->sequence;
  return {};
}

base::result<std::unique_ptr<const IndexView>> IndexWriter::seal(const std::vector<Piece>& behind,
                                                                 const Progress& progress) {
  if (auto written = write_features(progress.required); !written)
    return Unexpected(written.error());
  auto file = base::FrameFile::in_memory();
  if (!file) return Unexpected(file.error());
  const std::uint64_t start = file_.size();
  Directory directory = directory_;
  for (const Piece& piece : behind) {
    const auto offset = file->append(piece.entry.kind, std::as_bytes(std::span(piece.payload)));
    if (!offset) return Unexpected(offset.error());
    Entry entry = piece.entry;
    entry.offset = start + *offset;
    entry.length = file->last_head().length;
    entry.sum = file->last_head().checksum;
    directory.behind.push_back(entry);
  }
  const auto slot = write_state(*file, start, directory, progress);
  if (!slot) return Unexpected(slot.error());
  std::vector<std::byte> bytes(file->size());
  if (auto read = file->read(0, bytes); !read) return Unexpected(read.error());
  auto image = base::Image::map(file_.descriptor(), start, bytes);
  if (!image) return Unexpected(image.error());
  return IndexView::open(std::move(*image), *slot);
}

base::result<std::unique_ptr<const IndexView>> IndexView::open(const std::string& path) {
  // Who commits twice while it is mapped leaves no slot that lies in what was mapped; who learns of
  // another feature writes the head again while it is read.
  constexpr int kMostTorn = 3;
  std::size_t before = 0;
  for (int torn = 0;;) {
    auto image = base::Image::map(path);
    if (!image) return tl::unexpected(image.error());
    const std::size_t size = image->bytes().size();
    auto view = open(std::move(*image));
    if (view) return view;
    const bool has_grown = view.error().code == Code::index_missing && size > before;
    const bool is_torn = view.error().code == Code::checksum_wrong && ++torn <= kMostTorn;
    if (!has_grown && !is_torn) return view;
    before = size;
  }
}

base::result<std::unique_ptr<const IndexView>> IndexView::open(base::Image image) {
  std::unique_ptr<IndexView> view(new IndexView(std::move(image)));
  if (auto read = view->read(nullptr); !read) return tl::unexpected(read.error());
  return view;
}

base::result<std::unique_ptr<const IndexView>> IndexView::open(base::Image image,
                                                               const Slot& slot) {
  std::unique_ptr<IndexView> view(new IndexView(std::move(image)));
  if (auto read = view->read(&slot); !read) return tl::unexpected(read.error());
  return view;
}

// Who was stopped while it wrote page 0 leaves a part of it, or zeros, and committed nothing.
base::result<void> IndexView::read(const Slot* slot) {
  auto head = decode_page_head(bytes());
  const Bytes page = bytes().first(std::min(bytes().size(), kPageBytes));
  if (!head && (head.error().code == Code::header_truncated ||
                std::ranges::all_of(page, [](std::byte one) { return one == std::byte{}; })))
    return fail(Code::index_missing, "page 0 is not whole", {.frame = "page 0"});
  if (!head) return tl::unexpected(head.error());
  head_ = std::move(*head);
  if (slot != nullptr) slot_ = *slot;
  else if (auto chosen = choose_slot(); !chosen) return chosen;
  return read_directory();
}

// A slot says what is on the medium: what is shorter was cut by others. Where the slot before it
// is whole, it holds.
base::result<void> IndexView::choose_slot() {
  std::optional<Slot> best;
  for (const std::uint64_t parity : {std::uint64_t{0}, std::uint64_t{1}}) {
    const auto slot = slot_of(bytes(), parity);
    if (!slot || slot->length > bytes().size()) continue;
    if (!best || best->sequence < slot->sequence) best = slot;
  }
  if (!best) return fail(Code::index_missing, "nothing was committed", {.frame = "page 0"});
  slot_ = *best;
  return {};
}

base::result<base::Frame> IndexView::frame(std::uint64_t offset, std::uint32_t kind,
                                           Trust trust) const {
  if (offset < kPageBytes || offset > slot_.length)
    return fail(Code::offset_invalid, fmt::format("{:#x}", offset),
                {.frame = base::frame_name(kind)});
  auto found = base::frame_at(bytes().first(slot_.length), offset, trust == Trust::checked_before);
  if (!found) return found;
  if (found->head.kind != kind)
    return fail(Code::value_unexpected,
                fmt::format("{} in place of {}", base::frame_name(found->head.kind),
                            base::frame_name(kind)),
                {.offset = offset});
  return found;
}

base::result<void> IndexView::read_directory() {
  const auto root_frame = frame(slot_.root, frame::root, Trust::none);
  if (!root_frame) return tl::unexpected(root_frame.error());
  const auto root = decode_root(root_frame->payload, slot_.root + base::kFrameHeadSize);
  if (!root) return tl::unexpected(root.error());
  totals_ = root->totals;
  std::uint64_t behind = 0;
  for (const std::uint64_t offset : root->directory) {
    const auto part = frame(offset, frame::directory, Trust::none);
    if (!part) return tl::unexpected(part.error());
    if (offset < behind) return fail_twice(offset, frame::directory);
    behind = part->end();
    const std::uint64_t at = offset + base::kFrameHeadSize;
    if (auto taken = decode_entries(part->payload, at, entries_); !taken) return taken;
  }
  if (auto checked = check_order(entries_); !checked) return checked;
  checked_ = std::make_unique<std::atomic<bool>[]>(entries_.size());
  return {};
}

base::result<base::Frame> IndexView::frame_of(std::size_t index) const {
  const Entry& entry = entries_[index];
  const bool checked = checked_[index].load(std::memory_order_relaxed);
  auto found = frame(entry.offset, entry.kind, checked ? Trust::checked_before : Trust::none);
  if (!found) return found;
  if (found->head.checksum != entry.sum || found->head.length != entry.length)
    return fail(Code::value_unexpected, "another frame than the directory says",
                {.offset = entry.offset, .frame = base::frame_name(entry.kind)});
  checked_[index].store(true, std::memory_order_relaxed);
  return found;
}

base::result<Bytes> IndexView::payload(std::size_t entry, base::RawArray<std::byte>& room) const {
  const auto found = frame_of(entry);
  if (!found) return tl::unexpected(found.error());
  return base::content(*found, room, kMostInflated);
}

base::result<Bytes> IndexView::payload(std::size_t entry) const {
  const auto found = frame_of(entry);
  if (!found) return tl::unexpected(found.error());
  if (found->head.flags != 0)
    return fail(Code::value_unexpected, "compressed",
                {.offset = found->offset, .frame = base::frame_name(found->head.kind)});
  return found->payload;
}

}  // namespace polytrace::store
