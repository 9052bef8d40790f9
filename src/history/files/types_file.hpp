// SPDX-License-Identifier: Apache-2.0
// types.json: the type of every timeline (docs/formats/state-history.md, "types.json"). A history
// and a snapshot share this file byte for byte: this is its one writer. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/notices.hpp"
#include "history/model/value.hpp"

namespace polytrace::history {

struct KeyType {
  Key key = kNoKey;
  Type type = Type::any;  // open when `opaque` names it
  std::string opaque{};   // a type's name that we do not know; times stay readable, values do not
  std::string unit{};
  std::string description{};

  friend bool operator==(const KeyType&, const KeyType&) = default;
};

struct TypesFile {
  std::string history_id{};      // 32 hexadecimal digits as a rule; "" = not told
  std::vector<KeyType> types{};  // ascending by key, each key once

  // Null when the file has no such key.
  const KeyType* find(Key key) const;
  // any for a key that the file does not have, open for an opaque one.
  Type type(Key key) const;

  friend bool operator==(const TypesFile&, const TypesFile&) = default;
};

// Takes the file of any minor version, and its bare forms: the array of objects alone, or the
// objects alone. Errors: json_malformed (a key twice, too), version_unsupported, limit_exceeded.
// Notices as mend_json has them (history/files/json_mend.hpp).
base::result<TypesFile> parse_types(std::string_view text, base::Notices& notices);

// Leaves out timelines whose type is open: a reader takes them as any.
std::string to_json(const TypesFile& file);

}  // namespace polytrace::history
