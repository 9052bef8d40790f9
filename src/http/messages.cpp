// SPDX-License-Identifier: Apache-2.0
#include "http/messages.hpp"

#include <fmt/format.h>
#include <strings.h>
#include <sys/random.h>

#include <algorithm>

#include "base/codes.hpp"
#include "base/text/base64.hpp"

namespace polytrace::http {
namespace {

std::string_view reason_of(unsigned status) {
  switch (status) {
    case 200: return "OK";
    case 304: return "Not Modified";
    case 308: return "Resume Incomplete";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 409: return "Conflict";
    case 411: return "Length Required";
    case 412: return "Precondition Failed";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 416: return "Range Not Satisfiable";
    case 421: return "Misdirected Request";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Internal Server Error";
  }
}

// On every reply: a page of another site can neither read nor embed one, and this page loads and
// runs nothing but its own files.
constexpr std::string_view kGuards =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

}  // namespace

std::vector<std::string_view> Request::all(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const Field& field : fields)
    if (field.name.size() == name.size() &&
        strncasecmp(field.name.data(), name.data(), name.size()) == 0)
      found.push_back(field.value);
  return found;
}

std::string_view Request::only(std::string_view name) const {
  const auto found = all(name);
  return found.size() == 1 ? found.front() : std::string_view();
}

base::result<std::string> random_token(std::size_t bytes) {
  std::string bits(bytes, '\0');
  if (getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
    return base::system_fault(base::Code::read_failed);
  std::string token;
  base::append_base64(token, bits);
  while (token.ends_with('=')) token.pop_back();
  std::ranges::replace(token, '+', '-');
  std::ranges::replace(token, '/', '_');
  return token;
}

std::string head_of(const Reply& reply, Behind behind) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\n{}", reply.status, reason_of(reply.status), kGuards);
  if (!reply.type.empty()) head += fmt::format("Content-Type: {}\r\n", reply.type);
  bool has_rule = false;
  for (const Field& field : reply.fields) {
    has_rule |= field.name == "Cache-Control";
    head += fmt::format("{}: {}\r\n", field.name, field.value);
  }
  if (!has_rule) head += "Cache-Control: no-store\r\n";
  const std::uint64_t size = reply.body.size() + (reply.source ? reply.source->size() : 0);
  if (reply.feed) head += "Transfer-Encoding: chunked\r\n";
  else if (reply.status != 304) head += fmt::format("Content-Length: {}\r\n", size);
  head += behind == Behind::close ? "Connection: close\r\n\r\n" : "\r\n";
  return head;
}

}  // namespace polytrace::http
