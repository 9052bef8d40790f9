// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/codes.hpp"
#include "warehouse/curl.hpp"
#include "warehouse/objects/objects_impl.hpp"

namespace polytrace::warehouse {
namespace {

using base::Code;

constexpr std::size_t kMostKeyFile = 1024;
constexpr std::uint64_t kMostWords = 64 << 10;  // of an answer that is no object
constexpr long kConnectWithin = 5'000;          // milliseconds
constexpr long kContinueWithin = 200;

// Who signs.
struct Key {
  std::string name;
  std::string secret;
};

base::result<Key> read_key(const std::string& path) {
  const auto wrong = [&](std::string_view why) {
    return base::fail(Code::open_failed, fmt::format("{}: {}", path, why));
  };
  if (path.empty())
    return base::fail(Code::usage,
                      "objects in S3 need a key_file: a line with the key's name, "
                      "one with the secret");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return wrong("cannot be opened");
  struct stat found{};
  std::array<char, kMostKeyFile> text{};
  const bool is_ours = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
                       (found.st_uid == ::geteuid() || found.st_uid == 0) &&
                       (found.st_mode & 077) == 0;
  const ssize_t size = is_ours ? ::read(file, text.data(), text.size()) : 0;
  ::close(file);
  if (!is_ours) return wrong("must be ours, and of mode 0600");
  const std::string_view all(text.data(), size < 0 ? 0 : static_cast<std::size_t>(size));
  const std::size_t end = all.find('\n');
  Key key;
  if (end != all.npos) {
    key.name = all.substr(0, end);
    key.secret = all.substr(end + 1, all.find('\n', end + 1) - end - 1);
  }
  for (std::string* const word : {&key.name, &key.secret})
    if (word->ends_with('\r')) word->pop_back();
  if (key.name.empty() || key.secret.empty())
    return wrong("must have a line with the key's name and one with the secret");
  return key;
}

std::string sha256_text(base::Bytes bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> sum{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), sum.data());
  std::string text;
  for (const unsigned char byte : sum) text += fmt::format("{:02x}", byte);
  return text;
}

// "SlowDown" of an answer of S3; empty: it tells none.
std::string fault_word(const std::vector<std::byte>& answer) {
  constexpr std::string_view kBegin = "<Code>";
  const std::string_view text(reinterpret_cast<const char*>(answer.data()), answer.size());
  const std::size_t begin = text.find(kBegin);
  if (begin == text.npos) return {};
  const std::string_view rest = text.substr(begin + kBegin.size());
  const std::string_view word = rest.substr(0, rest.find('<'));
  return is_object_name(word) ? " " + std::string(word) : std::string();
}

class S3Objects final : public Objects {
 public:
  S3Objects(const CurlLibrary& library, const ObjectsPlace& place, Key key, ObjectsOptions options)
      : library_(library),
        base_(place.server + place.root + "/"),
        key_(std::move(key)),
        options_(std::move(options)),
        signing_(
            fmt::format("aws:amz:{}:s3", options_.region.empty() ? "us-east-1" : options_.region)),
        curl_(library.easy_init(), library.easy_cleanup) {}
  bool has_begun() const { return curl_ != nullptr; }

  base::result<void> put(const std::string& name, base::Bytes bytes) override {
    const auto answer = ask({.method = "PUT", .name = name, .body = bytes}, Code::write_failed);
    if (!answer) return base::Unexpected(answer.error());
    if (answer->status != 200) return refused(*answer, name, Code::write_failed);
    return {};
  }

  base::result<std::vector<std::byte>> get(const std::string& name, ObjectRange range) override {
    const bool is_part = range.offset != 0 || range.length < kMostObject;
    if (is_part && range.length == 0) return std::vector<std::byte>();
    Question question{.method = "GET", .name = name, .most = kMostObject};
    if (is_part)
      question.range = range.length > kMostObject
                           ? fmt::format("{}-", range.offset)
                           : fmt::format("{}-{}", range.offset, range.offset + range.length - 1);
    auto answer = ask(question, Code::open_failed);
    if (!answer) return base::Unexpected(answer.error());
    if (answer->status == (is_part ? 206 : 200)) return std::move(answer->body.bytes);
    if (is_part && answer->status == 416) return std::vector<std::byte>();  // behind its end
    return refused(*answer, name, Code::open_failed);
  }

  base::result<std::optional<std::uint64_t>> head(const std::string& name) override {
    const auto answer = ask({.method = "HEAD", .name = name}, Code::open_failed);
    if (!answer) return base::Unexpected(answer.error());
    if (answer->status == 404) return std::nullopt;
    if (answer->status != 200) return refused(*answer, name, Code::open_failed);
    return answer->length;
  }

