// SPDX-License-Identifier: Apache-2.0
#include "collector/keep/uploads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "collector/keep/append_file.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = ".part";
constexpr std::size_t kUploadDigits = 32;

// "<id>-<bytes of the whole>.part"
bool parse_part(std::string_view file, UploadName& name) {
  if (!file.ends_with(kPart)) return false;
  file.remove_suffix(kPart.size());
  if (file.size() < kUploadDigits + 2 || file[kUploadDigits] != '-') return false;
  const auto total = service::parse_number<std::uint64_t>(file.substr(kUploadDigits + 1));
  name.id = file.substr(0, kUploadDigits);
  name.total = total.value_or(0);
  return name.total != 0;
}

tl::unexpected<UploadRefusal> no(UploadFault fault, std::string text) {
  return tl::unexpected(UploadRefusal{fault, std::move(text)});
}

}  // namespace

base::result<Uploads> Uploads::open(UploadLimits limits) {
  Uploads uploads(std::move(limits));
  std::error_code fault;
  fs::create_directories(uploads.limits_.folder, fault);
  fs::permissions(uploads.limits_.folder, fs::perms::owner_all, fault);
  if (fault)
    return base::fail(base::Code::open_failed,
                      fmt::format("{}: {}", uploads.limits_.folder.string(), fault.message()));
  for (const auto& owner : fs::directory_iterator(uploads.limits_.folder, fault))
    if (owner.is_directory(fault)) uploads.find_of(owner.path());
  return uploads;
}

void Uploads::find_of(const fs::path& folder) {
  std::error_code fault;
  for (const auto& file : fs::directory_iterator(folder, fault)) {
    UploadName name{.owner = folder.filename().string()};
    if (!parse_part(file.path().filename().string(), name) || file.file_size(fault) > name.total)
      continue;
    Upload& upload = known_[std::move(name)];
    upload.size = file.file_size(fault);
    upload.touched = file.last_write_time(fault);
  }
}

std::uint64_t Uploads::size_of(const UploadName& name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? 0 : found->second.size;
}

fs::path Uploads::path_of(const UploadName& name) const {
  return limits_.folder / name.owner / fmt::format("{}-{}{}", name.id, name.total, kPart);
}

std::uint64_t Uploads::bytes() const {
  std::uint64_t all = 0;
  for (const auto& [name, upload] : known_) all += upload.size;
  return all;
}

// What has begun may end: room is that of whole files.
std::string Uploads::missing_room(const UploadName& name) const {
  std::uint64_t all = 0, own = 0;
  std::size_t own_count = 0;
  for (const auto& [known, upload] : known_) {
    all += known.total;
    if (known.owner != name.owner) continue;
    own += known.total;
    ++own_count;
  }
  if (known_.size() >= limits_.most || own_count >= limits_.most_of_owner)
    return fmt::format("{} files are on their way already", known_.size());
  if (all + name.total > limits_.bytes || own + name.total > limits_.bytes_of_owner)
    return fmt::format("other files on their way need the room: {} of uploads.bytes",
                       base::bytes_text(all));
  std::error_code fault;
  const auto space = fs::space(limits_.folder, fault);
  const bool is_tight = !fault && (space.available < limits_.min_free ||
                                   space.available - limits_.min_free < name.total);
  return is_tight ? "the disk has no room for it" : std::string();
}

tl::expected<std::uint64_t, UploadRefusal> Uploads::append(const UploadName& name,
                                                           std::uint64_t first, base::Bytes piece) {
  const std::uint64_t most = std::min(limits_.bytes, limits_.bytes_of_owner);
  if (name.total > most)
    return no(UploadFault::too_large,
              fmt::format("{} bytes are more than the {} that one may send", name.total, most));
  const std::uint64_t size = size_of(name);
  if (first != size)
    return no(UploadFault::order, fmt::format("{} bytes are here: go on there", size));
  if (!known_.contains(name))
    if (std::string missing = missing_room(name); !missing.empty())
      return no(UploadFault::room, std::move(missing));
  if (const auto written = write(name, first, piece); !written)
    return no(UploadFault::disk, base::to_text(written.error()));
  Upload& upload = known_[name];
  upload.size = first + piece.size();
  upload.touched = fs::file_time_type::clock::now();
  return upload.size;
}

base::result<void> Uploads::write(const UploadName& name, std::uint64_t first, base::Bytes piece) {
  std::error_code fault;
  const fs::path path = path_of(name);
  fs::create_directories(path.parent_path(), fault);
  auto file = AppendFile::open(path);
  if (!file) return base::Unexpected(file.error());
  if (file->size() != first)
    if (auto cut = file->cut(first); !cut) return cut;
  if (auto added = file->append({&piece, 1}); !added) return added;
  return file->sync();
}

void Uploads::remove(const UploadName& name) {
  std::error_code ignored;
  fs::remove(path_of(name), ignored);
  known_.erase(name);
}

std::size_t Uploads::drop_old(const std::function<bool(const UploadName&)>& is_held) {
  const auto now = fs::file_time_type::clock::now();
  std::vector<UploadName> old;
  for (const auto& [name, upload] : known_)
    if (now - upload.touched > limits_.age && !is_held(name)) old.push_back(name);
  for (const UploadName& name : old) remove(name);
  return old.size();
}

}  // namespace polytrace::collector
