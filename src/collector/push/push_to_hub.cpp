// SPDX-License-Identifier: Apache-2.0
#include "collector/push/push_to_hub.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/codes.hpp"
#include "base/text/utf8.hpp"
#include "collector/push/upload.hpp"
#include "service/json/body.hpp"
#include "service/words/numbers.hpp"
#include "warehouse/link.hpp"
#include "warehouse/post.hpp"

namespace polytrace::collector {
namespace {

using base::Code;

constexpr std::chrono::milliseconds kReadingTakes{std::chrono::hours(2)};  // of a large file
constexpr std::chrono::seconds kIsHubThere{15};
constexpr std::chrono::milliseconds kNap{100};
constexpr std::size_t kLeastPiece = std::size_t{256} << 10;
constexpr unsigned kMostBusy = 30;  // answers that it is busy

// How far it is, as progress looks at it.
class SentSoFar final : public base::Source {
 public:
  SentSoFar(std::uint64_t at, std::uint64_t size) : at_(at), size_(size) {}
  base::result<std::size_t> read(std::span<std::byte>) override { return std::size_t{0}; }
  std::optional<std::uint64_t> stored_size() const override { return size_; }
  std::uint64_t stored_position() const override { return at_; }

 private:
  std::uint64_t at_, size_;
};

// What one request brought about.
struct SentStep {
  std::optional<std::uint64_t> at{};  // go on there
  bool is_done = false;
  bool comes_again = false;  // the same may go better later
  bool is_busy = false;      // and that is said by the collector itself
  std::chrono::milliseconds wait{0};
};

class Upload {
 public:
  Upload(const std::string& file, std::uint64_t size, std::string id, const HubOptions& options,
         warehouse::Poster poster)
      : in_(file, std::ios::binary),
        size_(size),
        id_(std::move(id)),
        options_(options),
        poster_(std::move(poster)),
        piece_(options.piece) {}

  // The collector's answer.
  base::result<std::string> run(const service::Asking& asking,
                                const std::function<void(const std::string&)>& tell) {
    const auto watcher = asking.watcher();
    for (;;) {
      const auto step = request();
      if (!step) return base::Unexpected(step.error());
      if (step->is_done) return std::move(answer_);
      if (step->at && follow(*step->at)) {
        if (watcher) watcher->update(SentSoFar(*step->at, size_));
        continue;
      }
      const bool is_enough = step->is_busy ? ++busy_ > kMostBusy : ++failed_ >= options_.tries;
      if (is_enough || asking.is_stopped() || !(step->comes_again || step->at))
        return base::Unexpected(fault_);
      tell(base::to_text(fault_));
      nap(std::max(wait_, step->wait), asking);
      if (!step->is_busy) wait_ *= 2;
      next_.reset();
    }
  }
  std::uint64_t sent() const { return sent_; }

 private:
  // Whether it is told to go on, and not where it was before.
  bool follow(std::uint64_t at) {
    const bool was_question = !next_;
    const bool is_further = at > furthest_;
    next_ = at;
    if (is_further) {
      furthest_ = at;
      failed_ = busy_ = 0;
      wait_ = options_.wait;
    }
    return at < size_ && (is_further || was_question);
  }

  base::result<SentStep> request() {
    std::vector<std::byte> body;
    std::string range = "*";
    if (next_) {
      body.resize(std::min<std::uint64_t>(piece_, size_ - *next_));
      in_.clear();
      in_.seekg(static_cast<std::streamoff>(*next_));
      in_.read(reinterpret_cast<char*>(body.data()), static_cast<std::streamsize>(body.size()));
      if (static_cast<std::size_t>(in_.gcount()) != body.size())
        return base::fail(Code::read_failed, "shorter than it was");
      range = fmt::format("{}-{}", *next_, *next_ + body.size() - 1);
    }
    const auto posted =
        poster_.post(body, {.fields = {fmt::format("{}: {}", kUploadField, id_),
                                       fmt::format("Content-Range: bytes {}/{}", range, size_)},
                            .wanted = "Range"});
    if (!posted) {
      fault_ = posted.error();
      piece_ = std::max(piece_ / 2, std::min(kLeastPiece, options_.piece));
      return SentStep{.comes_again = fault_.code == Code::store_unreachable};
    }
    sent_ += body.size();
    return judge(*posted);
  }
  base::result<SentStep> judge(const warehouse::Posted& posted) {
    constexpr int kDone = 200, kGoOn = 308, kNotThere = 416;
    fault_ = {Code::store_refused,
              {},
              fmt::format("{}: HTTP {}: {}", options_.url, posted.status,
                          warehouse::first_line(posted.answer))};
    if (posted.status == kDone) {
      answer_.assign(reinterpret_cast<const char*>(posted.answer.data()), posted.answer.size());
      return SentStep{.is_done = true};
    }
    if (posted.status == kGoOn || posted.status == kNotThere) {
      const auto at = at_of(posted.field);
      if (at) return SentStep{.at = *at};
      return base::Unexpected(fault_);
    }
    constexpr std::array kPassing = {408, 429, 500, 502, 503, 504};
    const bool is_passing = std::ranges::find(kPassing, posted.status) != kPassing.end();
    return SentStep{.comes_again = is_passing,
                    .is_busy = is_passing && posted.retry_after.count() != 0,
                    .wait = posted.retry_after};
  }
  // "bytes=0-8388607": behind that; "": at the beginning.
  std::optional<std::uint64_t> at_of(std::string_view range) const {
    constexpr std::string_view kBegin = "bytes=0-";
    if (range.empty()) return 0;
    if (!range.starts_with(kBegin)) return std::nullopt;
    const auto last = service::parse_number<std::uint64_t>(range.substr(kBegin.size()));
    return last && *last < size_ ? std::optional(*last + 1) : std::nullopt;
  }
  static void nap(std::chrono::milliseconds time, const service::Asking& asking) {
    for (; time.count() > 0 && !asking.is_stopped(); time -= kNap)
      std::this_thread::sleep_for(std::min(time, kNap));
  }

