// SPDX-License-Identifier: Apache-2.0
#include "warehouse/fetch.hpp"

#include <fmt/format.h>

#include <memory>

#include "base/codes.hpp"
#include "warehouse/curl.hpp"
#include "warehouse/post.hpp"

namespace polytrace::warehouse {
namespace {

using base::Code;

}  // namespace

base::result<Fetched> fetch(const FetchOrder& order) {
  const auto found = curl_library();
  if (!found) return base::Unexpected(found.error());
  const CurlLibrary& library = **found;
  const std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> curl(library.easy_init(),
                                                                   library.easy_cleanup);
  if (!curl) return base::fail(Code::open_failed, "libcurl does not start");
  CurlAnswer fetched{.most = order.most_bytes};
  char fault[CURL_ERROR_SIZE] = {};
  const auto set = [&](auto option, auto value) { library.easy_setopt(curl.get(), option, value); };
  set(CURLOPT_URL, order.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, long{order.within.count()});
  set(CURLOPT_HTTPAUTH, long{CURLAUTH_BEARER});
  set(CURLOPT_XOAUTH2_BEARER, order.token.c_str());
  if (!order.ca.empty()) set(CURLOPT_CAINFO, order.ca.c_str());
  // Where the traces lie on this machine, no proxy is asked.
  set(CURLOPT_NOPROXY, "127.0.0.1,localhost,::1");
  set(CURLOPT_WRITEFUNCTION, &take_answer);
  set(CURLOPT_WRITEDATA, &fetched);
  set(CURLOPT_ERRORBUFFER, fault);
  if (order.stop != nullptr) give_up_when(library, curl.get(), *order.stop);
  const CURLcode outcome = library.easy_perform(curl.get());
  if (fetched.is_too_large)
    return base::fail(Code::limit_exceeded,
                      fmt::format("{}: more than {} bytes", order.url, order.most_bytes));
  if (outcome != CURLE_OK)
    return base::fail(
        Code::open_failed,
        fmt::format("{}: {}", order.url, fault[0] != 0 ? fault : library.easy_strerror(outcome)));
  long status = 0;
  library.easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status == 200) {
    curl_header* field = nullptr;
    const bool has_field =
        !order.field.empty() && library.easy_header(curl.get(), order.field.c_str(), 0,
                                                    CURLH_HEADER, -1, &field) == CURLHE_OK;
    return Fetched{std::move(fetched.bytes), has_field ? field->value : std::string()};
  }
  return base::fail(Code::open_failed,
                    fmt::format("{}: HTTP {}: {}", order.url, status, first_line(fetched.bytes)));
}

}  // namespace polytrace::warehouse
