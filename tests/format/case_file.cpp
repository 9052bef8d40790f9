// SPDX-License-Identifier: Apache-2.0
#include "format/case_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/codes.hpp"
#include "format/assembler.hpp"

namespace polytrace::format::test {
namespace {

constexpr std::string_view kOrders = "orders little big";

std::string_view trimmed(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

class Loader {
 public:
  explicit Loader(const CaseFile& file) : file_(file) {}

  base::result<Case> load() {
    std::ifstream file(file_.path);
    std::string line;
    case_.byte_order = file_.order;
    if (file_.order)
      bytes_ = *file_.order == std::endian::big ? "big let order 0\n" : "little let order 1\n";
    while (std::getline(file, line)) {
      if (!take(line)) return base::fail(base::Code::usage, "not understood: " + line);
    }
    auto bytes = assemble(bytes_, file_.path.parent_path());
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
    if (text == kOrders) return file_.order.has_value();
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

  const CaseFile& file_;
  Section section_ = Section::title;
  std::string bytes_;
  Case case_;
};

bool has_orders(const std::filesystem::path& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(' ') && trimmed(line) == kOrders) return true;
  return false;
}

}  // namespace

std::string CaseFile::name() const {
  const std::string stem = path.stem().string();
  return !order ? stem : stem + (*order == std::endian::big ? "-big" : "-little");
}

base::result<Case> load_case(const CaseFile& file) { return Loader(file).load(); }

std::vector<CaseFile> case_files(std::string_view format) {
  const std::filesystem::path folder = std::filesystem::path(POLYTRACE_TEST_CASES) / format;
  std::vector<CaseFile> files;
  if (!exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".case") continue;
    if (!has_orders(path)) {
      files.push_back({path});
      continue;
    }
    for (const std::endian order : {std::endian::big, std::endian::little})
      files.push_back({path, order});
  }
  std::ranges::stable_sort(files, {}, &CaseFile::path);
  return files;
}

}  // namespace polytrace::format::test
