// SPDX-License-Identifier: Apache-2.0
// Parts of streams between an edge and a hub, both ends, without the channel between them.
#include "collector/pieces/shelf.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "analysis/asked.hpp"
#include "collector/keep/spool.hpp"
#include "collector/pieces/far_piece.hpp"
#include "collector/streams.hpp"
#include "support/temporary_folder.hpp"

namespace polytrace::collector {
namespace {

constexpr std::uint64_t kShelved = 0xabc;
constexpr std::size_t kNotes = 30, kNoteBytes = 60'000;

// Notes that differ: more than some parts.
event::Batch long_notes() {
  event::Batch batch;
  test::Stream stream(batch, 1);
  for (std::size_t i = 0; i < kNotes; ++i) {
    std::string text;
    for (std::size_t k = 0; text.size() < kNoteBytes; ++k) text += fmt::format("{} ", i * k * k);
    event::Note note;
    note.text = batch.keep(text);
    stream.add(static_cast<base::Time>(1000 + i), base::kNoId, note);
  }
  return batch;
}

// An edge with a shelf, and its hub's post: what is said goes as text both ways.
class LoopPost final : public FarPost {
 public:
  LoopPost() {
    auto spool = Spool::open({.folder = folder_.file("collect") + "/raw",
                              .bytes = 64 << 20,
                              .min_free = 0,
                              .file_bytes = 1 << 20});
    for (const test::OwnBlock& block :
         test::blocks_in(test::native_stream(kShelved, long_notes(), 1)))
      EXPECT_TRUE(spool->append(kShelved, block.view()));
    EXPECT_TRUE(spool->sync());
    reader_ = std::make_unique<PieceReader>(folder_.file("collect"), figures_, [](const auto&) {});
    shelf_ =
        Shelf::make(context, *reader_, [](std::uint64_t stream) { return stream == kShelved; });
  }

  const std::string& name() const override { return name_; }
  void find(const std::string&, const std::string&, std::uint64_t, TakeFound) override {}
  void act(const Candidate&, const std::string&, const Order&, TakeResult) override {}
  void judge(const Candidate&, TakeResult) override {}
  void close() override {}
  void ask(std::string_view what, std::chrono::seconds, const WriteMembers& more,
           Hear hear) override {
    const std::string message = edge_message(7, what, more);
    boost::asio::post(context, [this, message, hear] {
      if (is_silent) return hear(nullptr);
      EXPECT_TRUE(serve(message, [this, hear](std::string answer) {
        if (spoil) spoil(answer);
        service::JsonBody body(answer);
        auto members = body.members();
        EXPECT_EQ(members.integer("id"), 7);
        hear(&members);
      }));
    });
  }
  void say(std::string_view what, const WriteMembers& more) override {
    ask(what, {}, more, [](auto*) {});
  }

  bool serve(const std::string& message, EdgeService::AnswerHub answer) {
    service::JsonBody body(message);
    auto members = body.members();
    const auto id = static_cast<std::uint64_t>(members.integer("id").value_or(0));
    const std::string what = members.text("do");
    return shelf_->serve(what, id, members, std::move(answer));
  }
  // As long as it takes until it is so.
  template <class True>
  void run_until(True&& true_now) {
    const auto guard = boost::asio::make_work_guard(context);
    context.restart();
    while (!true_now()) context.run_one();
  }
  FarPiece piece(const PieceOrder& order) {
    std::optional<std::optional<FarPiece>> told;
    ask_for_piece(*this, to_text(order), [&](auto piece) { told = std::move(piece); });
    run_until([&] { return told.has_value(); });
    return told->value_or(FarPiece{});
  }
  std::string whole(const PieceOrder& order) {
    PieceAnswer all;
    std::atomic<bool> is_told{false};
    reader_->ask(order, [&](PieceAnswer&& answer) { all = std::move(answer), is_told = true; });
    while (!is_told) std::this_thread::yield();
    return all.text;
  }

  boost::asio::io_context context;
  bool is_silent = false;
  std::function<void(std::string&)> spoil{};

