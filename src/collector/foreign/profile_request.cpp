// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/profile_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <protozero/pbf_builder.hpp>

#include "base/codes.hpp"
#include "exports/profiles/fields.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

using protozero::pbf_builder;

constexpr std::array kRoutes{
    ProfileRoute{"POST", "/v1development/profiles", ForeignKind::otlp},
    ProfileRoute{"POST", "/push.v1.PusherService/Push", ForeignKind::pyroscope},
    ProfileRoute{"PUT", "/v1/traces", ForeignKind::pprof},
};

constexpr std::string_view kLabel = "label=", kStarts = "at=";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool whole = text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
                       hex_digit(text[i + 2]) >= 0;
    if (whole) {
      out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// Where it means nothing of its own in a query.
bool is_plain_in_query(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

base::result<void> take_pair(std::string_view pair, PushQuery& query) {
  if (pair.starts_with(kStarts)) {
    query.starts = service::parse_number<base::Time>(pair.substr(kStarts.size()));
    if (query.starts && *query.starts > 0) return {};
    return base::fail(base::Code::usage,
                      fmt::format("\"{}\" is no at=NANOSECONDS since 1970", pair));
  }
  if (!pair.starts_with(kLabel))
    return base::fail(base::Code::usage,
                      fmt::format("\"{}\" is no label=NAME=VALUE, and no at=NANOSECONDS", pair));
  auto label = parse_label(without_escapes(pair.substr(kLabel.size())));
  if (!label) return base::Unexpected(label.error());
  if (query.labels.size() >= kMostLabels * 4)
    return base::fail(base::Code::usage, "too many labels");
  query.labels.push_back(std::move(*label));
  return {};
}

ProfileAnswer refused_with(unsigned status, const base::Error& error) {
  ProfileAnswer answer;
  answer.status = status;
  answer.type = "text/plain; charset=utf-8";
  answer.body = base::to_text(error) + "\n";
  return answer;
}

// In OpenTelemetry's own form: what was not taken, and why.
std::string otlp_response(const Foreign& foreign, std::uint64_t missed) {
  std::string out;
  std::string why;
  if (missed != 0) why = fmt::format("{} samples at impossible times; ", missed);
  for (const base::Notice& notice : foreign.notices.sorted())
    if (base::describe(notice.code).exit != 0)
      why += fmt::format("{} ({} times); ", notice.detail, notice.count);
  if (why.empty()) return out;
  why.resize(why.size() - 2);
  pbf_builder<exports::OtlpResponse> response(out);
  pbf_builder<exports::OtlpPartialSuccess> partial(response,
                                                   exports::OtlpResponse::partial_success);
  // Profiles themselves were taken: its field 0 is a warning.
  partial.add_string(exports::OtlpPartialSuccess::error_message, why);
  partial.commit();
  return out;
}

}  // namespace

base::result<PushQuery> parse_push_query(std::string_view target) {
  PushQuery query;
  const std::size_t mark = target.find('?');
  std::string_view rest = mark == target.npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (auto taken = take_pair(pair, query); !taken) return base::Unexpected(taken.error());
  }
  return query;
}

std::string query_text(const PushQuery& query) {
  std::string text;
  for (const auto& [name, value] : query.labels) {
    text += fmt::format("{}{}{}%3D", text.empty() ? "" : "&", kLabel, name);
    for (const char c : value)
      text += is_plain_in_query(c) ? std::string(1, c)
                                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  if (query.starts) text += fmt::format("{}{}{}", text.empty() ? "" : "&", kStarts, *query.starts);
  return text;
}

std::span<const ProfileRoute> profile_routes() { return kRoutes; }

ProfileAnswer answer_profile(const ProfileRoute& route, std::string_view target,
                             std::string_view body, ForeignOptions options) {
  const auto query = parse_push_query(target);
  if (!query) return refused_with(400, query.error());
  options.labels.insert(options.labels.end(), query->labels.begin(), query->labels.end());
  if (query->starts) options.otherwise = query->starts;
  auto foreign = read_foreign(std::as_bytes(std::span(body)), route.kind, options);
  if (!foreign)
    return refused_with(foreign.error().code == base::Code::limit_exceeded ? 413 : 400,
                        foreign.error());
  ProfileAnswer answer;
  for (ForeignSeries& series : foreign->series) {
    answer.samples += series.samples;
    answer.rows.append(std::move(series.rows));
  }
  answer.refused = foreign->refused + foreign->timeless;
  if (route.kind == ForeignKind::otlp) {
    answer.type = "application/x-protobuf";
    answer.body = otlp_response(*foreign, answer.refused);
  } else if (route.kind == ForeignKind::pyroscope) {
    answer.type = "application/proto";  // PushResponse has no fields
  }
  return answer;
}

}  // namespace polytrace::collector
