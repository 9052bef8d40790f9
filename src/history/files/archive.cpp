// SPDX-License-Identifier: Apache-2.0
#include "history/files/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/codes.hpp"
#include "history/layout/container.hpp"

namespace polytrace::history {

using base::Code;
using base::result;

namespace {

struct Closer {
  void operator()(struct archive* open) const { archive_read_free(open); }
};
using Handle = std::unique_ptr<struct archive, Closer>;

// Before any entry. Nothing when it cannot be opened.
Handle open_archive(const std::string& path) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  Handle handle(archive_read_new());
  if (handle == nullptr) return nullptr;
  archive_read_support_format_tar(handle.get());
  archive_read_support_format_zip(handle.get());
  archive_read_support_filter_gzip(handle.get());
  archive_read_support_filter_zstd(handle.get());
  const int opened = archive_read_open_filename(handle.get(), path.c_str(), kBlock);
  return opened == ARCHIVE_OK ? std::move(handle) : nullptr;
}

bool is_good(int status) { return status == ARCHIVE_OK || status == ARCHIVE_WARN; }

bool begins_as_history(const std::string& path) {
  std::array<char, 8> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), head.size());
  return file && is_history(std::as_bytes(std::span(head)));
}

struct EntryName {
  std::string folder{};  // without the '/' at its end
  std::string file{};
};

std::string name_of(struct archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(entry);
  return name == nullptr ? std::string() : name;
}

// Without "." and double '/'; nothing for what leads out of the place where it is unpacked.
std::optional<EntryName> parse_name(std::string_view name) {
  if (name.starts_with('/')) return std::nullopt;
  EntryName parsed;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(part.size() + 1, name.size()));
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (!parsed.file.empty()) parsed.folder += (parsed.folder.empty() ? "" : "/") + parsed.file;
    parsed.file = part;
  }
  return parsed;
}

bool is_plain_file(struct archive_entry* entry) {
  return archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr &&
         archive_entry_symlink(entry) == nullptr;
}

class ArchiveReader {
 public:
  ArchiveReader(const std::string& path, std::span<const std::string_view> wanted)
      : path_(path), wanted_(wanted) {}

  result<Unpacked> run(const UnpackLimits& limits);

 private:
  // A file of the bundle in some folder.
  struct Candidate {
    std::string folder;
    std::string_view name;  // of wanted_
    std::uint64_t size;
  };

  result<void> set_limits(const UnpackLimits& limits);
  result<void> list();
  result<void> choose_folder();
  result<void> take_all();
  result<void> take(std::string_view name);
  // Writes a block behind `at`; what lies between is zeros.
  result<void> put(base::ScratchFile& file, base::Bytes block, std::uint64_t at);
  result<void> append(base::ScratchFile& file, base::Bytes bytes);
  // The candidate that an entry is; nothing for other entries.
  std::optional<Candidate> candidate(struct archive_entry* entry) const;
  base::Error fault(Code code, std::string_view file) const;
  static base::Unexpected too_large(std::uint64_t most);

  const std::string& path_;
  std::span<const std::string_view> wanted_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> others_;  // the first names
  std::uint64_t other_count_ = 0;
  std::optional<base::Error> damage_;
  std::string folder_;
  Handle archive_;
  std::uint64_t most_growth_ = 0;
  std::uint64_t most_written_ = 0;
  std::uint64_t written_ = 0;
  Unpacked unpacked_;
};

base::Error ArchiveReader::fault(Code code, std::string_view file) const {
  const char* const told = archive_error_string(archive_.get());
  std::string_view text = told == nullptr ? "" : told;
  if (text.ends_with('\n')) text.remove_suffix(1);
  const auto offset = static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), -1));
  return {code, {.offset = offset, .frame = std::string(file)}, std::string(text)};
}

base::Unexpected ArchiveReader::too_large(std::uint64_t most) {
  return base::fail(
      Code::limit_exceeded,
      fmt::format("the archive unpacks to more than {} bytes; unpack it first", most));
}

result<void> ArchiveReader::set_limits(const UnpackLimits& limits) {
  std::error_code fault;
  const std::uint64_t size = std::filesystem::file_size(path_, fault);
  if (fault) return base::fail(Code::open_failed, fault.message());
  if (__builtin_mul_overflow(size, limits.growth, &most_growth_) ||
      __builtin_add_overflow(most_growth_, limits.free_growth, &most_growth_))
    most_growth_ = ~std::uint64_t{0};
  const auto free = std::filesystem::space(base::scratch_folder(), fault).available;
  if (fault) return base::fail(Code::write_failed, base::scratch_folder() + ": " + fault.message());
  most_written_ = std::min(most_growth_, free / 100 * limits.share_of_free);
  return {};
}

std::optional<ArchiveReader::Candidate> ArchiveReader::candidate(
    struct archive_entry* entry) const {
  if (!is_plain_file(entry)) return std::nullopt;
  const auto name = parse_name(name_of(entry));
  if (!name) return std::nullopt;
  const auto known = std::ranges::find(wanted_, name->file);
  if (known == wanted_.end()) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(std::max<la_int64_t>(0, archive_entry_size(entry)));
  return Candidate{name->folder, *known, size};
}

