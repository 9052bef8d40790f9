// SPDX-License-Identifier: Apache-2.0
#include "history/trace_compass/java_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "history/model/texts.hpp"

namespace polytrace::history {
namespace {

using base::Code;
using namespace std::string_view_literals;

// Everything before the list's size: stream header, the magic number as block data, the object
// and its class.
constexpr std::string_view kPrologue =
    "\xac\xed\0\x05\x77\x04\x06\xec\x36\x71\x73\x72\0\x13java.util.ArrayList"
    "\x78\x81\xd2\x1d\x99\xc7\x61\x9d\x03\0\x01I\0\x04size\x78\x70"sv;
// The class of the first string array; later ones refer to it.
constexpr std::string_view kArrayClass =
    "\x72\0\x13[Ljava.lang.String;\xad\xd2\x56\xe7\xe9\x1d\x7b\x47\x02\0\0\x78\x70"sv;
constexpr std::string_view kSameClass = "\x71\0\x7e\0\x02"sv;
constexpr std::uint32_t kFirstHandle = 0x7e0000;
constexpr std::size_t kHandlesBefore = 3;  // list's class, list, array class

constexpr unsigned kReference = 0x71;
constexpr unsigned kString = 0x74;
constexpr unsigned kArray = 0x75;
constexpr unsigned kBlockData = 0x77;
constexpr unsigned kEnd = 0x78;

constexpr std::string_view kSame = "*";

// Java writes each half of a surrogate pair as three bytes, and zero as two.
unsigned unit_at(std::string_view text, std::size_t at, unsigned size) {
  unsigned unit = static_cast<unsigned char>(text[at]) & (size == 2 ? 0x1fU : 0x0fU);
  for (unsigned i = 1; i < size; ++i)
    unit = unit << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
  return unit;
}

// U+10000 and above, from its two halves.
void append_character(std::string& out, unsigned high, unsigned low) {
  const unsigned code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  out += static_cast<char>(0xf0 | code >> 18);
  for (const unsigned shift : {12U, 6U, 0U}) out += static_cast<char>(0x80 | (code >> shift & 63));
}

bool is_half(std::string_view text, std::size_t at, unsigned least) {
  return at + 3 <= text.size() && text[at] == '\xed' && unit_at(text, at, 3) >= least &&
         unit_at(text, at, 3) < least + 0x400;
}

// As UTF-8; what is wrong in it stays wrong.
std::string from_java(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i).starts_with("\xc0\x80")) {
      out += '\0';
      i += 2;
    } else if (is_half(text, i, 0xd800) && is_half(text, i + 3, 0xdc00)) {
      append_character(out, unit_at(text, i, 3), unit_at(text, i + 3, 3));
      i += 6;
    } else {
      out += text[i++];
    }
  }
  return out;
}

// A stream as big-endian numbers and texts; at its end it gives zeros and says so.
class JavaStream {
 public:
  JavaStream(base::Source& source, std::uint64_t offset) : source_(source), origin_(offset) {}

  std::uint64_t offset() const { return origin_ + at_; }
  bool ended() const { return ended_; }
  const std::optional<base::Error>& fault() const { return fault_; }

  std::uint32_t number(std::size_t bytes) {
    std::uint32_t value = 0;
    for (const char c : text(bytes)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }

  // Valid until the next call.
  std::string_view text(std::size_t bytes) {
    if (have_ - at_ < bytes) fill(bytes);
    if (have_ - at_ < bytes) {
      ended_ = true;
      return {};
    }
    const std::string_view taken(piece_.data() + at_, bytes);
    at_ += bytes;
    return taken;
  }

  // How many bytes are left; reads them all.
  std::uint64_t rest() {
    std::uint64_t count = have_ - at_;
    for (at_ = have_; fill(1), have_ > at_; at_ = have_) count += have_ - at_;
    return count;
  }

 private:
  void fill(std::size_t bytes) {
    std::copy(piece_.begin() + static_cast<std::ptrdiff_t>(at_),
              piece_.begin() + static_cast<std::ptrdiff_t>(have_), piece_.begin());
    origin_ += at_;
    have_ -= at_;
    at_ = 0;
    piece_.resize(std::max(bytes, kPiece));
    while (have_ < bytes && !fault_) {
      const auto got = source_.read(std::as_writable_bytes(std::span(piece_).subspan(have_)));
      if (!got) fault_ = got.error();
      if (!got || *got == 0) return;
      have_ += *got;
    }
  }

  static constexpr std::size_t kPiece = std::size_t{64} * 1024;

  base::Source& source_;
  std::uint64_t origin_;  // of piece_[0]
  std::vector<char> piece_ = std::vector<char>(kPiece);
  std::size_t at_ = 0;
  std::size_t have_ = 0;
  bool ended_ = false;
  std::optional<base::Error> fault_{};
};

class PathsReader {
 public:
  PathsReader(base::Source& source, std::uint64_t offset, Tree& tree, base::Notices& notices)
      : in_(source, offset), tree_(tree), notices_(notices), handles_(kHandlesBefore) {}

