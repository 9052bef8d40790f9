// SPDX-License-Identifier: Apache-2.0
#include "format/case_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/codes.hpp"
#include "format/assembler.hpp"

namespace polytrace::format::test {
namespace {

std::string_view trimmed(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

class Loader {
 public:
  explicit Loader(const std::filesystem::path& path) : path_(path) {}

  base::result<Case> load() {
    std::ifstream file(path_);
    std::string line;
    while (std::getline(file, line)) {
      if (!take(line)) return base::fail(base::Code::usage, "not understood: " + line);
    }
    auto bytes = assemble(bytes_, path_.parent_path());
    if (!bytes) return base::Unexpected(bytes.error());
    case_.bytes = std::move(*bytes);
    if (section_ != Section::expect) return base::fail(base::Code::usage, "no expect section");
    return std::move(case_);
  }

 private:
  enum class Section { title, options, events, bytes, expect };

  bool take(const std::string& line) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text[0] == '#') return true;
    if (line[0] != ' ') return start_section(text);
    switch (section_) {
      case Section::options: return option(std::string(text));
      case Section::events: return case_.written.emplace_back(text), true;
      case Section::bytes: bytes_ += line + '\n'; return true;
      case Section::expect: return expectation(std::string(text));
      default: return false;
    }
  }
  bool start_section(std::string_view text) {
    if (case_.title.empty()) return case_.title = text, true;
    if (text == "options") return section_ = Section::options, true;
    if (text == "events") return section_ = Section::events, true;
    if (text == "bytes") return section_ = Section::bytes, true;
    case_.with_header = text == "expect";
    section_ = Section::expect;
    return text == "expect" || text == "expect events";
  }
  bool option(const std::string& text) {
    if (text == "resync") return case_.resync = true;
    if (text == "byte-order big") return case_.byte_order = std::endian::big, true;
    if (!text.starts_with("write ")) return false;
    case_.write_version = text.substr(6);
    return true;
  }
  bool expectation(const std::string& text) {
    std::istringstream words(text);
    std::string what, code, at, bytes, times;
    words >> what >> code >> at;
    if (what == "lost") return case_.lost[code] = std::stoull(at), true;
    if (what == "error") {
      ExpectedError error{code, 0};
      words >> error.offset;
      case_.error = error;
      return at == "at" && !words.fail();
    }
    if (what != "notice") return case_.events.push_back(text), true;
    ExpectedNotice notice{code, 0, 0, 1};
    words >> notice.offset >> bytes >> notice.bytes;
    if (words.fail() || at != "at" || bytes != "bytes") return false;
    if (words >> times) words >> notice.times;
    case_.notices.push_back(notice);
    return true;
  }

  std::filesystem::path path_;
  Section section_ = Section::title;
  std::string bytes_;
  Case case_;
};

}  // namespace

base::result<Case> load_case(const std::filesystem::path& path) { return Loader(path).load(); }

std::vector<std::filesystem::path> case_files(std::string_view format) {
  const std::filesystem::path folder = std::filesystem::path(POLYTRACE_TEST_CASES) / format;
  std::vector<std::filesystem::path> files;
  if (!exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".case") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace polytrace::format::test
