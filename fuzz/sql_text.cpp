// SPDX-License-Identifier: Apache-2.0
// Any text as queries of a small trace, on a connection that may only read, as the server's are:
// each ends in its time with an answer or with an error that says something.
#include <chrono>

#include "base/io/source.hpp"
#include "format/format.hpp"
#include "sql/engine.hpp"
#include "store/store.hpp"
#include "support/require.hpp"

namespace {

using namespace polytrace;
using fuzz::require;

std::shared_ptr<const sql::Trace> make_trace() {
  auto source = base::open_source(POLYTRACE_EXAMPLES "/everything.mlpd");
  require(source.has_value());
  auto opened = format::open(std::move(*source));
  require(opened.has_value());
  auto made = store::build_unnamed_index(*opened->reader, {.path = {}, .format = "mlpd 17"});
  require(made.has_value() && made->store != nullptr);
  return std::make_shared<const sql::Trace>(std::move(made->store), sql::TraceFacts{.file = "x"});
}

// What is told is looked at to its end, as who shows it does.
class Looking final : public sql::Answers {
 public:
  base::result<void> begin(const std::vector<sql::AnswerColumn>& columns) override {
    columns_ = columns.size();
    return {};
  }
  bool row(std::span<const sql::Value> cells) override {
    require(cells.size() == columns_);
    for (const sql::Value& cell : cells)
      for (const char c : cell.text) sum_ = sum_ + static_cast<unsigned char>(c);
    return ++rows_ < kMostRows;
  }

 private:
  static constexpr std::uint64_t kMostRows = 1000;
  std::size_t columns_ = 0;
  std::uint64_t rows_ = 0;
  volatile unsigned sum_ = 0;
};

sql::Database& database() {
  using std::chrono::milliseconds;
  static const auto kDatabase = [] {
    auto opened = sql::Database::open(
        {make_trace()},
        {.time = milliseconds(1000), .memory = std::uint64_t{256} << 20, .read_only = true});
    require(opened.has_value());
    return std::move(*opened);
  }();
  return *kDatabase;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const sql::Parameter parameter{"p", "5"};
  Looking looking;
  const auto ran = database().run({text, {&parameter, 1}}, looking);
  require(ran.has_value() || !ran.error().detail.empty());
  return 0;
}
