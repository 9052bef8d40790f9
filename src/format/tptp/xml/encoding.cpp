// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/encoding.hpp"

#include <fmt/format.h>
#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "base/codes.hpp"
#include "base/io/zip_source.hpp"
#include "base/text/utf8.hpp"
#include "format/tptp/xml/ruler.hpp"
#include "format/tptp/xml/scan.hpp"

namespace polytrace::format::tptp {
namespace {

constexpr std::size_t kHead = 256;  // holds any sensible XML declaration
constexpr std::size_t kPiece = 64 * 1024;

// What is handed to iconv: a trace is not to choose among all its modules.
constexpr std::array<std::string_view, 14> kConverted{
    "utf-16",  "utf-32", "iso-8859-", "iso8859-", "windows-125", "cp125",     "koi8-",
    "gb18030", "gbk",    "gb2312",    "big5",     "euc-jp",      "shift_jis", "iso-2022-jp"};

bool is_converted(std::string_view name) {
  return std::ranges::any_of(kConverted, [name](std::string_view known) {
    return name.starts_with(known) && name.size() <= known.size() + 2;
  });
}

bool names_utf8(std::string_view name) {
  return name.empty() || name == "utf-8" || name == "utf8" || name == "us-ascii" || name == "ascii";
}

class ConvertingSource final : public base::Source {
 public:
  // `unit` is the number of bytes to go on behind when some are no character.
  ConvertingSource(std::unique_ptr<base::Source> from, iconv_t converter, std::size_t unit)
      : from_(std::move(from)), converter_(converter), unit_(unit) {}
  ~ConvertingSource() override { iconv_close(converter_); }

  base::result<std::size_t> read(std::span<std::byte> into) override {
    while (at_ == made_) {
      if (ended_ && left_ == 0) return std::size_t{0};
      if (auto done = convert_more(); !done) return base::Unexpected(done.error());
    }
    const std::size_t count = std::min(into.size(), made_ - at_);
    std::copy_n(reinterpret_cast<const std::byte*>(out_.data()) + at_, count, into.begin());
    at_ += count;
    return count;
  }
  std::optional<base::Error> end_fault() const override { return from_->end_fault(); }
  std::optional<std::uint64_t> stored_size() const override { return from_->stored_size(); }
  std::uint64_t stored_position() const override { return from_->stored_position(); }

 private:
  static constexpr std::size_t kLongest = 8;  // of one character, in any encoding

  base::result<void> convert_more() {
    if (!ended_ && left_ < kLongest) {
      const auto got = from_->read({in_.data() + left_, kPiece});
      if (!got) return base::Unexpected(got.error());
      left_ += *got;
      ended_ = *got == 0;
    }
    char* from = reinterpret_cast<char*>(in_.data());
    char* to = out_.data();
    std::size_t room = out_.size() - kNoCharacter.size();
    const bool fine = iconv(converter_, &from, &left_, &to, &room) != static_cast<std::size_t>(-1);
    const bool wrong = !fine && (errno == EILSEQ || (errno == EINVAL && ended_));
    if (wrong) {
      to = std::ranges::copy(kNoCharacter, to).out;
      const std::size_t unit = std::min(unit_, left_);
      from += unit;
      left_ -= unit;
    }
    std::copy_n(from, left_, reinterpret_cast<char*>(in_.data()));
    at_ = 0;
    made_ = static_cast<std::size_t>(to - out_.data());
    return {};
  }

  std::unique_ptr<base::Source> from_;
  iconv_t converter_;
  std::size_t unit_;
  std::array<std::byte, kPiece + kLongest> in_;
  std::size_t left_ = 0;  // in in_, not converted yet
  std::array<char, kPiece * 2> out_;
  std::size_t at_ = 0;
  std::size_t made_ = 0;
  bool ended_ = false;
};

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string declared(std::string_view head) {
  const std::size_t end = head.find("?>");
  std::size_t at = head.find("encoding");
  if (!head.starts_with("<?xml") || at == std::string_view::npos || at > end) return {};
  at = head.find_first_of("\"'", at);
  if (at == std::string_view::npos) return {};
  const std::size_t close = head.find(head[at], at + 1);
  if (close == std::string_view::npos) return {};
  std::string name(head.substr(at + 1, close - at - 1));
  std::ranges::transform(name, name.begin(), small);
  return name;
}

}  // namespace

std::string encoding_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with(base::kByteOrderMark)) return "utf-8";
  if (head.starts_with("\xff\xfe\0\0"sv) || head.starts_with("<\0\0\0"sv)) return "utf-32le";
  if (head.starts_with("\0\0\xfe\xff"sv) || head.starts_with("\0\0\0<\0\0\0"sv)) return "utf-32be";
  if (head.starts_with("\xff\xfe") || head.starts_with("<\0?\0"sv)) return "utf-16le";
  if (head.starts_with("\xfe\xff") || head.starts_with("\0<\0?"sv)) return "utf-16be";
  const std::string name = declared(head);
  // Whatever the declaration says: it could be read as ASCII.
  return name.starts_with("utf-16") || name.starts_with("utf-32") ? "utf-8" : name;
}

