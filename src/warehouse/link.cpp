// SPDX-License-Identifier: Apache-2.0
#include "warehouse/link.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <tuple>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "warehouse/curl.hpp"

namespace polytrace::warehouse {
namespace {

using base::Code;

constexpr int kNotInReadonlyMode = 164;  // ClickHouse: who asks may change no setting
constexpr std::size_t kLongestReason = 500;

using Curl = std::unique_ptr<CURL, decltype(&::curl_easy_cleanup)>;
using Form = std::unique_ptr<curl_mime, decltype(&::curl_mime_free)>;

// What ClickHouse calls external data: a table of the statement's own, by the name of a part.
constexpr const char* kIdsName = "ids";

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// "Code: 60, e.displayText() = DB::Exception: no table, e.what() = DB::Exception" -> "Code: 60, no
// table": what the server adds says nothing.
std::string reason_of(std::string_view answer) {
  std::string reason(answer.substr(0, answer.find('\n')));
  for (const std::string_view noise : {"e.displayText() = ", "DB::Exception: "})
    if (const auto at = reason.find(noise); at != std::string::npos) reason.erase(at, noise.size());
  if (const auto at = reason.rfind(", e.what() = "); at != std::string::npos) reason.resize(at);
  return base::short_name(std::move(reason), kLongestReason);
}

int code_of(std::string_view answer) {
  constexpr std::string_view kBefore = "Code: ";
  int code = 0;
  if (answer.starts_with(kBefore))
    std::from_chars(answer.data() + kBefore.size(), answer.data() + answer.size(), code);
  return code;
}

base::result<std::string> read_password(const std::string& file) {
  if (file.empty()) return std::string();
  std::ifstream in(file, std::ios::binary);
  std::string line;
  if (!in.is_open() || (!std::getline(in, line) && !in.eof())) {
    auto fault = base::system_fault(Code::open_failed);
    fault.value().place.frame = file;
    return fault;
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

}  // namespace

struct Link::State {
  const CurlLibrary* library;
  LinkOptions options;
  Address address;
  std::string password;
  Curl curl;
  Refusal refusal;
  bool settings_refused;  // by a user who may change none

  std::string url(std::string_view query, const Settings& settings);
  base::result<std::vector<std::byte>> post(const std::string& url, base::Bytes body);
  base::result<std::vector<std::byte>> post_ids(const std::string& url, const Ids& ids);
  base::result<std::vector<std::byte>> perform(CurlAnswer& answer);
  base::result<std::vector<std::byte>> judge(CURLcode outcome, CurlAnswer answer);
  void prepare(const std::string& url, CurlAnswer& answer);
};

std::string Link::State::url(std::string_view query, const Settings& settings) {
  std::string url = address.server + "/";
  char joint = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    char* const escaped =
        library->easy_escape(curl.get(), value.data(), static_cast<int>(value.size()));
    if (escaped == nullptr) return;
    url += fmt::format("{}{}={}", joint, name, escaped);
    joint = '&';
    library->free(escaped);
  };
  if (!query.empty()) add("query", query);
  for (const auto& [name, value] : settings) add(name, value);
  return url;
}

void Link::State::prepare(const std::string& url, CurlAnswer& answer) {
  CURL* const handle = curl.get();
  library->easy_reset(handle);
  library->easy_setopt(handle, CURLOPT_URL, url.c_str());
  library->easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  library->easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  library->easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, long{options.connect_within.count()});
  library->easy_setopt(handle, CURLOPT_TIMEOUT_MS, long{options.answer_within.count()});
  if (is_this_machine(address.host)) library->easy_setopt(handle, CURLOPT_NOPROXY, "*");
  if (options.stop != nullptr) give_up_when(*library, handle, *options.stop);
  if (!options.user.empty()) {
    library->easy_setopt(handle, CURLOPT_HTTPAUTH, long{CURLAUTH_BASIC});
    library->easy_setopt(handle, CURLOPT_USERNAME, options.user.c_str());
    library->easy_setopt(handle, CURLOPT_PASSWORD, password.c_str());
  }
  answer.most = options.most_answer;
  library->easy_setopt(handle, CURLOPT_WRITEFUNCTION, &take_answer);
  library->easy_setopt(handle, CURLOPT_WRITEDATA, &answer);
}

base::result<std::vector<std::byte>> Link::State::judge(CURLcode outcome, CurlAnswer answer) {
  if (answer.is_too_large)
    return base::fail(Code::limit_exceeded,
                      fmt::format("{}: answer of more than {} bytes", address.server, answer.most));
  long status = 0;
  library->easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (outcome == CURLE_OK && status == 200) return std::move(answer.bytes);
  refusal = {static_cast<int>(status), code_of(text_of(answer.bytes)), false};
  return base::fail(Code::store_refused, fmt::format("{}: HTTP {}: {}", address.server, status,
                                                     reason_of(text_of(answer.bytes))));
}

base::result<std::vector<std::byte>> Link::State::perform(CurlAnswer& answer) {
  char fault[CURL_ERROR_SIZE] = {};
  library->easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, fault);
  refusal = {};
  const CURLcode outcome = library->easy_perform(curl.get());
  library->easy_setopt(curl.get(), CURLOPT_ERRORBUFFER, nullptr);
  if (outcome == CURLE_OK || answer.is_too_large) return judge(outcome, std::move(answer));
  refusal.is_unreached = outcome == CURLE_COULDNT_CONNECT || outcome == CURLE_COULDNT_RESOLVE_HOST;
  const std::string_view why = fault[0] != 0 ? fault : library->easy_strerror(outcome);
  return base::fail(Code::store_unreachable, fmt::format("{}: {}", address.server, why));
}

