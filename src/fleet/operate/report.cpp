// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "fleet/operate/operations.hpp"
#include "service/json/parts.hpp"

namespace polytrace::fleet {
namespace {

std::string first_line(const Report& report) {
  if (!report.shards) return report.store + ":";
  const auto& [all, answered] = *report.shards;
  return answered < all ? fmt::format("{} OF {} SHARDS ANSWERED:", answered, all)
                        : fmt::format("{} shards:", all);
}

}  // namespace

std::string report_json(const Report& report) {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.fleet-operation/1");
  json.member("operation", report.operation);
  json.member("store", report.store);
  json.member("right", report.is_right);
  if (report.shards) {
    json.member("shards", report.shards->all);
    json.member("shards_answered", report.shards->answered);
  }
  json.key("figures");
  json.begin_object();
  for (const Report::Figure& figure : report.figures) json.member(figure.key, figure.value);
  json.end_object();
  json.key("notes");
  json.begin_array();
  for (const std::string& note : report.notes) json.value(note);
  json.end_array();
  service::write_tables(json, report.tables);
  json.end_object();
  out += '\n';
  return out;
}

std::vector<std::string> report_lines(const Report& report) {
  std::vector<std::string> lines;
  if (!report.store.empty()) lines.push_back(first_line(report));
  for (const Report::Figure& figure : report.figures)
    lines.push_back(fmt::format("  {} {}", base::count_text(figure.value), figure.title));
  for (const std::string& note : report.notes) lines.push_back("  " + note);
  return lines;
}

}  // namespace polytrace::fleet
