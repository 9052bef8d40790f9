// SPDX-License-Identifier: Apache-2.0
#include "format/assembler.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>

#include "base/codes.hpp"
#include "base/io/appender.hpp"
#include "base/io/crc32c.hpp"
#include "event/text/quoted.hpp"

namespace polytrace::format::test {
namespace {

using Words = std::vector<std::string>;

// Quoted texts stay one word, with their quotes.
base::result<Words> split(std::string_view source) {
  Words words;
  while (!source.empty()) {
    const char c = source[0];
    if (c == '#') {
      source.remove_prefix(std::min(source.find('\n'), source.size()));
    } else if (c == '"') {
      const auto text = event::take_quoted(source);
      if (!text) return base::fail(base::Code::usage, "text without end");
      words.push_back('"' + *text);
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      source.remove_prefix(1);
    } else {
      const auto length = std::min(source.find_first_of(" \t\n#\""), source.size());
      words.emplace_back(source.substr(0, length));
      source.remove_prefix(length);
    }
  }
  return words;
}

std::optional<std::uint64_t> to_number(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  const bool hex = word.starts_with("0x");
  if (hex) word.remove_prefix(2);
  std::uint64_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, fault] = std::from_chars(word.data(), end, value, hex ? 16 : 10);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return negative ? ~value + 1 : value;
}

class Assembler {
 public:
  explicit Assembler(const std::filesystem::path& folder) : folder_(folder) {}

  base::result<void> run(const Words& words) {
    for (next_ = 0, words_ = &words; next_ < words.size();) {
      const std::string word = take();
      if (!statement(word)) return base::fail(base::Code::usage, "not understood: " + word);
    }
    return {};
  }
  base::result<std::vector<std::byte>> finish() {
    std::vector<std::byte> bytes(out_.view().begin(), out_.view().end());
    for (const Patch& patch : patches_) {
      const auto block = blocks_.find(patch.block);
      if (block == blocks_.end()) return base::fail(base::Code::usage, "no block " + patch.block);
      const auto [at, size] = block->second;
      const std::uint64_t value =
          patch.checksum ? base::crc32c(base::Bytes(bytes).subspan(at, size)) : size;
      for (std::size_t i = 0; i < 4; ++i)
        bytes[patch.at + (patch.big ? 3 - i : i)] = static_cast<std::byte>(value >> (8 * i));
    }
    return bytes;
  }

 private:
  struct Patch {
    std::size_t at;
    std::string block;
    bool big;
    bool checksum = false;
  };
  struct Extent {
    std::size_t at;
    std::size_t size;
  };

  std::string take() { return next_ < words_->size() ? (*words_)[next_++] : std::string(); }

  bool statement(const std::string& word) {
    if (word.size() == 2 && to_number("0x" + word)) return byte(*to_number("0x" + word));
    if (word == "big" || word == "little") return big_ = word == "big", true;
    if (word == "include") return include(take());
    if (word == "let" || word == "default") return define(word == "default");
    if (word == "str" || word == "text") return text(word == "str");
    if (word == "fill") return fill();
    if (word == "f64") return real(take());
    if (word.ends_with('{')) return open(word.substr(0, word.size() - 1));
    if (word == "}") return close();
    if (word == "i32" && next_ < words_->size() && (*words_)[next_].starts_with('@'))
      return size_of(take().substr(1));
    if (word == "crc") return checksum_of(take());
    return integer(word);
  }

