// SPDX-License-Identifier: Apache-2.0
// Any text as a request to the page's server, from its line "METHOD TARGET" to its body: it is
// answered or refused, and never with a fault of ours. "@" stands for the id of the example.
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "server/door/router.hpp"
#include "support/require.hpp"

namespace {

using namespace polytrace;
using fuzz::require;

// What the server keeps lies in a folder of its own, which goes with the process.
class Place {
 public:
  Place() {
    require(mkdtemp(path_.data()) != nullptr);
    for (const char* name : {"POLYTRACE_CACHE", "XDG_STATE_HOME", "TMPDIR"})
      setenv(name, path_.c_str(), 1);
  }
  ~Place() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  std::string path_ = "/tmp/polytrace-fuzz-XXXXXX";
};

// The example, ready to be asked about.
class Served {
 public:
  Served() : offers_({.root = POLYTRACE_EXAMPLES}) {
    const std::string file = POLYTRACE_EXAMPLES "/everything.mlpd";
    const auto id = offers_.traces.add(file, file);
    require(id.has_value());
    id_ = *id;
    while (offers_.traces.find(id_)->state != server::TraceState::ready)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  server::Offers& offers() { return offers_; }
  std::string with_id(std::string text) const {
    for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos; at += id_.size())
      text.replace(at, 1, id_);
    return text;
  }

 private:
  Place place_;
  server::Offers offers_;
  std::string id_;
};

server::Request request_of(const std::string& text) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::size_t blank = std::min(text.find(' '), line);
  return {.method = text.substr(0, blank),
          .target = text.substr(std::min(blank + 1, line), line - std::min(blank + 1, line)),
          .body = text.substr(std::min(line + 1, text.size()))};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Served served;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const server::Request request = request_of(served.with_id(text));
  const auto found = server::route(request.method, request.path());
  if (!found) return 0;
  const std::atomic<bool> stop = false;
  const server::Reply reply = server::reply_to(served.offers(), request, *found, stop);
  require(reply.status < 500);
  require(reply.type != "application/json" || reply.body.starts_with('{'));
  if (reply.feed) (void)reply.feed();
  return 0;
}
