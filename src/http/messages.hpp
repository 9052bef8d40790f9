// SPDX-License-Identifier: Apache-2.0
// Requests and replies as those who answer see them: no sockets, no library's types.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace polytrace::http {

struct Field {
  std::string name;
  std::string value;
};

struct Request {
  std::string method{};
  std::string target{};  // as it came: "/api/1/session?x=1"
  std::vector<Field> fields{};
  std::string body{};
  std::string peer{};  // "127.0.0.1:40122"
  // Over TLS: the URIs that the other side's certificate names it by; ours has vouched for them.
  std::vector<std::string> names{};

  // Letter case does not count in names of fields.
  std::vector<std::string_view> all(std::string_view name) const;
  // Empty where there is none, or more than one.
  std::string_view only(std::string_view name) const;
  // Of the target, what is before a "?", and behind it.
  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }
  std::string_view query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string_view()
                                     : std::string_view(target).substr(mark + 1);
  }
};

class Channel;

// A body that comes part by part, as it is read. One thread, the connection's; let go when it is
// over, or nobody reads it any more.
class BodySource {
 public:
  // Nothing: there is no more to be had, and the connection ends, so that whoever reads sees that
  // something is missing.
  using TakePart = std::function<void(std::optional<std::string>)>;

  virtual ~BodySource() = default;
  BodySource(const BodySource&) = delete;
  BodySource& operator=(const BodySource&) = delete;

  virtual std::uint64_t size() const = 0;
  // The next bytes, one at least, while fewer than size() came. Calls `take` once, in time.
  virtual void next(TakePart take) = 0;

 protected:
  BodySource() = default;
};

struct Reply {
  unsigned status = 200;
  std::string type = "application/json";  // empty: there is no body
  std::string body{};
  std::vector<Field> fields{};  // besides those that each reply has
  // Not null: the reply never ends. Asked a few times a second for what is new; may be "".
  std::function<std::string()> feed{};
  // Not null: more of the body, behind `body`.
  std::shared_ptr<BodySource> source{};
  // Not null: the connection becomes a channel, if that was asked for; else it is answered 400.
  std::function<void(std::shared_ptr<Channel>)> upgrade{};
};

// A token to show in requests: so many random bytes in base64url. Errors: read_failed.
base::result<std::string> random_token(std::size_t bytes);

// The beginning of a reply as it goes on the wire: line, fields, empty line. `close`: the
// connection ends behind it.
enum class Behind : std::uint8_t { stay, close };
std::string head_of(const Reply& reply, Behind behind);

}  // namespace polytrace::http