namespace {

base::result<std::vector<std::byte>> head_of(base::Source& source) {
  std::vector<std::byte> head(kHead);
  const auto got = base::read_fully(source, head);
  if (!got) return base::Unexpected(got.error());
  head.resize(*got);
  return head;
}

// Whether an entry may begin like this: with markup or a byte order mark, blanks before it.
bool may_be_trace(base::Bytes first, std::size_t) {
  const auto not_blank =
      std::ranges::find_if(first, [](std::byte byte) { return byte > std::byte{0x20}; });
  constexpr std::string_view kFirst = "<\xef\xfe\xff";
  return not_blank == first.end() || kFirst.find(static_cast<char>(*not_blank)) != kFirst.npos;
}

// Of a zip file without content: whether it is one of other things, rather than cut off.
bool has_only_others(const base::Source& zip) {
  const auto fault = zip.end_fault();
  return !fault || fault->code == base::Code::xml_unknown;
}

// The name of the root, or what the document type is of; empty when the head does not show it.
std::string_view root_name(std::string_view head) {
  constexpr std::string_view kDoctype = "<!doctype ";
  if (head.starts_with(base::kByteOrderMark)) head.remove_prefix(base::kByteOrderMark.size());
  Scanner scanner;
  scanner.look_at(head, 0);
  for (std::size_t at = 0; at < head.size();) {
    if (static_cast<unsigned char>(head[at]) <= 0x20) {
      ++at;
      continue;
    }
    if (head[at] != '<') return {};
    const std::string_view rest = head.substr(at);
    const bool is_doctype =
        std::ranges::equal(rest.substr(0, kDoctype.size()), kDoctype, {}, small);
    const std::size_t before = is_doctype ? kDoctype.size() : 1;
    const std::size_t end = name_end(rest, before);
    if (end > before) return rest.substr(before, end - before);
    const Markup aside = scanner.markup(at);
    if (aside.shape != Shape::aside) return {};
    at = aside.end;
  }
  return {};
}

// XML, or nearly, that everybody has and that is never a trace.
bool is_other(std::string_view root) {
  constexpr std::array<std::string_view, 3> kOthers{"html", "svg", "Types"};
  return std::ranges::any_of(kOthers, [root](std::string_view other) {
    return std::ranges::equal(root, other, {}, small, small);
  });
}

base::result<Decoded> decode(std::unique_ptr<base::Source> source) {
  auto read = head_of(*source);
  if (read && base::is_zip(*read)) {
    source = base::zip_source(base::prepend(std::move(*read), std::move(source)),
                              {may_be_trace, base::Code::xml_unknown});
    read = head_of(*source);
    if (read && read->empty() && has_only_others(*source))
      return base::fail(base::Code::not_recognised, "no entry of the zip file is a trace");
  }
  if (!read) return base::Unexpected(read.error());
  std::vector<std::byte> head = std::move(*read);
  std::string name = encoding_of({reinterpret_cast<const char*>(head.data()), head.size()});
  auto whole = base::prepend(std::move(head), std::move(source));
  if (names_utf8(name)) return Decoded{std::move(whole), "utf-8"};
  if (!is_converted(name)) return Decoded{std::move(whole), std::move(name), false};
  const iconv_t converter = iconv_open("UTF-8", name.c_str());
  if (converter == reinterpret_cast<iconv_t>(-1))
    return Decoded{std::move(whole), std::move(name), false};
  auto converted = std::make_unique<ConvertingSource>(std::move(whole), converter, unit_of(name));
  return Decoded{std::move(converted), name, true, name};
}

}  // namespace

base::result<Decoded> decode_text(std::unique_ptr<base::Source> source) {
  auto decoded = decode(std::move(source));
  if (!decoded) return decoded;
  auto head = head_of(*decoded->source);
  if (!head) return base::Unexpected(head.error());
  const std::string root(root_name({reinterpret_cast<const char*>(head->data()), head->size()}));
  if (is_other(root))
    return base::fail(base::Code::not_recognised, fmt::format("it is <{}>", root));
  decoded->source = base::prepend(std::move(*head), std::move(decoded->source));
  return decoded;
}

}  // namespace polytrace::format::tptp