 private:
  const std::string name_ = "edge-of-test";
  test::TemporaryFolder folder_;
  Figures figures_;
  std::unique_ptr<PieceReader> reader_;
  std::unique_ptr<Shelf> shelf_;
};

// All that the source gives; nothing where it ends before its time.
std::optional<std::string> read_all(LoopPost& post, http::BodySource& source) {
  std::string bytes;
  while (bytes.size() < source.size()) {
    std::optional<std::optional<std::string>> part;
    source.next([&](auto got) { part = std::move(got); });
    post.run_until([&] { return part.has_value(); });
    if (!*part) return std::nullopt;
    EXPECT_LE((*part)->size(), Shelf::kMostPart);
    bytes += **part;
  }
  return bytes;
}

const PieceOrder kShelvedWhole{.stream = kShelved, .first = 0, .last = kNotes - 1};

TEST(shelf, an_order_says_itself) {
  const PieceOrder order{.stream = 0xabc, .first = 3, .last = 9, .had = HadBlocks{4, 9, 2}};
  EXPECT_EQ(to_text(order), "0000000000000abc/3-9?had=4-2");
  const auto read = parse_piece_order(to_text(order));
  ASSERT_TRUE(read && read->had);
  EXPECT_EQ(to_text(*read), to_text(order));
  for (const char* const wrong : {"", "abc/1-2", "0000000000000abc/1", "0000000000000abc/1-2?",
                                  "0000000000000abc/1-2x", "0000000000000abc/1-2?had=1"})
    EXPECT_FALSE(parse_piece_order(wrong)) << wrong;
}

TEST(shelf, gives_all_of_a_piece_part_by_part) {
  const auto post = std::make_shared<LoopPost>();
  const FarPiece piece = post->piece(kShelvedWhole);
  ASSERT_EQ(piece.status, 200U) << piece.text;
  EXPECT_EQ(piece.blocks, kNotes);
  EXPECT_GT(piece.bytes, 3 * Shelf::kMostPart);
  const auto bytes = read_all(*post, *source_of(post, piece, nullptr));
  EXPECT_TRUE(bytes == post->whole(kShelvedWhole));
  // It has gone with its last part.
  EXPECT_FALSE(read_all(*post, *source_of(post, piece, nullptr)));
}

TEST(shelf, holds_few_at_once_and_makes_room_when_nobody_wants_one) {
  const auto post = std::make_shared<LoopPost>();
  std::vector<std::shared_ptr<http::BodySource>> sources;
  for (std::size_t i = 0; i < Shelf::kMostPieces; ++i)
    sources.push_back(source_of(post, post->piece(kShelvedWhole), nullptr));
  EXPECT_EQ(post->piece(kShelvedWhole).status, 503U);
  sources.pop_back();
  EXPECT_EQ(post->piece(kShelvedWhole).status, 200U);
}

TEST(shelf, has_its_own_streams_alone) {
  LoopPost post;
  EXPECT_EQ(post.piece({.stream = 0xabd, .last = 1}).status, 404U);
  EXPECT_EQ(post.piece({.stream = kShelved, .first = 900, .last = 901}).status, 404U);
  EXPECT_EQ(post.piece({.stream = kShelved, .first = 0, .last = 5000}).status, 400U);
  for (const char* const wrong :
       {R"({"id": 1, "do": "shutdown"})", R"({"id": 1, "do": "piece", "piece": "../1-2"})",
        R"({"id": 1, "do": "has", "stream": "x"})", R"({"id": 1})"})
    EXPECT_FALSE(post.serve(wrong, [](const std::string&) { FAIL(); })) << wrong;
}

void exchange(std::string& text, std::string_view from, std::string_view to) {
  if (const std::size_t at = text.find(from); at != text.npos) text.replace(at, from.size(), to);
}

TEST(shelf, what_an_edge_says_is_not_believed) {
  const std::pair<std::string_view, std::string_view> lies[] = {
      {R"("status":200)", R"("status":302)"},
      {R"("gone":"")", R"("gone":"1\r\nSet-Cookie: x")"},
      {R"("bytes":)", R"("bytes":99)"},
      {R"("bytes":)", R"("bytes":0,"b":)"}};
  for (const auto& [truth, lie] : lies) {
    LoopPost post;
    post.spoil = [&](std::string& text) { exchange(text, truth, lie); };
    EXPECT_EQ(post.piece(kShelvedWhole).status, 0U) << lie;
  }
}

TEST(shelf, lines_of_an_edge_are_lines) {
  LoopPost post;
  post.spoil = [](std::string& text) { exchange(text, "the edge", "\\u001b[2J\\u0007"); };
  const FarPiece piece = post.piece({.stream = 0xabd, .last = 1});
  EXPECT_EQ(piece.status, 404U);
  EXPECT_EQ(piece.text, " [2J  has no such stream");
}

TEST(shelf, a_part_that_is_none_ends_the_piece) {
  const std::pair<std::string_view, std::string_view> lies[] = {
      {R"("part":")", R"("part":"AAAA)"}, {R"("part":")", R"("part":"!)"}, {R"("part")", R"("x")"}};
  for (const auto& [truth, lie] : lies) {
    const auto post = std::make_shared<LoopPost>();
    const auto source = source_of(post, post->piece(kShelvedWhole), nullptr);
    post->spoil = [&](std::string& text) { exchange(text, truth, lie); };
    EXPECT_FALSE(read_all(*post, *source)) << lie;
  }
  const auto post = std::make_shared<LoopPost>();
  const auto source = source_of(post, post->piece(kShelvedWhole), nullptr);
  post->is_silent = true;
  EXPECT_FALSE(read_all(*post, *source));
}

FoundPiece found_among(LoopPost& runs, const PieceOrder& order,
                       std::vector<std::shared_ptr<FarPost>> edges,
                       std::vector<std::string> away = {}) {
  std::optional<FoundPiece> found;
  search_piece(runs.context, order, std::move(edges), std::move(away),
               [&](FoundPiece told) { found = std::move(told); });
  runs.run_until([&] { return found.has_value(); });
  return *found;
}

TEST(shelf, who_is_away_or_silent_is_told) {
  const auto post = std::make_shared<LoopPost>();
  EXPECT_EQ(found_among(*post, kShelvedWhole, {post}).edge, post);
  const PieceOrder other{.stream = 0xabd, .last = 1};
  const FoundPiece none = found_among(*post, other, {post});
  EXPECT_EQ(none.piece.status, 404U);
  EXPECT_EQ(none.piece.text, "no edge that answers has stream 0000000000000abd");
  const FoundPiece away = found_among(*post, other, {post}, {"a", "b", "c", "d", "e", "f", "g"});
  EXPECT_EQ(away.piece.status, 504U);
  EXPECT_EQ(away.piece.text,
            "no edge that answers has stream 0000000000000abd; away, and it may be there: a, b, c, "
            "d, e and 2 more");
  post->is_silent = true;
  const FoundPiece silent = found_among(*post, kShelvedWhole, {post});
  EXPECT_EQ(silent.piece.status, 504U);
  EXPECT_EQ(silent.piece.text,
            "no edge that answers has stream 0000000000000abc; no answer from edge-of-test");
  EXPECT_EQ(found_among(*post, kShelvedWhole, {}).piece.status, 404U);
}

}  // namespace
}  // namespace polytrace::collector