  base::result<void> run() {
    const bool whole = read_list();
    if (in_.fault()) return base::Unexpected(*in_.fault());
    const std::uint64_t offset = in_.offset();
    const std::uint64_t rest = in_.rest();
    if (in_.fault()) return base::Unexpected(*in_.fault());
    if (!whole)
      notices_.add(in_.ended() ? Code::frame_truncated : Code::value_unexpected,
                   {.offset = offset, .frame = "attribute tree"}, rest,
                   fmt::format("{} of {} attributes were read", read_, count_));
    else if (rest > 0) notices_.add(Code::trailing_bytes, {.offset = offset}, rest);
    return {};
  }

 private:
  bool expect(std::string_view bytes) { return in_.text(bytes.size()) == bytes; }
  bool expect(unsigned byte) { return in_.number(1) == byte && !in_.ended(); }

  bool read_list() {
    if (!expect(kPrologue)) return false;
    count_ = in_.number(4);
    if (!expect(kBlockData) || !expect(4)) return false;
    in_.number(4);  // the list's capacity
    for (; read_ < count_; ++read_) {
      if (!read_array()) return false;
      add_path(static_cast<Key>(read_ + 1));
    }
    return expect(kEnd);
  }

  bool read_array() {
    if (!expect(kArray) || !expect(read_ == 0 ? kArrayClass : kSameClass)) return false;
    handles_.emplace_back();  // the array's own, which is no string
    names_.clear();
    const std::uint32_t count = in_.number(4);
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto name = read_string();
      if (!name) return false;
      const bool same = *name == kSame && i < previous_.size();
      names_.push_back(same ? previous_[i] : *name);
    }
    return !in_.ended();
  }

  std::optional<std::string_view> read_string() {
    const unsigned kind = in_.number(1);
    if (kind == kReference) {
      const std::size_t handle = std::size_t{in_.number(4)} - kFirstHandle;
      if (in_.ended() || handle >= handles_.size()) return std::nullopt;
      return handles_[handle];
    }
    if (kind != kString || in_.ended()) return std::nullopt;
    const std::string_view text = in_.text(in_.number(2));
    if (in_.ended()) return std::nullopt;
    handles_.emplace_back(texts_.keep(name_of(text)));
    return handles_.back();
  }

  std::string name_of(std::string_view text) {
    std::string name = from_java(text);
    std::string fixed = base::repaired(name);
    if (fixed != name)
      notices_.add(Code::text_ill_formed, {.offset = in_.offset(), .frame = "attribute tree"}, 0);
    return fixed;
  }

  void add_path(Key key) {
    std::swap(previous_, names_);
    Tree::Node node = Tree::kTop;
    bool placed = !previous_.empty();
    for (std::size_t i = 0; i < previous_.size() && placed; ++i) {
      placed = !previous_[i].empty();
      if (placed) node = tree_.child(node, previous_[i]);
    }
    if (placed && tree_.set_key(node, key)) return;
    notices_.add(Code::value_unexpected, {.offset = in_.offset(), .frame = "attribute tree"}, 0,
                 fmt::format("attribute {} has no name, or another one's", read_));
  }

  JavaStream in_;
  Tree& tree_;
  base::Notices& notices_;
  Texts texts_{};
  std::vector<std::optional<std::string_view>> handles_;
  std::vector<std::string_view> names_{};
  std::vector<std::string_view> previous_{};
  std::uint64_t count_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace

base::result<void> read_java_paths(base::Source& source, std::uint64_t offset, Tree& tree,
                                   base::Notices& notices) {
  return PathsReader(source, offset, tree, notices).run();
}

}  // namespace polytrace::history
