// SPDX-License-Identifier: Apache-2.0
#include "collector/flow/owner_book.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/codes.hpp"
#include "base/wall_clock.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNameFile = "name";

// Names and labels are others' words: a line each, so that lines of theirs are none.
std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\0') c = ' ';
  return line;
}

std::string owner_text(const Owner& owner) {
  std::string text = fmt::format("{}\n{}\n{}\n{}\n", owner.user, owner.process, owner.started,
                                 one_line(owner.name));
  for (const auto& [name, value] : owner.labels)
    text += fmt::format("{}={}\n", name, one_line(value));
  return text;
}

// Whole or not at all, as far as a crash of ours goes.
base::result<void> write_file(const fs::path& file, std::string_view text) {
  const fs::path fresh = file.string() + ".new";
  {
    std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) return base::system_fault(base::Code::write_failed);
  }
  std::error_code fault;
  fs::rename(fresh, file, fault);
  if (fault) return base::fail(base::Code::write_failed, file.string() + ": " + fault.message());
  return {};
}

template <class Number>
bool read_line(std::istream& in, Number& number) {
  std::string line;
  std::getline(in, line);
  const auto value = service::parse_number<Number>(line);
  if (value) number = *value;
  return value.has_value();
}

}  // namespace

base::result<OwnerBook> OwnerBook::open(fs::path folder) {
  if (auto made = make_folder(folder); !made) return base::Unexpected(made.error());
  return OwnerBook(std::move(folder));
}

fs::path OwnerBook::file_of(std::uint64_t stream) const {
  return folder_ / fmt::format("{:016x}", stream);
}

base::result<void> OwnerBook::note(std::uint64_t stream, const Owner& owner) const {
  return write_file(file_of(stream), owner_text(owner));
}

std::optional<Owner> OwnerBook::find(std::uint64_t stream) const {
  std::ifstream in(file_of(stream), std::ios::binary);
  Owner owner;
  if (!read_line(in, owner.user) || !read_line(in, owner.process) || !read_line(in, owner.started))
    return std::nullopt;
  std::getline(in, owner.name);
  for (std::string line; std::getline(in, line);) {
    if (const std::size_t mark = line.find('='); mark != line.npos)
      owner.labels.emplace_back(line.substr(0, mark), line.substr(mark + 1));
  }
  return owner;
}

void OwnerBook::forget(std::uint64_t stream) const {
  std::error_code ignored;
  fs::remove(file_of(stream), ignored);
}

base::result<void> make_folder(const fs::path& folder) {
  std::error_code fault;
  if (const fs::path above = folder.parent_path(); !above.empty() && !fs::exists(above, fault))
    if (auto made = make_folder(above); !made) return made;
  const auto failure = [&] {
    return base::fail(base::Code::open_failed, folder.string() + ": " + std::strerror(errno));
  };
  if (mkdir(folder.c_str(), 0700) == 0) return {};
  struct stat found{};
  if (errno != EEXIST || lstat(folder.c_str(), &found) != 0) return failure();
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid())
    return base::fail(base::Code::open_failed, folder.string() + ": is not a folder of ours");
  if ((found.st_mode & 077) != 0 && chmod(folder.c_str(), 0700) != 0) return failure();
  return {};
}

base::result<std::string> name_of_folder(const fs::path& folder) {
  const fs::path file = folder / kNameFile;
  std::string name;
  std::ifstream in(file, std::ios::binary);
  if (std::getline(in, name) && name.size() > 4 && name.size() < 64) return name;
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    return base::system_fault(base::Code::read_failed);
  name = fmt::format("edge-{:016x}", number);
  if (auto written = write_file(file, name + "\n"); !written)
    return base::Unexpected(written.error());
  return name;
}

base::Time begin_of_folder(const fs::path& folder) {
  struct stat found{};
  if (stat((folder / kNameFile).c_str(), &found) != 0) return base::wall_now();
  return found.st_mtim.tv_sec * base::Time{1'000'000'000} + found.st_mtim.tv_nsec;
}

}  // namespace polytrace::collector
