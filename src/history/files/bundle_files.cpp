// SPDX-License-Identifier: Apache-2.0
#include "history/files/bundle_files.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/codes.hpp"
#include "history/files/archive.hpp"

namespace polytrace::history {

using base::result;

struct BundleFiles::Content {
  std::vector<UnpackedFile> files;
};

std::string file_in(std::string_view folder, std::string_view file) {
  return fmt::format("{}{}{}", folder, folder.ends_with('/') || folder.empty() ? "" : "/", file);
}

BundleFiles::BundleFiles(std::string folder) : path_(std::move(folder)) {}

result<BundleFiles> BundleFiles::find(const std::string& path, std::string_view chief) {
  BundleFiles files(path);
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) return files;
  files.kind_ = Kind::file;
  if (!history::is_archive(path)) return files;
  const std::string_view other = chief == kHistoryFile ? kStateFile : kHistoryFile;
  const std::array wanted{chief, kTypesFile, kTreeFile, other};
  auto unpacked = unpack(path, wanted);
  if (!unpacked) return base::Unexpected(unpacked.error());
  files.kind_ = Kind::archive;
  files.notices_ = unpacked->notices;
  files.content_ = std::make_shared<Content>(Content{std::move(unpacked->files)});
  return files;
}

std::string BundleFiles::path(std::string_view file) const {
  if (kind_ == Kind::folder) return file_in(path_, file);
  if (kind_ == Kind::file) return file == kHistoryFile ? path_ : std::string();
  for (const UnpackedFile& one : content_->files)
    if (one.name == file) return one.content->path();
  return {};
}

bool BundleFiles::has(std::string_view file) const {
  std::error_code fault;
  const std::string at = path(file);
  return !at.empty() && std::filesystem::exists(at, fault);
}

base::Error BundleFiles::explain(base::Error error, std::string_view file) const {
  const base::Notice* const damage = notices_.find(base::Code::archive_damaged);
  if (damage == nullptr) return error;
  return {base::Code::archive_unusable, damage->first,
          fmt::format("{}; of {}: {}", damage->detail, file, base::to_text(error))};
}

result<void> refuse_file(const std::string& folder) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(folder, fault)) return {};
  const std::string_view what = history::is_archive(folder) ? "an archive" : "a file";
  return base::fail(
      base::Code::usage,
      fmt::format("{} is {}; a history is written and changed only in a folder", folder, what));
}

}  // namespace polytrace::history
