// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "exports/target.hpp"
#include "exports/usual_depth.hpp"
#include "server/answers/ask.hpp"
#include "service/convert/export_run.hpp"
#include "service/words/environment.hpp"

namespace polytrace::server {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostFileBytes = std::uintmax_t{256} << 20;

struct ExportAsked {
  Part part{};
  const exports::Target* target = nullptr;
  const analysis::Weight* weight = nullptr;
};

const exports::Target* find_any_target(std::string_view word) {
  if (word == "html") return &exports::flame_page();
  if (word == "svg") return &exports::flame_picture();
  return exports::find_target(word);
}

ExportAsked read_export_asked(Ask& ask, Members members) {
  ExportAsked question{.part = read_selection(ask, members)};
  if (!question.part.rules.empty())
    members.complain("selection", "has rules, which files do not follow");
  const std::string target = members.text("target");
  question.target = find_any_target(target);
  if (question.target == nullptr || question.target->is_folder())
    members.complain("target", "is none that is one file");
  const std::string weight = members.text("weight");
  question.weight = analysis::find_weight(weight);
  if (question.weight == nullptr && !weight.empty()) members.complain("weight", "is none");
  if (members.flag("anonymize")) members.complain("anonymize", "is what polytrace anonymize does");
  return question;
}

// Goes with the object, with all that is in it.
class Workplace {
 public:
  Workplace() {
    const std::string_view place = service::variable("TMPDIR");
    path_ = std::string(place.empty() ? "/tmp" : place) + "/polytrace-export-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What a shell, a header and any file system take as it is.
std::string safe_name(const std::string& file, std::string_view suffix) {
  std::string name = fs::path(file).filename().string() + std::string(suffix);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  while (name.starts_with('.')) name.erase(0, 1);
  return name;
}

Answered export_reply(const std::string& path, std::string name) {
  std::error_code fault;
  if (fs::file_size(path, fault) > kMostFileBytes || fault)
    return tl::unexpected(fault_reply(Fault::answer_too_large,
                                      "more than 256 MiB: polytrace "
                                      "export writes files of any size"));
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return Reply{.type = "application/octet-stream",
               .body = std::move(text).str(),
               .fields = {{"Content-Disposition", "attachment; filename=\"" + name + "\""}}};
}

}  // namespace

Answered answer_export(Ask& ask) {
  const ExportAsked question = read_export_asked(ask, ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const Workplace folder;
  const std::string name = safe_name(ask.view.file, question.target->suffix);
  const std::string path = folder.path() + "/" + name;
  const auto input = ask.trace().input(&ask.stop);
  exports::Request request{.selection = service::selection_of(ask.trace(), question.part),
                           .weight = question.weight,
                           .depth = exports::kUsualDepth};
  service::ExportRun run(*input, request);
  if (auto added = run.add(*question.target, path, true); !added)
    return tl::unexpected(fault_reply(added.error()));
  const auto made = run.run();
  if (!made) return tl::unexpected(fault_reply(made.error()));
  if (!made->written) return tl::unexpected(fault_reply(Fault::busy, "stopped"));
  return export_reply(path, name);
}

}  // namespace polytrace::server
