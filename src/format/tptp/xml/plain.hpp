// SPDX-License-Identifier: Apache-2.0
// The form of an event that every known writer makes: an empty element, its values in double quotes
// and in ASCII, as they stand. It is read here, some bytes at a time; what else XML allows, and
// what it does not, is the parser's.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace polytrace::format::tptp {

struct PlainAttribute {
  std::string_view name;
  std::string_view value;
};

// One element at a time: one thread at a time.
class PlainElement {
 public:
  // Reads the element that begins at `at`. False: it is not plain, or not whole. The parser would
  // give the same name, attributes and end. REQUIRES: text[at] is '<'.
  bool read(std::string_view text, std::size_t at);

  // Of the last one that was plain. They are parts of the text.
  std::string_view name() const { return name_; }
  std::span<const PlainAttribute> attributes() const { return {attributes_.data(), count_}; }
  std::size_t end() const { return end_; }  // behind it

 private:
  static constexpr std::size_t kMost = 32;  // more are not plain

  bool has_twice(std::string_view name);

  std::string_view name_;
  std::array<PlainAttribute, kMost> attributes_;
  std::size_t count_ = 0;
  std::size_t end_ = 0;
  unsigned long long names_ = 0;  // a bit for each name's shape
};

}  // namespace polytrace::format::tptp
