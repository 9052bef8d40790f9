// SPDX-License-Identifier: Apache-2.0
#include "collector/bus/bus.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <vector>

#include "base/codes.hpp"
#include "collector/bus/bus_control.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

constexpr std::string_view kSubjectHead = "pt.v1.";
constexpr std::string_view kSubjectRows = ".rows.";

}  // namespace

std::uint32_t lane_of(std::string_view edge) {
  return static_cast<std::uint32_t>(XXH3_64bits(edge.data(), edge.size()) % kLanes);
}

std::string subject_text(const Subject& subject) {
  return fmt::format("{}{}{}{}.{}", kSubjectHead, subject.tenant, kSubjectRows, subject.table,
                     subject.lane);
}

std::optional<Subject> parse_subject(std::string_view text) {
  if (!text.starts_with(kSubjectHead)) return std::nullopt;
  text.remove_prefix(kSubjectHead.size());
  const std::size_t rows = text.find(kSubjectRows), mark = text.rfind('.');
  if (rows == text.npos || mark < rows + kSubjectRows.size()) return std::nullopt;
  const std::size_t table = rows + kSubjectRows.size();
  Subject subject{std::string(text.substr(0, rows)), std::string(text.substr(table, mark - table))};
  const auto lane = service::parse_number<std::uint32_t>(text.substr(mark + 1));
  if (!lane || *lane >= kLanes || !is_subject_word(subject.tenant) ||
      !is_subject_word(subject.table))
    return std::nullopt;
  subject.lane = *lane;
  return subject;
}

std::string edge_subject(const EdgeSubject& of, std::string_view verb) {
  return fmt::format("{}{}.{}.{}", kSubjectHead, of.tenant, verb, of.edge);
}

std::optional<EdgeSubject> parse_edge_subject(std::string_view text, std::string_view verb) {
  if (!text.starts_with(kSubjectHead)) return std::nullopt;
  text.remove_prefix(kSubjectHead.size());
  const std::string middle = fmt::format(".{}.", verb);
  const std::size_t at = text.find(middle);
  if (at == text.npos) return std::nullopt;
  EdgeSubject of{std::string(text.substr(0, at)), std::string(text.substr(at + middle.size()))};
  if (!is_subject_word(of.tenant) || !is_subject_word(of.edge)) return std::nullopt;
  return of;
}

// Whoever asks for a bus without the library was told before: check_config.
#if !POLYTRACE_HAS_NATS
base::result<std::unique_ptr<Target>> bus_target(const Config&, Figures&) {
  return base::fail(base::Code::library_missing, "built without libnats");
}

std::unique_ptr<BusIntake> BusIntake::open(const Config&, Hands, Figures&, Tell) { return nullptr; }
std::unique_ptr<BusCommands> BusCommands::open(boost::asio::io_context&, const Config&, std::string,
                                               Executor&, EdgeService&, Tell) {
  return nullptr;
}
std::unique_ptr<BusEdges> BusEdges::open(boost::asio::io_context&, const Config&, Meet, Tell) {
  return nullptr;
}
#endif

}  // namespace polytrace::collector