// Only looks, so that nothing is written before the folder is known.
result<void> ArchiveReader::list() {
  constexpr std::size_t kMostNames = 1000;
  archive_ = open_archive(path_);
  if (archive_ == nullptr) return base::fail(Code::open_failed);
  struct archive_entry* entry = nullptr;
  int status = ARCHIVE_OK;
  while (is_good(status = archive_read_next_header(archive_.get(), &entry))) {
    // What is skipped is unpacked, too.
    const auto behind = static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), 0)) +
                        static_cast<std::uint64_t>(std::max<la_int64_t>(
                            0, archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0));
    if (behind > most_growth_) return too_large(most_growth_);
    if (auto found = candidate(entry)) {
      candidates_.push_back(std::move(*found));
    } else if (archive_entry_filetype(entry) != AE_IFDIR) {
      if (others_.size() < kMostNames) others_.push_back(name_of(entry));
      ++other_count_;
    }
  }
  if (status != ARCHIVE_EOF) damage_ = fault(Code::archive_damaged, "");
  return {};
}

result<void> ArchiveReader::choose_folder() {
  const std::string_view chief = wanted_[0];
  const auto is_chief = [&](const Candidate& one) { return one.name == chief; };
  const auto first = std::ranges::find_if(candidates_, is_chief);
  if (first == candidates_.end()) {
    const std::string none = fmt::format("no {} in it", chief);
    if (!damage_) return base::fail(Code::archive_unusable, none);
    return base::fail(Code::archive_unusable, fmt::format("{}: {}", none, damage_->detail),
                      damage_->place);
  }
  folder_ = first->folder;
  std::uint64_t declared = 0;
  for (const Candidate& one : candidates_) {
    if (one.folder == folder_) {
      if (__builtin_add_overflow(declared, one.size, &declared)) return too_large(most_written_);
      continue;
    }
    const std::string name =
        one.folder.empty() ? std::string(one.name) : fmt::format("{}/{}", one.folder, one.name);
    if (is_chief(one))
      return base::fail(
          Code::archive_unusable,
          fmt::format("more than one {}: in \"{}\" and in \"{}\"", chief, folder_, one.folder));
    others_.push_back(name);
    ++other_count_;
  }
  if (declared > most_written_) return too_large(most_written_);
  return {};
}

result<void> ArchiveReader::append(base::ScratchFile& file, base::Bytes bytes) {
  if (bytes.size() > most_written_ - written_) return too_large(most_written_);
  written_ += bytes.size();
  return file.append(bytes);
}

result<void> ArchiveReader::put(base::ScratchFile& file, base::Bytes block, std::uint64_t at) {
  static constexpr std::array<std::byte, std::size_t{1} << 16> kZeros{};
  if (at < file.size()) return base::fail(Code::archive_damaged, "blocks out of order");
  while (file.size() < at) {
    const auto some = std::min<std::uint64_t>(kZeros.size(), at - file.size());
    if (auto done = append(file, base::Bytes(kZeros).first(some)); !done) return done;
  }
  return append(file, block);
}

result<void> ArchiveReader::take(std::string_view name) {
  auto file = std::make_unique<base::ScratchFile>();
  if (auto made = file->append({}); !made) return made;
  bool whole = false;
  for (int status = ARCHIVE_OK; status == ARCHIVE_OK;) {
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t at = 0;
    status = archive_read_data_block(archive_.get(), &bytes, &size, &at);
    whole = status == ARCHIVE_EOF;
    if (is_good(status)) {
      const base::Bytes block(static_cast<const std::byte*>(bytes), size);
      if (auto done = put(*file, block, static_cast<std::uint64_t>(at)); !done) return done;
    }
    if (status != ARCHIVE_OK && !whole) damage_ = fault(Code::archive_damaged, name);
  }
  auto& files = unpacked_.files;
  std::erase_if(files, [&](const UnpackedFile& known) { return known.name == name; });
  if (whole || name == wanted_[0]) files.push_back({name, std::move(file)});
  return {};
}

result<void> ArchiveReader::take_all() {
  archive_ = open_archive(path_);
  if (archive_ == nullptr) return base::fail(Code::open_failed);
  auto left = std::ranges::count(candidates_, folder_, &Candidate::folder);
  struct archive_entry* entry = nullptr;
  while (left > 0 && is_good(archive_read_next_header(archive_.get(), &entry))) {
    const auto found = candidate(entry);
    if (!found || found->folder != folder_) continue;
    if (archive_entry_is_data_encrypted(entry) != 0)
      return base::fail(Code::archive_unusable, fmt::format("{} is encrypted", found->name));
    if (auto taken = take(found->name); !taken) return taken;
    --left;
  }
  return {};
}

result<Unpacked> ArchiveReader::run(const UnpackLimits& limits) {
  result<void> done = set_limits(limits);
  if (done) done = list();
  if (done) done = choose_folder();
  if (done) done = take_all();
  if (!done) return base::Unexpected(done.error());
  base::Notices& notices = unpacked_.notices;
  if (damage_) notices.add(damage_->code, damage_->place, 0, damage_->detail);
  for (const std::string& name : others_) notices.add(Code::archive_others, {}, 0, name);
  if (other_count_ > others_.size())
    notices.add({.code = Code::archive_others, .count = other_count_ - others_.size()});
  return std::move(unpacked_);
}

}  // namespace

bool is_archive(const std::string& path) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault) || begins_as_history(path)) return false;
  const Handle opened = open_archive(path);
  if (opened == nullptr) return false;
  struct archive_entry* entry = nullptr;
  return is_good(archive_read_next_header(opened.get(), &entry));
}

result<Unpacked> unpack(const std::string& path, std::span<const std::string_view> wanted,
                        const UnpackLimits& limits) {
  return ArchiveReader(path, wanted).run(limits);
}

}  // namespace polytrace::history