  std::ifstream in_;
  const std::uint64_t size_;
  const std::string id_;
  const HubOptions& options_;
  warehouse::Poster poster_;
  std::size_t piece_;
  std::optional<std::uint64_t> next_{};  // where the next piece begins; none: how far is it?
  std::uint64_t furthest_ = 0;
  std::uint64_t sent_ = 0;
  unsigned failed_ = 0, busy_ = 0;  // since it was further than before
  std::chrono::milliseconds wait_ = options_.wait;
  std::string answer_{};
  base::Error fault_{};
};

Pushed pushed_of(service::JsonMembers& told, const std::string& file, HubPushed& out) {
  const auto number = [&](std::string_view name) { return told.count(name, 0, INT64_MAX); };
  const auto id = [&](std::string_view name) {
    const std::string text = told.text(name);
    return service::parse_number<std::uint64_t>(
               std::string_view(text).substr(text.starts_with("0x") ? 2 : 0), 16)
        .value_or(0);
  };
  Pushed one;
  one.reading.origin.file = file;
  one.ids.series = id("series");
  one.ids.stream = id("stream");
  one.first = told.integer("first").value_or(base::kNoTime);
  one.last = told.integer("last").value_or(base::kNoTime);
  one.events = number("events");
  one.refused = number("events_refused");
  one.refused_time = number("time_refused");
  one.rows = number("rows");
  if (auto labels = told.object("labels"))
    one.labels.service = base::repaired(labels->text("service"));
  auto notices = told.objects("notices");
  if (auto error = told.object("error")) notices.push_back(std::move(*error));
  for (service::JsonMembers& notice : notices) {
    out.notices.push_back(base::repaired(notice.text("message")));
    const base::CodeInfo* const known = base::find_code(notice.text("code"));
    out.worst = std::max(out.worst, known == nullptr ? 0 : known->exit);
  }
  return one;
}

// Members that a newer collector tells besides are its own affair.
base::result<void> read_answer(const std::string& text, const std::string& file, HubPushed& out) {
  service::JsonBody body(text);
  if (!body.fault().empty())
    return base::fail(Code::store_answer, fmt::format("{} of the collector", body.fault()));
  service::JsonMembers members = body.members();
  out.traces = members.json("traces");
  if (out.traces.starts_with('[')) out.traces = out.traces.substr(1, out.traces.size() - 2);
  out.left_out = members.count("traces_left_out", 0, INT64_MAX);
  for (service::JsonMembers& one : members.objects("traces"))
    out.pushed.push_back(pushed_of(one, file, out));
  return {};
}

}  // namespace

base::result<HubPushed> push_to_hub(const std::string& file, const PushQuery& query,
                                    const HubOptions& options, const service::Asking& asking,
                                    const std::function<void(const std::string&)>& tell) {
  const auto address = warehouse::parse_address(options.url);
  if (!address) return base::Unexpected(address.error());
  PushQuery named = query;
  named.labels.insert(named.labels.begin(),
                      {"file", std::filesystem::path(file).filename().string()});
  const std::string text = query_text(named);
  auto id = upload_id(file, text);
  if (!id) return base::Unexpected(id.error());
  std::error_code fault;
  HubPushed out{.size = std::filesystem::file_size(file, fault)};
  if (fault || out.size == 0) return base::fail(Code::read_failed, "no file, or an empty one");
  auto poster =
      warehouse::Poster::open({.url = fmt::format("{}{}?{}", address->server, kTracesPath, text),
                               .method = "PUT",
                               .fields = {"Content-Type: application/octet-stream"},
                               .token = options.token,
                               .ca = options.ca,
                               .asks_every = kIsHubThere,
                               .within = kReadingTakes,
                               .most_answer = std::uint64_t{2} << 20,
                               .stop = asking.stop});
  if (!poster) return base::Unexpected(poster.error());
  Upload upload(file, out.size, std::move(*id), options, std::move(*poster));
  const auto answer = upload.run(asking, tell);
  out.sent = upload.sent();
  if (!answer) return base::Unexpected(answer.error());
  if (auto read = read_answer(*answer, file, out); !read) return base::Unexpected(read.error());
  return out;
}

}  // namespace polytrace::collector
