// SPDX-License-Identifier: Apache-2.0
#include "server/assets.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "server/http/faults.hpp"

namespace polytrace::server {
namespace {

struct PageFile {
  std::string_view path;
  std::string_view name;
  std::string_view type;
};
constexpr std::array kFiles{
    PageFile{"/", "index.html", "text/html; charset=utf-8"},
    PageFile{"/page.js", "page.js", "text/javascript; charset=utf-8"},
    PageFile{"/page.css", "page.css", "text/css; charset=utf-8"},
    PageFile{"/icon.svg", "icon.svg", "image/svg+xml"},
};

const PageFile* find_file(std::string_view path) {
  const auto found = std::ranges::find(kFiles, path, &PageFile::path);
  return found == kFiles.end() ? nullptr : &*found;
}

std::optional<std::string> content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace

std::string_view page_hash() { return {}; }

Reply built_in_file(const Request& request) {
  static_cast<void>(request);
  return fault_reply(Fault::unknown_path);
}

Reply file_from(const std::string& folder, const Request& request) {
  const PageFile* const file = find_file(request.path());
  if (file == nullptr) return fault_reply(Fault::unknown_path);
  const std::string path = folder + "/" + std::string(file->name);
  Reply reply{.type = std::string(file->type), .fields = {{"Cache-Control", "no-cache"}}};
  auto content = content_of(path);
  if (!content && (content = content_of(path + ".gz")))
    reply.fields.push_back({"Content-Encoding", "gzip"});
  if (!content) return fault_reply(Fault::unknown_path, path);
  const std::string tag = fmt::format("\"{:016x}\"", XXH3_64bits(content->data(), content->size()));
  reply.fields.push_back({"ETag", tag});
  if (request.only("If-None-Match") == tag) reply.status = 304, reply.type.clear();
  else reply.body = std::move(*content);
  return reply;
}

}  // namespace polytrace::server
