// SPDX-License-Identifier: Apache-2.0
// What an answer is made from, and the parts that answers have in common. No sockets: each answer
// is a function of a request and a trace. Any thread, one answer at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/text/json_writer.hpp"
#include "server/body.hpp"
#include "server/http/faults.hpp"
#include "server/name_match.hpp"
#include "server/offers.hpp"
#include "server/query.hpp"
#include "service/json/parts.hpp"
#include "service/trace/part.hpp"

namespace polytrace::server {

// A request that was let in, at one of the addresses of endpoints.def.
struct Ask {
  Offers& offers;
  const Request& request;
  const Query& query;
  Body& body;
  const std::atomic<bool>& stop;
  std::vector<std::string_view> words{};  // those of the path in braces, but for the trace
  // Where the path has a trace.
  TraceView view{};

  const service::IndexedTrace& trace() const { return *view.trace; }
  const service::Tracks& tracks() const { return *view.tracks; }
};

#define ENDPOINT(name, ...) Answered answer_##name(Ask& ask);
#include "server/endpoints.def"
#undef ENDPOINT

// A rule as it was asked, for the answer's "selection".
struct ToldRule {
  std::string op{};
  std::string_view by{};  // "text", "regex", "package", "method"
  std::string value{};
  std::uint64_t methods = 0;  // that fit
};
struct Part : service::TracePart {
  std::vector<ToldRule> told{};
};
// The member "selection" of a request. What is wrong is the body's fault.
Part read_selection(Ask& ask, Members& members);

// Which speed an answer had: its member "from".
enum class From : std::uint8_t { index, rare, scan };

// {"schema": "polytrace.ui.<name>/1", ...: of what follows, what all answers have.
class AnswerJson {
 public:
  AnswerJson(std::string_view name, From from);
  base::JsonWriter& json() { return json_; }
  void selection(const Part& part);
  // Closes it. `partial`: of a trace that was not read to its end.
  Reply take(bool partial, const std::vector<std::string>& notes = {});

 private:
  std::string text_;
  base::JsonWriter json_;
};

template <class Numbers>
void write_numbers(base::JsonWriter& json, std::string_view name, const Numbers& numbers) {
  json.key(name);
  json.begin_array();
  for (const auto& number : numbers) json.value(number);
  json.end_array();
}
// A number that may not be known.
template <class Number>
void write_optional(base::JsonWriter& json, std::string_view name,
                    const std::optional<Number>& number) {
  json.key(name);
  if (number) json.value(*number);
  else json.null();
}

// Members of the object that is open: what lists of traces tell of one.
void write_summary(base::JsonWriter& json, const TraceView& view);

}  // namespace polytrace::server
