// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of TPTP XML - documents, fragments without a root, both one after the other - into
// chunks of whole top-level elements. In a chunk everything that is no such element (roots, blanks,
// comments, declarations) is blanked out, so that it can be parsed as the content of one element.
// Input is never held beyond one chunk and one incomplete element.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/io/piece.hpp"
#include "base/notices.hpp"
#include "event/reader.hpp"
#include "format/tptp/xml/ruler.hpp"
#include "format/tptp/xml/scan.hpp"

namespace polytrace::format::tptp {

// One thread at a time.
class XmlFraming {
 public:
  // `converted` as of Decoded. Offsets and sizes told are those of the input.
  XmlFraming(base::Source& source, const base::Limits& limits, const std::string& converted)
      : source_(source), limits_(limits), ruler_(converted) {}

  // False at the end. A chunk is given as soon as there is something to give, so that a growing
  // file is read while it grows. Markup that is broken, and text between elements, is left out and
  // told in notices().
  base::result<bool> next(event::Chunk& chunk);
  const base::Notices& notices() const { return notices_; }
  // Where the elements of the last chunk begin, in it.
  const std::vector<std::size_t>& begins() const { return begins_; }
  // Bytes of the input in it that notices() told to be left out.
  std::size_t lost() const { return lost_; }
  // About the stream as a whole.
  void note(base::Code code, std::string detail) {
    notices_.add(code, position_.place(input_offset_), 0, std::move(detail));
  }

 private:
  enum class Verdict { take, leave_out, leave_out_to_next, need_more };
  // What to do with the next bytes.
  struct Step {
    Verdict verdict = Verdict::need_more;
    std::size_t bytes = 0;  // of need_more: none
    base::Code code{};
    std::string detail{};
  };

  std::string_view text() const;
  base::Bytes rest() const { return base::Bytes(buffer_).subspan(at_); }
  // Where the input had rest()[at].
  std::uint64_t place_of(std::size_t at) { return input_offset_ + ruler_.before(rest(), at); }
  Step step(std::size_t at);
  Step between(std::size_t at);
  Step start_tag(std::size_t at, const Markup& open);
  Step element(std::size_t at, std::size_t end);
  Step doctype(std::size_t at, std::size_t end);
  Step close(std::size_t at, const Markup& tag);
  Step incomplete(std::size_t at, std::string_view name) const;
  Step broken(std::string detail) const;
  Step stray(std::size_t bytes) const;
  Step blanked(std::size_t at, std::size_t end);
  bool becomes_root(std::string_view name) const;

  base::result<void> leave_out(Step step);
  bool blank_out(std::size_t at, Step& step);
  std::size_t note(const Step& step, std::size_t at);
  // Bytes to the next place where reading can go on, as far as the buffer shows; true when found.
  bool find_next(std::size_t from, std::size_t& bytes) const;
  Markup recognised(std::size_t at) const;
  void give(event::Chunk& chunk, std::size_t bytes);
  void drop(std::size_t bytes);
  void finish();
  base::result<void> read_more();

  static constexpr std::size_t kPiece = 256 * 1024;

  base::Source& source_;
  base::Piece piece_{kPiece};
  base::Limits limits_;
  base::Notices notices_;
  Scanner scanner_;
  Ruler ruler_;
  base::RawArray<std::byte> buffer_;
  std::size_t at_ = 0;        // in the buffer, of what comes next
  std::uint64_t offset_ = 0;  // the same in the decoded stream
  std::uint64_t input_offset_ = 0;
  LineColumn position_;  // the same for people
  std::uint64_t chunks_ = 0;
  std::vector<std::size_t> begins_;
  std::size_t lost_ = 0;
  bool source_ended_ = false;

  std::optional<std::string> root_;  // the element we are in
  std::string last_root_;
  bool met_element_ = false;     // outside of any root
  bool doctype_spoilt_ = false;  // one was never ended: no other is looked for
};

}  // namespace polytrace::format::tptp