  template <class T>
  bool fixed(T value) {
    std::byte bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    if (big_) std::reverse(std::begin(bytes), std::end(bytes));
    out_.bytes(bytes);
    return true;
  }
  bool byte(std::uint64_t value) {
    out_.byte(static_cast<std::uint8_t>(value));
    return true;
  }
  std::optional<std::uint64_t> value() {
    const std::string word = take();
    if (!word.starts_with('$')) return to_number(word);
    const auto found = values_.find(word.substr(1));
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }
  bool integer(const std::string& type) {
    const auto number = value();
    if (!number) return false;
    if (type == "uleb") return out_.uleb(*number), true;
    if (type == "sleb") return out_.sleb(static_cast<std::int64_t>(*number)), true;
    if (type == "zig") return out_.uleb(*number << 1 ^ (0 - (*number >> 63))), true;
    if (type == "int") return stop_bit_number(*number);
    if (type == "u8" || type == "i8") return byte(*number);
    if (type == "u16" || type == "i16") return fixed(static_cast<std::uint16_t>(*number));
    if (type == "u32" || type == "i32") return fixed(static_cast<std::uint32_t>(*number));
    if (type == "u64" || type == "i64") return fixed(*number);
    return false;
  }
  bool stop_bit_number(std::uint64_t number) {
    for (; number > 0x7f; number >>= 7) byte(number & 0x7f);
    return byte(number | 0x80);
  }
  bool real(const std::string& word) {
    double number = 0;
    const char* end = word.data() + word.size();
    const auto [stop, fault] = std::from_chars(word.data(), end, number);
    fixed(number);
    return fault == std::errc{} && stop == end;
  }
  bool text(bool with_zero) {
    const std::string word = take();
    if (!word.starts_with('"')) return false;
    out_.text(std::string_view(word).substr(1));
    return !with_zero || byte(0);
  }
  bool fill() {
    const auto count = value();
    const auto what = value();
    if (!count || !what) return false;
    for (std::uint64_t i = 0; i < *count; ++i) byte(*what);
    return true;
  }
  bool define(bool only_new) {
    const std::string name = take();
    const auto number = value();
    if (!number) return false;
    if (only_new) values_.try_emplace(name, *number);
    else values_[name] = *number;
    return true;
  }

  bool open(const std::string& name) {
    open_.push_back({out_.size(), name, big_});
    return true;
  }
  // A block's name may come again: sizes are of the block that opens next.
  bool close() {
    if (open_.empty()) return false;
    const std::string name = open_.back().block;
    const Extent extent{open_.back().at, out_.size() - open_.back().at};
    open_.pop_back();
    const std::string number = name + " " + std::to_string(closed_[name]++);
    blocks_[number] = extent;
    return true;
  }
  bool size_of(const std::string& name) {
    patches_.push_back({out_.size(), name + " " + std::to_string(closed_[name]), big_});
    out_.fixed(std::uint32_t{0});
    return true;
  }
  bool checksum_of(const std::string& name) {
    const bool later = name.starts_with('@');
    const std::string block = name.substr(later ? 1 : 0);
    const int number = closed_[block] - (later ? 0 : 1);
    patches_.push_back({out_.size(), block + " " + std::to_string(number), big_, true});
    out_.fixed(std::uint32_t{0});
    return true;
  }
  bool include(const std::string& name) {
    std::ifstream file(folder_ / name);
    const auto words = split(std::string(std::istreambuf_iterator<char>(file), {}));
    if (!file || !words) return false;
    const auto back = std::pair(words_, next_);
    const auto done = run(*words);
    std::tie(words_, next_) = back;
    return done.has_value();
  }

  std::filesystem::path folder_;
  const Words* words_ = nullptr;
  std::size_t next_ = 0;
  base::Appender out_;
  bool big_ = false;
  std::map<std::string, std::uint64_t> values_;
  std::map<std::string, Extent> blocks_;  // closed ones, by name and number
  std::map<std::string, int> closed_;
  std::vector<Patch> open_;
  std::vector<Patch> patches_;
};

}  // namespace

base::result<std::vector<std::byte>> assemble(std::string_view source,
                                              const std::filesystem::path& folder) {
  const auto words = split(source);
  if (!words) return base::Unexpected(words.error());
  Assembler assembler(folder);
  if (auto done = assembler.run(*words); !done) return base::Unexpected(done.error());
  return assembler.finish();
}

}  // namespace polytrace::format::test
