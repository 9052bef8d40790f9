// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"
#include "server/answers/sql/sql_session.hpp"

namespace polytrace::server {
namespace {

constexpr std::uint64_t kMostRows = 100'000;
constexpr std::uint64_t kMostTime = 10'000;  // ms
constexpr std::size_t kMostSqlBytes = std::size_t{32} << 20;

struct SqlAsked {
  std::string query{};
  std::vector<sql::Parameter> parameters{};
  std::uint64_t limit = 0;
  std::chrono::milliseconds time{};
};

SqlAsked read_sql_asked(Members members) {
  SqlAsked question;
  question.query = members.text("query");
  question.limit = members.count("limit", 1000, kMostRows);
  question.time = std::chrono::milliseconds(members.count("timeout_ms", kMostTime, kMostTime));
  if (question.time.count() == 0) members.complain("timeout_ms", "is not between 1 and 10000");
  for (Members& one : members.objects("parameters")) {
    const std::string name = one.text("name");
    question.parameters.push_back({name, one.text("value")});
  }
  return question;
}

// The rows of one statement as a document; others are a fault.
class SqlDocument final : public sql::Answers {
 public:
  SqlDocument(const service::SqlTraces& traces, std::uint64_t limit)
      : traces_(traces), limit_(limit), json_(text_) {}

  base::result<void> begin(const std::vector<sql::AnswerColumn>& columns) override {
    if (any_) return base::fail(base::Code::query_wrong, "a second answer; ask one at a time");
    any_ = true;
    json_.begin(traces_, columns);
    return {};
  }
  bool row(std::span<const sql::Value> cells) override {
    if (rows_ == limit_) return more_ = true, false;
    ++rows_;
    json_.row(cells);
    return text_.size() <= kMostSqlBytes;
  }

  bool has_answer() const { return any_; }
  bool is_too_large() const { return text_.size() > kMostSqlBytes; }
  // How many more rows there are was not looked at.
  std::string take(bool interrupted) {
    json_.end(traces_, more_ ? std::nullopt : std::optional<std::uint64_t>(0), interrupted);
    return std::move(text_);
  }

 private:
  const service::SqlTraces& traces_;
  std::uint64_t limit_;
  std::uint64_t rows_ = 0;
  bool any_ = false;
  bool more_ = false;
  std::string text_{};
  service::SqlJson json_;
};

}  // namespace

Answered answer_sql(Ask& ask) {
  const SqlAsked question = read_sql_asked(ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const service::SqlTraces traces = sql_traces(ask);
  const auto session = SqlSession::begin(traces, question.time);
  if (session == nullptr) return tl::unexpected(fault_reply(Fault::busy));
  auto database = session->database();
  if (!database) return tl::unexpected(fault_reply(database.error()));
  SqlDocument document(traces, question.limit);
  const auto ran = (*database)->run({question.query, question.parameters, &ask.stop}, document);
  if (!ran) return tl::unexpected(fault_reply(ran.error()));
  if (document.is_too_large()) return tl::unexpected(fault_reply(Fault::answer_too_large));
  if (!document.has_answer()) return wrong("query: is empty, or has no rows");
  return Reply{.body = document.take(ran->interrupted)};
}

}  // namespace polytrace::server
