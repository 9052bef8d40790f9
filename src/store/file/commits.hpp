// SPDX-License-Identifier: Apache-2.0
// The file of an index as it grows and as it is read: frames are appended, a commit makes them a
// state that readers see. What is written stays where it is, so who has a commit open may go on
// reading it while the file grows.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/frames/frame_file.hpp"
#include "base/frames/image.hpp"
#include "base/raw_array.hpp"
#include "store/file/directory.hpp"
#include "store/file/page.hpp"

namespace polytrace::store {

// How a state is told; what the file itself says of it is filled in.
struct Progress {
  IndexState state = IndexState::building;
  std::uint64_t source_bytes = 0;
  base::Time watermark = base::kNoTime;
  Totals totals{};
  std::uint64_t required = 0;  // features, beside those that page 0 tells already
};

// `compress` tries to; for what has no coding of its own.
enum class Packing : std::uint8_t { as_is, compress };

// A frame on its way; of kind 0 nothing is written. The file knows where it stands.
struct Piece {
  Entry entry;
  std::string payload;
  Packing packing = Packing::as_is;
};

class IndexView;

// Writes an index. One thread at a time. Errors: those of the file.
class IndexWriter {
 public:
  // An existing file is replaced by name.
  static base::result<IndexWriter> create(const std::string& path, const PageHead& head);
  // In an empty file, which may have no name.
  static base::result<IndexWriter> begin(base::FrameFile file, const PageHead& head);

  base::result<void> append(Entry entry, base::Bytes payload, Packing packing = Packing::as_is);
  // Everything so far becomes what readers see: it is on the medium before anything says so.
  base::result<void> commit(const Progress& progress);
  // A state of everything so far and of frames behind it that only who holds the view sees: nothing
  // of it is on the medium. It stays what it is while the file grows.
  base::result<std::unique_ptr<const IndexView>> seal(const std::vector<Piece>& behind,
                                                      const Progress& progress);
  // Page 0 anew, to be seen with the next commit.
  base::result<void> write_head(const PageHead& head);

  const PageHead& head() const { return head_; }
  int descriptor() const { return file_.descriptor(); }
  std::uint64_t size() const { return file_.size(); }
  std::uint64_t sequence() const { return sequence_; }

 private:
  // The frames of the directory: their offsets, and of entries which no full one has yet.
  struct Directory {
    std::vector<std::uint64_t> full;
    std::vector<Entry> behind;
  };

  explicit IndexWriter(base::FrameFile file) : file_(std::move(file)) {}
  base::result<void> write_features(std::uint64_t required);
  // Appends to a file whose first byte stands at `start`. The state as a slot has it.
  base::result<Slot> write_state(base::FrameFile& to, std::uint64_t start, Directory& directory,
                                 const Progress& progress) const;

  base::FrameFile file_;
  PageHead head_;
  std::uint64_t sequence_ = 0;
  Directory directory_;
};

// A commit of an index as its readers have it. Immutable; any thread.
class IndexView {
 public:
  // Of the latest commit that the file holds whole. Errors: those of page 0 and of frames;
  // index_missing when nothing was committed. Of a file that grows, by its path: an image may be
  // older than both of the slots in it.
  static base::result<std::unique_ptr<const IndexView>> open(const std::string& path);
  static base::result<std::unique_ptr<const IndexView>> open(base::Image image);
  // Of a state that page 0 does not tell.
  static base::result<std::unique_ptr<const IndexView>> open(base::Image image, const Slot& slot);

  const PageHead& head() const { return head_; }
  const Slot& slot() const { return slot_; }
  const Totals& totals() const { return totals_; }
  // In order of writing.
  const std::vector<Entry>& entries() const { return entries_; }
  base::Bytes bytes() const { return image_.bytes(); }

  // The payload of an entry's frame; `room` keeps it where it has to be inflated. Both checksums
  // are tested the first time. REQUIRES: entry < entries().size(). Errors: those of frames,
  // value_unexpected where it is another frame.
  base::result<base::Bytes> payload(std::size_t entry, base::RawArray<std::byte>& room) const;
  // Of a frame that nobody compresses as a whole: lives as long as this.
  base::result<base::Bytes> payload(std::size_t entry) const;

 private:
  explicit IndexView(base::Image image) : image_(std::move(image)) {}
  base::result<void> read(const Slot* slot);
  base::result<void> choose_slot();
  base::result<void> read_directory();
  enum class Trust : std::uint8_t { none, checked_before };
  base::result<base::Frame> frame(std::uint64_t offset, std::uint32_t kind, Trust trust) const;
  base::result<base::Frame> frame_of(std::size_t entry) const;

  base::Image image_;
  PageHead head_;
  Slot slot_;
  Totals totals_;
  std::vector<Entry> entries_;
  std::unique_ptr<std::atomic<bool>[]> checked_;  // by entry
};

}  // namespace polytrace::store
