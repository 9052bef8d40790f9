// SPDX-License-Identifier: Apache-2.0
#include "analysis/states/derive/state_writer.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"

namespace polytrace::analysis {

void StateWriter::note(base::Code code, history::Key key, const std::string& detail) {
  const history::Tree& tree = builder_.tree();
  const history::Tree::Node node = tree.node(key);
  std::string where = node == history::Tree::kNone ? "" : tree.path(node);
  std::string told = fmt::format("{} at tick {}", where, now_);
  if (!detail.empty()) told += ": " + detail;
  notices_.add(code, {}, 0, std::move(told));
}

void StateWriter::refuse(const base::Error& error, history::Key key) {
  if (error.code == base::Code::write_failed || error.code == base::Code::read_failed) {
    error_ = error;
    return;
  }
  note(error.code, key, error.detail);
}

}  // namespace polytrace::analysis
