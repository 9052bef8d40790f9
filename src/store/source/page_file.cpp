// SPDX-License-Identifier: Apache-2.0
#include "store/source/page_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>

#include "base/codes.hpp"

namespace polytrace::store {
namespace {

class OpenIndex {
 public:
  OpenIndex(const std::string& path, int how) : fd_(open(path.c_str(), how | O_CLOEXEC)) {}
  OpenIndex(const OpenIndex&) = delete;
  OpenIndex& operator=(const OpenIndex&) = delete;
  ~OpenIndex() {
    if (fd_ >= 0) close(fd_);
  }

  base::result<PageHead> head() const {
    if (fd_ < 0) return base::system_fault(base::Code::open_failed);
    std::array<std::byte, kPageBytes> page{};
    const ssize_t got = pread(fd_, page.data(), page.size(), 0);
    if (got < 0) return base::system_fault(base::Code::read_failed);
    return decode_page_head(base::Bytes(page).first(static_cast<std::size_t>(got)));
  }
  void write(const PageHead& head) const {
    const auto bytes = encode(head);
    static_cast<void>(pwrite(fd_, bytes.data(), bytes.size(), 0) == ssize_t{bytes.size()});
  }

 private:
  int fd_;
};

}  // namespace

base::result<PageHead> read_head(const std::string& index_file) {
  return OpenIndex(index_file, O_RDONLY).head();
}

void refresh(const IndexPlace& place, const PageHead& head, const SourceIdentity& now) {
  const auto alone = FolderLock::take(place.lock(), FolderLock::Share::alone);
  if (!alone || !*alone) return;
  const OpenIndex index(place.file(), O_RDWR);
  auto there = index.head();
  if (!there || there->id != head.id) return;
  there->source = now.facts;
  there->looked = now.looked;
  index.write(*there);
}

}  // namespace polytrace::store
