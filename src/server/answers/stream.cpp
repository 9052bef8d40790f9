// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

using base::JsonWriter;

std::string event_of(std::string_view name, const std::string& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

std::string progress_of(const TraceView& view) {
  std::string data;
  JsonWriter json(data, JsonWriter::Form::one_line);
  json.begin_object();
  json.member("trace", view.id);
  json.member("read", view.read);
  json.member("size", view.size);
  json.key("seconds_left");
  if (view.seconds_left < 0) json.null();
  else json.value(view.seconds_left);
  json.end_object();
  return event_of("progress", data);
}

std::string state_of(const TraceView& view) {
  std::string data;
  JsonWriter json(data, JsonWriter::Form::one_line);
  json.begin_object();
  json.member("trace", view.id);
  json.member("state", word_of(view.state));
  if (view.error) json.member("error", service::sentence(view.error->error));
  json.member("generation", 1);
  json.end_object();
  return event_of("state", data);
}

// What one reader of the stream was told already.
class News {
 public:
  explicit News(const Traces& traces) : traces_(traces) {}

  std::string next() {
    std::string text;
    for (const TraceView& view : traces_.all()) {
      Told& told = told_[view.id];
      if (told.state != view.state) text += state_of(view);
      if (view.state == TraceState::indexing && told.read != view.read) text += progress_of(view);
      told = {view.state, view.read};
    }
    return text;
  }

 private:
  struct Told {
    std::optional<TraceState> state{};
    std::uint64_t read = 0;
  };
  const Traces& traces_;
  std::unordered_map<std::string, Told> told_;
};

}  // namespace

Answered answer_stream(Ask& ask) {
  auto news = std::make_shared<News>(ask.offers.traces);
  Reply reply{.type = "text/event-stream"};
  reply.feed = [news] { return news->next(); };
  return reply;
}

}  // namespace polytrace::server
