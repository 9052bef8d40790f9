// SPDX-License-Identifier: Apache-2.0
#include "server/assets.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "base/io/source.hpp"
#include "server/http/faults.hpp"

// The files as they lie in ui/dist, by the table that cmake/page_files.cmake makes.
#define PAGE_FILE(name, address, file, ...)                     \
  asm(".pushsection .rodata\n"                                  \
      ".globl polytrace_page_" #name ", polytrace_page_" #name  \
      "_end\n"                                                  \
      ".hidden polytrace_page_" #name ", polytrace_page_" #name \
      "_end\n"                                                  \
      "polytrace_page_" #name ": .incbin \"" file               \
      "\"\n"                                                    \
      "polytrace_page_" #name                                   \
      "_end:\n"                                                 \
      ".popsection\n");
#include "page_files.inc"
#undef PAGE_FILE
extern "C" {
#define PAGE_FILE(name, ...)                                               \
  [[gnu::visibility("hidden")]] extern const char polytrace_page_##name[], \
      polytrace_page_##name##_end[];
#include "page_files.inc"
#undef PAGE_FILE
}

namespace polytrace::server {
namespace {

enum class Packed : std::uint8_t { plain, gzip };

struct PageFile {
  std::string_view address;
  std::string_view name;  // in a folder
  std::string_view type;
  std::string_view content;
  Packed packed;
  std::string_view tag;
};

std::string_view name_in_folder(std::string_view address) {
  return address == "/" ? "index.html" : address.substr(1);
}

const auto& page_files() {
  static const std::array kFiles{
#define PAGE_FILE(name, address, file, packing, type, tag)                                  \
  PageFile{address,                                                                         \
           name_in_folder(address),                                                         \
           type,                                                                            \
           {polytrace_page_##name,                                                          \
            static_cast<std::size_t>(polytrace_page_##name##_end - polytrace_page_##name)}, \
           Packed::packing,                                                                 \
           tag},
#include "page_files.inc"
#undef PAGE_FILE
  };
  return kFiles;
}

const PageFile* find_file(std::string_view path) {
  const auto found = std::ranges::find(page_files(), path, &PageFile::address);
  return found == page_files().end() ? nullptr : &*found;
}

bool takes_gzip(const Request& request) {
  return request.only("Accept-Encoding").find("gzip") != std::string_view::npos;
}

// For clients that cannot themselves; our own files, of a known size.
std::string unpacked(std::string_view packed) {
  const base::Bytes bytes = std::as_bytes(std::span(packed));
  const auto source = base::unwrap(base::memory_source({bytes.begin(), bytes.end()}));
  base::RawArray<std::byte> out;
  constexpr std::size_t kPiece = 65'536;
  while (source && base::append_from(**source, out, kPiece).value_or(0) != 0) {
  }
  return {reinterpret_cast<const char*>(out.data()), out.size()};
}

struct Content {
  std::string bytes{};
  Packed packed = Packed::plain;
  std::string tag{};
};

Reply page_reply(const PageFile& file, Content content, const Request& request) {
  const bool unpacks = content.packed == Packed::gzip && !takes_gzip(request);
  const std::string tag = fmt::format("\"{}{}\"", content.tag, unpacks ? "-plain" : "");
  Reply reply{
      .type = std::string(file.type),
      .fields = {{"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}, {"ETag", tag}}};
  if (request.only("If-None-Match") == tag) {
    reply.status = 304;
    reply.type.clear();
    return reply;
  }
  if (content.packed == Packed::gzip && !unpacks)
    reply.fields.push_back({"Content-Encoding", "gzip"});
  reply.body = unpacks ? unpacked(content.bytes) : std::move(content.bytes);
  return reply;
}

std::optional<Content> content_of(const std::string& path, Packed packed) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  std::string bytes = std::move(text).str();
  std::string tag = fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
  return Content{std::move(bytes), packed, std::move(tag)};
}

}  // namespace

std::string_view page_hash() { return PAGE_SOURCES; }

Reply built_in_file(const Request& request) {
  const PageFile* const file = find_file(request.path());
  if (file == nullptr) return fault_reply(Fault::unknown_path);
  return page_reply(*file, {std::string(file->content), file->packed, std::string(file->tag)},
                    request);
}

Reply file_from(const std::string& folder, const Request& request) {
  const PageFile* const file = find_file(request.path());
  if (file == nullptr) return fault_reply(Fault::unknown_path);
  const std::string path = folder + "/" + std::string(file->name);
  auto content = content_of(path, Packed::plain);
  if (!content) content = content_of(path + ".gz", Packed::gzip);
  if (!content) return fault_reply(Fault::unknown_path, path);
  return page_reply(*file, std::move(*content), request);
}

}  // namespace polytrace::server