base::result<std::vector<std::byte>> Link::State::post(const std::string& url, base::Bytes body) {
  CurlAnswer answer;
  prepare(url, answer);
  library->easy_setopt(curl.get(), CURLOPT_POST, 1L);
  library->easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE_LARGE,
                       static_cast<curl_off_t>(body.size()));
  library->easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.data());
  return perform(answer);
}

base::result<std::vector<std::byte>> Link::State::post_ids(const std::string& url, const Ids& ids) {
  CurlAnswer answer;
  prepare(url, answer);
  const Form form(library->mime_init(curl.get()), library->mime_free);
  curl_mimepart* const part = library->mime_addpart(form.get());
  library->mime_name(part, kIdsName);
  library->mime_filename(part, kIdsName);
  if (library->mime_data(part, reinterpret_cast<const char*>(ids.bytes.data()), ids.bytes.size()) !=
      CURLE_OK)
    return base::fail(Code::limit_exceeded, "no memory for a question's ids");
  library->easy_setopt(curl.get(), CURLOPT_MIMEPOST, form.get());
  auto told = perform(answer);
  // The form goes before the handle is used again.
  library->easy_setopt(curl.get(), CURLOPT_MIMEPOST, nullptr);
  return told;
}

base::result<Link> Link::open(LinkOptions options) {
  auto address = parse_address(options.address);
  if (!address) return base::Unexpected(address.error());
  if (options.database.empty()) options.database = address->database;
  if (options.database.empty()) options.database = "default";
  if (!is_plain_name(options.database))
    return base::fail(Code::address_wrong, "the name of a database is letters, digits and _");
  auto password = read_password(options.password_file);
  if (!password) return base::Unexpected(password.error());
  const auto library = curl_library();
  if (!library) return base::Unexpected(library.error());
  auto state =
      std::make_unique<State>(State{*library,
                                    std::move(options),
                                    std::move(*address),
                                    std::move(*password),
                                    Curl((*library)->easy_init(), (*library)->easy_cleanup),
                                    {},
                                    false});
  if (!state->curl) return base::fail(Code::store_unreachable, "libcurl does not start");
  return Link(std::move(state));
}

Link::Link(std::unique_ptr<State> state) : state_(std::move(state)) {}
Link::Link(Link&&) noexcept = default;
Link& Link::operator=(Link&&) noexcept = default;
Link::~Link() = default;

const std::string& Link::address() const { return state_->address.server; }
const std::string& Link::database() const { return state_->options.database; }
const Refusal& Link::refusal() const { return state_->refusal; }

base::result<void> Link::run(std::string_view sql, const Settings& settings) {
  return state_->post(state_->url({}, settings), std::as_bytes(std::span(sql))).map([](auto&&) {});
}

base::result<void> Link::insert(std::string_view table, std::string_view columns,
                                base::Bytes rows) {
  const std::string query = fmt::format("INSERT INTO {}.{} ({}) FORMAT RowBinary",
                                        state_->options.database, table, columns);
  return state_->post(state_->url(query, {}), rows).map([](auto&&) {});
}

base::result<std::vector<std::byte>> Link::ask(std::string_view sql, const Settings& settings,
                                               const Ids& ids) {
  const std::string question = std::string(sql) + " FORMAT RowBinary";
  // The server holds its answer back until it is whole: a fault in the middle is a fault, not rows.
  Settings whole = {{"wait_end_of_query", "1"}};
  const bool has_ids = !ids.type.empty();
  if (has_ids) {
    whole.emplace_back(fmt::format("{}_structure", kIdsName), fmt::format("id {}", ids.type));
    whole.emplace_back(fmt::format("{}_format", kIdsName), "RowBinary");
  }
  const auto send = [&](const Settings& all) {
    return has_ids ? state_->post_ids(state_->url(question, all), ids)
                   : state_->post(state_->url({}, all), std::as_bytes(std::span(question)));
  };
  Settings all = whole;
  if (!state_->settings_refused) all.insert(all.end(), settings.begin(), settings.end());
  auto answer = send(all);
  if (!answer && state_->refusal.code == kNotInReadonlyMode && all.size() > whole.size()) {
    state_->settings_refused = true;
    answer = send(whole);
  }
  return answer;
}

}  // namespace polytrace::warehouse
