// SPDX-License-Identifier: Apache-2.0
#include "cli/frame/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/codes.hpp"

namespace polytrace::cli {

Output::Output(int fd) : fd_(fd) {
  if (isatty(fd) == 1) door_.emplace(base::TerminalDoor::Styles::kKept);
}

bool Output::flush() {
  if (door_) {
    text_ = door_->pass(text_);
    text_ += door_->finish();
  }
  std::string_view rest = text_;
  while (!rest.empty() && !fault_) {
    const ssize_t put = ::write(fd_, rest.data(), rest.size());
    if (put >= 0) rest.remove_prefix(static_cast<std::size_t>(put));
    else if (errno != EINTR)
      fault_ = base::Error{base::Code::write_failed, {}, std::strerror(errno)};
  }
  text_.clear();
  return !fault_;
}

}  // namespace polytrace::cli
