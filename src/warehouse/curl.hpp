// SPDX-License-Identifier: Apache-2.0
// libcurl, found when it is needed: it brings some thirty libraries along, which would take longer
// to load than most commands run. Any thread.
#pragma once

#include <curl/curl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.hpp"

namespace polytrace::warehouse {

// Its functions, by their own names without "curl_".
struct CurlLibrary {
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_reset) easy_reset;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_easy_escape) easy_escape;
  decltype(&::curl_easy_header) easy_header;
  decltype(&::curl_free) free;
  decltype(&::curl_mime_init) mime_init;
  decltype(&::curl_mime_addpart) mime_addpart;
  decltype(&::curl_mime_name) mime_name;
  decltype(&::curl_mime_filename) mime_filename;
  decltype(&::curl_mime_data) mime_data;
  decltype(&::curl_mime_free) mime_free;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
};

// Loaded once and for good. Error: library_missing.
base::result<const CurlLibrary*> curl_library();

// One answer as it comes, as long as it is not too much.
struct CurlAnswer {
  std::vector<std::byte> bytes{};
  std::uint64_t most = 0;
  bool is_too_large = false;
};
// For CURLOPT_WRITEFUNCTION; `to` is a CurlAnswer.
std::size_t take_answer(char* data, std::size_t, std::size_t size, void* to) noexcept;

// The request ends, within a second or so, once `stop` is true.
void give_up_when(const CurlLibrary& library, CURL* handle, const std::atomic<bool>& stop);

}  // namespace polytrace::warehouse
