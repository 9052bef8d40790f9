// SPDX-License-Identifier: Apache-2.0
#include "server/root_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/codes.hpp"
#include "service/input/input.hpp"

namespace polytrace::server {
namespace {

// A descriptor that goes with the object.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::string name_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// Where the kernel does not have the call: part by part, none of which may be a link or lead up.
Descriptor walk_below(int root, std::string_view relative, int flags) {
  Descriptor at(fcntl(root, F_DUPFD_CLOEXEC, 0));
  while (at) {
    const std::string part(relative.substr(0, relative.find('/')));
    relative.remove_prefix(std::min(part.size() + 1, relative.size()));
    const bool is_last = relative.empty();
    if (part == "..") return Descriptor(-1);
    const int how = O_NOFOLLOW | O_CLOEXEC | (is_last ? flags : O_PATH | O_DIRECTORY);
    const int next = openat(at.get(), part.empty() ? "." : part.c_str(), how);
    if (is_last) return Descriptor(next);
    Descriptor moved(next);
    if (!moved) return moved;
    at = std::move(moved);
  }
  return at;
}

Descriptor open_in(int root, const std::string& relative, int flags) {
  if (relative.find('\0') != std::string::npos || relative.starts_with('/')) return Descriptor(-1);
  const std::string path = relative.empty() ? "." : relative;
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | O_CLOEXEC));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
  if (fd < 0 && errno == ENOSYS) return walk_below(root, relative, flags);
  return Descriptor(static_cast<int>(fd));
}

base::result<Descriptor> open_root(const std::string& root) {
  Descriptor folder(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return base::system_fault(base::Code::open_failed);
  return folder;
}

base::Unexpected not_there() {
  return base::fail(base::Code::open_failed, "there is no such file or folder below the root");
}

// Without waiting for whoever writes into a pipe, and before anything else is known of it.
constexpr int kLook = O_RDONLY | O_NONBLOCK | O_NOCTTY;

std::string kind_of(int descriptor) {
  const service::Input input({.file = name_of(descriptor)});
  const auto found = input.recognise();
  return found ? std::string(found->format->name) : std::string();
}

bool look_at(int folder, RootEntry& entry) {
  struct stat status{};
  if (fstatat(folder, entry.name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (S_ISDIR(status.st_mode)) {
    entry.kind = "folder";
    return true;
  }
  if (!S_ISREG(status.st_mode)) return false;
  entry.size = static_cast<std::uint64_t>(status.st_size);
  const Descriptor file = open_in(folder, entry.name, kLook);
  if (file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode))
    entry.kind = kind_of(file.get());
  return true;
}

}  // namespace

base::result<RootList> list_below(const std::string& root, const std::string& relative) {
  const auto top = open_root(root);
  if (!top) return base::Unexpected(top.error());
  Descriptor folder = open_in(top->get(), relative, O_RDONLY | O_DIRECTORY);
  if (!folder) return not_there();
  const int descriptor = folder.get();
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(descriptor), closedir);
  if (!stream) return not_there();
  static_cast<void>(folder.release());
  RootList list;
  while (const dirent* const item = readdir(stream.get())) {
    RootEntry entry{.name = item->d_name};
    if (entry.name == "." || entry.name == "..") continue;
    list.is_cut = list.entries.size() == kMostEntries;
    if (list.is_cut) break;
    if (look_at(descriptor, entry)) list.entries.push_back(std::move(entry));
  }
  std::ranges::sort(list.entries, {}, &RootEntry::name);
  return list;
}

base::result<RootFile> open_below(const std::string& root, const std::string& relative) {
  const auto top = open_root(root);
  if (!top) return base::Unexpected(top.error());
  Descriptor file = open_in(top->get(), relative, kLook);
  struct stat status{};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return not_there();
  return RootFile{name_of(file.get()), std::make_shared<const Descriptor>(std::move(file))};
}

}  // namespace polytrace::server
