// SPDX-License-Identifier: Apache-2.0
#include "service/convert/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/codes.hpp"
#include "service/json/parts.hpp"

namespace polytrace::service {
namespace {

bool has_no_end(const Passed& passed) {
  using base::Code;
  return std::ranges::any_of(passed.notices, [](const base::Notice& notice) {
    return notice.code == Code::frame_truncated || notice.code == Code::end_missing ||
           notice.code == Code::segments_read;
  });
}

bool shall_lack_end(const Conversion& done, const TargetOptions& options) {
  return options.leave_open && done.target.format->has_end && has_no_end(done.reading.passed);
}

void take_counts(Conversion& done, const Route& route) {
  done.loss = route.loss();
  done.read = route.read();
  done.given = route.given();
}

Asked<Conversion> run(const Input& input, const TargetOptions& options, Planned plan) {
  Route& route = *plan.route;
  const bool strict = input.options().strict;
  Conversion done{{}, std::move(plan.target), options.output, route.unit()};
  done.reading.passed = route.go(input);
  done.reading.origin = {input.name(), plan.input, route.input_version()};
  const Passed& passed = done.reading.passed;
  if (route.failure()) return refuse(*route.failure(), options.output);
  take_counts(done, route);
  if (passed.interrupted) input.asking().begin_finishing();
  const bool wanted = !strict || (done.loss.total() == 0 && passed.is_clean());
  if (wanted && !keeps_old(passed, options.output)) {
    if (passed.interrupted || shall_lack_end(done, options)) route.leave_open();
    if (auto finished = route.finish(); !finished) return refuse(finished.error(), options.output);
    take_counts(done, route);
    done.written = true;
  }
  return done;
}

void write_loss(base::JsonWriter& json, const Conversion& done) {
  json.member("events_lost", done.events_lost());
  json.key("lost");
  json.begin_object();
  for (std::size_t i = 0; i < done.loss.events.size(); ++i) {
    if (done.loss.events[i] != 0)
      json.member(event::describe(static_cast<event::Kind>(i)).name, done.loss.events[i]);
  }
  json.end_object();
  json.key("fields_lost");
  json.begin_object();
  for (const auto& [name, count] : done.loss.fields) json.member(name, count);
  json.end_object();
}

}  // namespace

std::uint64_t Conversion::events_lost() const {
  return std::accumulate(loss.events.begin(), loss.events.end(), std::uint64_t{0});
}

Asked<Conversion> convert(const Input& input, const TargetOptions& target, const Change& change) {
  auto plan = plan_route(input, target, change);
  if (!plan) return tl::unexpected(plan.error());
  return run(input, target, std::move(*plan));
}

std::string convert_json(const Conversion& done) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.convert/1");
  write_origin(json, done.reading.origin);
  json.key("output");
  json.begin_object();
  json.member("file", done.output);
  json.member("format", done.target.format->name);
  json.member("version", done.target.write.version);
  json.member("written", done.written);
  json.end_object();
  json.member(fmt::format("{}_read", done.unit), done.read);
  write_loss(json, done);
  write_outcome(json, done.reading.passed);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
