// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/codes.hpp"
#include "warehouse/objects/objects_impl.hpp"

namespace polytrace::warehouse {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnFile = 0600;
constexpr mode_t kOwnFolder = 0700;

// A file that is open, as long as this is.
struct OpenFile {
  explicit OpenFile(int opened) : number(opened) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (number >= 0) ::close(number);
  }
  int number;
};

base::Unexpected fault_at(const fs::path& path, base::Code code = base::Code::write_failed) {
  const base::Error why = base::system_fault(code).value();
  return base::fail(code, fmt::format("{}: {}", path.string(), why.detail));
}

base::result<void> write_whole(int file, base::Bytes bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fault_at(path);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  if (::fsync(file) != 0) return fault_at(path);
  return {};
}

void sync_names(const fs::path& folder) {
  const OpenFile opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number >= 0) static_cast<void>(::fsync(opened.number));
}

// Below the root, which must be there: it may be a disk that is not mounted.
base::result<void> make_folders(const fs::path& root, const fs::path& below) {
  fs::path folder = root;
  for (const fs::path& part : below) {
    folder /= part;
    if (::mkdir(folder.c_str(), kOwnFolder) == 0) sync_names(folder.parent_path());
    else if (errno != EEXIST) return fault_at(folder);
  }
  return {};
}

class FolderObjects final : public Objects {
 public:
  explicit FolderObjects(std::string root) : root_(std::move(root)) {}

  base::result<void> put(const std::string& name, base::Bytes bytes) override {
    const fs::path path = root_ / name;
    const fs::path beside =
        path.parent_path() / fmt::format(".{}.{}", path.filename().string(), ::getpid());
    if (auto made = make_folders(root_, fs::path(name).parent_path()); !made) return made;
    ::unlink(beside.c_str());
    const OpenFile file(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kOwnFile));
    if (file.number < 0) return fault_at(beside);
    auto done = write_whole(file.number, bytes, beside);
    if (done && ::rename(beside.c_str(), path.c_str()) != 0) done = fault_at(path);
    if (!done) ::unlink(beside.c_str());
    else sync_names(path.parent_path());
    return done;
  }

  base::result<std::vector<std::byte>> get(const std::string& name, ObjectRange range) override {
    const fs::path path = root_ / name;
    const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat found{};
    if (file.number < 0 || ::fstat(file.number, &found) != 0)
      return fault_at(path, base::Code::open_failed);
    const auto size = static_cast<std::uint64_t>(found.st_size);
    const std::uint64_t begin = std::min(range.offset, size);
    const std::uint64_t length = std::min(range.length, size - begin);
    if (length > kMostObject)
      return base::fail(base::Code::limit_exceeded,
                        fmt::format("{}: more than {} bytes", path.string(), kMostObject));
    std::vector<std::byte> bytes(length);
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t got = ::pread(file.number, bytes.data() + at, bytes.size() - at,
                                  static_cast<off_t>(begin + at));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fault_at(path, base::Code::open_failed);
      if (got == 0) bytes.resize(at);
      at += static_cast<std::size_t>(got);
    }
    return bytes;
  }

  base::result<std::optional<std::uint64_t>> head(const std::string& name) override {
    const fs::path path = root_ / name;
    struct stat found{};
    if (::lstat(path.c_str(), &found) == 0) return static_cast<std::uint64_t>(found.st_size);
    if (errno == ENOENT) return std::nullopt;
    return fault_at(path, base::Code::open_failed);
  }

  // Folders that are empty then go, too, up to the root.
  base::result<void> remove(const std::string& name) override {
    const fs::path path = root_ / name;
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fault_at(path);
    for (fs::path folder = fs::path(name).parent_path(); !folder.empty();
         folder = folder.parent_path())
      if (::rmdir((root_ / folder).c_str()) != 0) break;
    return {};
  }

 private:
  fs::path root_;
};

}  // namespace

std::unique_ptr<Objects> folder_objects(std::string root) {
  return std::make_unique<FolderObjects>(std::move(root));
}

}  // namespace polytrace::warehouse
