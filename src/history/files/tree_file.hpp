// SPDX-License-Identifier: Apache-2.0
// tree.json: the attribute tree (docs/formats/state-history.md, "tree.json"). A history and a
// snapshot share this file byte for byte: this is its one writer. Neither way goes deeper in the
// machine's stack with the tree. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/notices.hpp"
#include "history/model/tree.hpp"

namespace polytrace::history {

struct TreeFile {
  std::string history_id{};  // as in types.json
  Tree tree{};
};

// Takes the file of any minor version and the member "root" without the braces around it. Nodes
// are created in the order of the text; one without a key is a mere folder. Errors:
// json_malformed (a key or a sibling's name twice, an empty name, a root whose key is not 0),
// version_unsupported, limit_exceeded. Notices as mend_json has them (history/files/json_mend.hpp).
base::result<TreeFile> parse_tree(std::string_view text, base::Notices& notices);

// Siblings by ascending key, folders last. Errors: limit_exceeded for a deeper tree.
base::result<std::string> to_json(const Tree& tree, std::string_view history_id);

}  // namespace polytrace::history