  base::result<void> remove(const std::string& name) override {
    const auto answer = ask({.method = "DELETE", .name = name}, Code::write_failed);
    if (!answer) return base::Unexpected(answer.error());
    const bool is_gone = answer->status == 204 || answer->status == 200 || answer->status == 404;
    if (!is_gone) return refused(*answer, name, Code::write_failed);
    return {};
  }

 private:
  struct Question {
    std::string_view method;
    const std::string& name;
    base::Bytes body{};
    std::string range{};
    std::uint64_t most = kMostWords;
  };
  struct Answer {
    long status = 0;
    std::uint64_t length = 0;  // as it tells it
    CurlAnswer body{};
  };

  base::Unexpected refused(const Answer& answer, const std::string& name, Code code) const {
    return base::fail(code, fmt::format("{}{}: HTTP {}{}", base_, name, answer.status,
                                        fault_word(answer.body.bytes)));
  }

  base::result<Answer> ask(const Question& question, Code code) {
    CURL* const handle = curl_.get();
    const auto set = [&](auto option, auto value) { library_.easy_setopt(handle, option, value); };
    const std::string url = base_ + question.name;
    const std::string method(question.method);
    // libcurl of 2023 signs this header, but does not make it.
    const std::string sum = "x-amz-content-sha256: " + sha256_text(question.body);
    Answer answer{.body = {.most = question.most}};
    char fault[CURL_ERROR_SIZE] = {};
    library_.easy_reset(handle);
    const std::unique_ptr<curl_slist, decltype(&::curl_slist_free_all)> fields(
        library_.slist_append(nullptr, sum.c_str()), library_.slist_free_all);
    if (method == "PUT")
      static_cast<void>(library_.slist_append(fields.get(), "Content-Type: application/zstd"));
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_CONNECTTIMEOUT_MS, kConnectWithin);
    set(CURLOPT_TIMEOUT_MS, long{options_.within.count()});
    set(CURLOPT_NOPROXY, "127.0.0.1,localhost,::1");
    set(CURLOPT_AWS_SIGV4, signing_.c_str());
    set(CURLOPT_USERNAME, key_.name.c_str());
    set(CURLOPT_PASSWORD, key_.secret.c_str());
    set(CURLOPT_HTTPHEADER, fields.get());
    set(CURLOPT_EXPECT_100_TIMEOUT_MS, kContinueWithin);
    if (method == "HEAD") set(CURLOPT_NOBODY, 1L);
    else if (method != "GET") set(CURLOPT_CUSTOMREQUEST, method.c_str());
    if (method == "PUT") {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(question.body.size()));
      set(CURLOPT_POSTFIELDS, question.body.data());
    }
    if (!question.range.empty()) set(CURLOPT_RANGE, question.range.c_str());
    set(CURLOPT_WRITEFUNCTION, &take_answer);
    set(CURLOPT_WRITEDATA, &answer.body);
    set(CURLOPT_ERRORBUFFER, fault);
    if (options_.stop != nullptr) give_up_when(library_, handle, *options_.stop);
    const CURLcode outcome = library_.easy_perform(handle);
    library_.easy_setopt(handle, CURLOPT_ERRORBUFFER, nullptr);
    if (answer.body.is_too_large)
      return base::fail(Code::limit_exceeded,
                        fmt::format("{}: more than {} bytes", url, question.most));
    if (outcome != CURLE_OK)
      return base::fail(code, fmt::format("{}: {}", url,
                                          fault[0] != 0 ? fault : library_.easy_strerror(outcome)));
    curl_off_t length = 0;
    library_.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &answer.status);
    library_.easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    answer.length = length < 0 ? 0 : static_cast<std::uint64_t>(length);
    return answer;
  }

  const CurlLibrary& library_;
  const std::string base_;
  const Key key_;
  const ObjectsOptions options_;
  const std::string signing_;
  std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)> curl_;
};

}  // namespace

base::result<std::unique_ptr<Objects>> s3_objects(const ObjectsPlace& place,
                                                  ObjectsOptions options) {
  const auto library = curl_library();
  if (!library) return base::Unexpected(library.error());
  auto key = read_key(options.key_file);
  if (!key) return base::Unexpected(key.error());
  auto objects = std::make_unique<S3Objects>(**library, place, std::move(*key), std::move(options));
  if (!objects->has_begun()) return base::fail(Code::open_failed, "libcurl does not start");
  return objects;
}

}  // namespace polytrace::warehouse
