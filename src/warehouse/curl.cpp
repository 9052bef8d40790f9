// SPDX-License-Identifier: Apache-2.0
#include "warehouse/curl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <new>

#include "base/codes.hpp"

namespace polytrace::warehouse {
namespace {

constexpr const char* kFile = "libcurl.so.4";
constexpr unsigned kOldest = 0x075500;  // 7.85: which protocols, as text

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

base::result<const CurlLibrary*> load() {
  static CurlLibrary functions;
  void* const library = ::dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return base::fail(base::Code::library_missing, kFile);
  decltype(&::curl_version_info) version = nullptr;
  const bool is_whole = find(library, "curl_easy_init", functions.easy_init) &&
                        find(library, "curl_easy_cleanup", functions.easy_cleanup) &&
                        find(library, "curl_easy_reset", functions.easy_reset) &&
                        find(library, "curl_easy_setopt", functions.easy_setopt) &&
                        find(library, "curl_easy_perform", functions.easy_perform) &&
                        find(library, "curl_easy_getinfo", functions.easy_getinfo) &&
                        find(library, "curl_easy_strerror", functions.easy_strerror) &&
                        find(library, "curl_easy_escape", functions.easy_escape) &&
                        find(library, "curl_easy_header", functions.easy_header) &&
                        find(library, "curl_free", functions.free) &&
                        find(library, "curl_mime_init", functions.mime_init) &&
                        find(library, "curl_mime_addpart", functions.mime_addpart) &&
                        find(library, "curl_mime_name", functions.mime_name) &&
                        find(library, "curl_mime_filename", functions.mime_filename) &&
                        find(library, "curl_mime_data", functions.mime_data) &&
                        find(library, "curl_mime_free", functions.mime_free) &&
                        find(library, "curl_slist_append", functions.slist_append) &&
                        find(library, "curl_slist_free_all", functions.slist_free_all) &&
                        find(library, "curl_version_info", version);
  if (!is_whole || version(CURLVERSION_NOW)->version_num < kOldest)
    return base::fail(base::Code::library_missing, fmt::format("{} is too old", kFile));
  return &functions;
}

}  // namespace

base::result<const CurlLibrary*> curl_library() {
  static const base::result<const CurlLibrary*> kLibrary = load();
  return kLibrary;
}

std::size_t take_answer(char* data, std::size_t, std::size_t size, void* to) noexcept {
  auto& answer = *static_cast<CurlAnswer*>(to);
  if (size > answer.most - answer.bytes.size()) {
    answer.is_too_large = true;
    return 0;
  }
  try {
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    answer.bytes.insert(answer.bytes.end(), bytes, bytes + size);
  } catch (const std::bad_alloc&) {
    answer.is_too_large = true;
    return 0;
  }
  return size;
}

namespace {

int is_given_up(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept {
  return *static_cast<const std::atomic<bool>*>(stop) ? 1 : 0;
}

}  // namespace

void give_up_when(const CurlLibrary& library, CURL* handle, const std::atomic<bool>& stop) {
  library.easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  library.easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, &is_given_up);
  library.easy_setopt(handle, CURLOPT_XFERINFODATA, &stop);
}

}  // namespace polytrace::warehouse
