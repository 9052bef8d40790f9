// SPDX-License-Identifier: Apache-2.0
#include "store/source/source_identity.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/codes.hpp"
#include "base/wall_clock.hpp"
#include "event/details.hpp"

namespace polytrace::store {
namespace {

using base::Code;

constexpr std::int64_t kSecond = 1'000'000'000;

class OpenSource {
 public:
  explicit OpenSource(const std::string& path) : fd(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  OpenSource(const OpenSource&) = delete;
  OpenSource& operator=(const OpenSource&) = delete;
  ~OpenSource() {
    if (fd >= 0) close(fd);
  }
  int fd;
};

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

base::result<base::Fingerprint> fingerprint_of(const std::string& path, std::uint64_t size) {
  const OpenSource source(path);
  if (source.fd < 0) return base::system_fault(Code::open_failed);
  return base::fingerprint(source.fd, size);
}

}  // namespace

SourceFacts facts_of(const struct stat& status) {
  return {.size = static_cast<std::uint64_t>(status.st_size),
          .device = status.st_dev,
          .inode = status.st_ino,
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

base::result<SourceFacts> look_up(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0) return base::system_fault(Code::open_failed);
  if (!S_ISREG(status.st_mode)) return base::fail(Code::open_failed, "not a file");
  return facts_of(status);
}

base::result<SourceIdentity> identify(const std::string& path, std::optional<std::uint64_t> size) {
  SourceIdentity now{.looked = base::wall_now()};
  // Before it is opened: opening a pipe would wait for its writer, and closing it end that one.
  const auto facts = look_up(path);
  if (!facts) return base::Unexpected(facts.error());
  now.facts = *facts;
  now.facts.size = size.value_or(facts->size);
  const auto made = fingerprint_of(path, now.facts.size);
  if (!made) return base::Unexpected(made.error());
  now.fingerprint = *made;
  return now;
}

bool are_settled(const SourceFacts& facts, std::int64_t looked) {
  constexpr std::int64_t kTick = 2 * kSecond;
  return std::max(facts.modified, facts.changed) < looked - kTick;
}

base::result<Digest> whole_digest(const std::string& path, std::uint64_t size,
                                  base::ContentHash& content, const std::atomic<bool>* stop) {
  const std::uint64_t have = content.size();
  if (have > size) return base::fail(Code::read_failed, "longer than it was");
  const OpenSource source(path);
  if (source.fd < 0) return base::system_fault(Code::open_failed);
  if (auto added = content.add_file(source.fd, have, size - have, stop); !added)
    return base::Unexpected(added.error());
  return content.digest();
}

base::result<Staleness> compare(const PageHead& head, const SourceIdentity& now,
                                const std::string& path, const std::atomic<bool>* stop) {
  if (head.rules != kRules || head.kinds != event::kKindCount) return Staleness::other;
  if (head.source == now.facts && are_settled(head.source, head.looked)) return Staleness::current;
  if (head.source.size > now.facts.size) return Staleness::other;
  const auto part = fingerprint_of(path, head.source.size);
  if (!part) return base::Unexpected(part.error());
  if (*part != head.fingerprint) return Staleness::other;
  if (head.source.size < now.facts.size) return Staleness::grown;
  base::ContentHash content;
  const auto whole = whole_digest(path, now.facts.size, content, stop);
  if (!whole) return base::Unexpected(whole.error());
  return *whole == head.whole ? Staleness::same : Staleness::other;
}

SourceWatch::SourceWatch(std::string file, PageHead head)
    : file_(std::move(file)), head_(std::move(head)) {}

std::optional<std::string_view> SourceWatch::change() {
  const auto facts = look_up(file_);
  if (!facts) return std::nullopt;
  const std::lock_guard lock(mutex_);
  if (*facts == head_.source && are_settled(head_.source, head_.looked)) return std::nullopt;
  const auto now = identify(file_);
  if (!now) return std::nullopt;
  const auto stands = compare(head_, *now, file_);
  if (stands && is_current(*stands)) {
    head_.source = now->facts;
    head_.looked = now->looked;
    return std::nullopt;
  }
  if (now->facts.size < head_.source.size) return "it was cut";
  return stands && *stands == Staleness::grown ? "it has grown" : "its content is another one";
}

bool SourceWatch::has_content_of(const std::string& other) const {
  const auto now = identify(other);
  if (!now) return false;
  const std::lock_guard lock(mutex_);
  const auto stands = compare(head_, *now, other);
  return stands && is_current(*stands);
}

}  // namespace polytrace::store
