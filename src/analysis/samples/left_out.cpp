// SPDX-License-Identifier: Apache-2.0
// What the recording leaves out, as its settings and filters tell: methods that could not be
// instrumented, and what was left out by choice. What is not here was not measured, and the time of
// methods that are not is their callers'. Settings: the selected time and thread do not apply.
// Tables: left_out.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "analysis/samples/uninstrumented.hpp"
#include "analysis/sections.hpp"
#include "analysis/table/cells.hpp"
#include "analysis/table/rows.hpp"
#include "base/text/figure_text.hpp"

namespace polytrace::analysis {
namespace {

struct Gap {
  std::string what;
  std::string_view effect;  // on the figures
  std::string_view how;     // option of `record` that closes it; "": none does
};
constexpr std::string_view kInCallers = "their time is self time of their callers";
constexpr std::string_view kNotMeasured = "not measured";
constexpr std::string_view kEstimated = "estimated from samples";

// Of the option "events".
struct KindOption {
  std::string_view key;
  std::string_view what;
  std::string_view how;
};
constexpr KindOption kEventKinds[] = {{"calls", "calls", "--events +calls"},
                                      {"gc", "collections", "--events +gc"},
                                      {"monitors", "waits for locks", "--events +monitors"},
                                      {"exceptions", "exceptions", "--events +exceptions"},
                                      {"alloc", "allocations", "--events +alloc=sites"}};

// What a list like "calls+gc+alloc=sampled:1m" says of a kind behind its name: of several the last
// counts, as for agents.
std::optional<std::string_view> value_of_kind(std::string_view events, std::string_view kind) {
  std::optional<std::string_view> value;
  while (!events.empty()) {
    const std::size_t end = std::min(events.find_first_of("+,"), events.size());
    const std::string_view word = events.substr(0, end);
    if (word.substr(0, word.find('=')) == kind) value = word.substr(kind.size());
    events.remove_prefix(std::min(end + 1, events.size()));
  }
  return value;
}

bool has_kind(std::string_view events, std::string_view kind) {
  return value_of_kind(events, kind).value_or("=none") != "=none";
}

// "alloc" alone means samples.
bool samples_allocations(std::string_view events) {
  const std::string_view value = value_of_kind(events, "alloc").value_or("=none");
  return value.empty() || value.starts_with("=sampled");
}

// The first rule that matches decides; what none matches is recorded.
class Rules {
 public:
  void take(const event::FilterRule& rule) {
    if (all_ != All::undecided) return;
    const bool include = rule.mode == "INCLUDE";
    std::string text(rule.pattern);
    if (!rule.method.empty() && rule.method != "*") text += fmt::format(":{}", rule.method);
    if (text == "*") all_ = include ? All::included : All::excluded;
    else (include ? included_ : excluded_).push_back(std::move(text));
  }

  // "methods of java.*, javax.* and 3 more"; "" for none. `framework` is left out unless rules take
  // all in; "" for none.
  std::string left_out(const std::string& framework) const {
    if (all_ == All::excluded)
      return included_.empty() ? "all methods" : "methods but those of " + list_text(included_);
    std::vector<std::string> excluded = excluded_;
    if (all_ == All::undecided && !framework.empty()) excluded.insert(excluded.begin(), framework);
    return excluded.empty() ? "" : "methods of " + list_text(excluded);
  }

 private:
  enum class All : std::uint8_t { undecided, included, excluded };
  All all_ = All::undecided;
  std::vector<std::string> included_;
  std::vector<std::string> excluded_;
};

class LeftOut final : public Analysis {
 public:
  void consume(const Slice& slice) override;
  std::vector<Table> tables(const Names& names, const TableOptions& options) const override;
  std::vector<std::string> headlines(const Names& names) const override;

 private:
  void take(const event::Setting& setting);
  std::string framework_text() const;
  std::vector<Gap> uninstrumented() const;
  std::vector<Gap> methods() const;
  std::vector<Gap> kinds() const;

  Rules rules_;
  std::string events_;     // as the option has them; empty: not told
  std::string framework_;  // a folder whose modules are left out
  bool without_short_ = false;
  Uninstrumented uninstrumented_;
  std::set<std::string> modules_;
  std::set<std::string> compiled_ahead_;
};

void LeftOut::consume(const Slice& slice) {
  const event::Batch& batch = slice.batch;
  for (const std::uint32_t i : slice.others) {
    const event::Event& event = batch.events[i];
    switch (event.kind) {
      case event::Kind::Setting: take(batch.details_or<event::Setting>(event, {})); break;
      case event::Kind::FilterRule:
        rules_.take(batch.details_or<event::FilterRule>(event, {}));
        break;
      case event::Kind::Module:
        modules_.emplace(batch.details_or<event::Module>(event, {}).name);
        break;
      default: break;
    }
  }
}

void LeftOut::take(const event::Setting& setting) {
  if (uninstrumented_.take(setting)) return;
  if (setting.key == "events") events_ = setting.value;
  if (setting.key == "coreclr.framework") framework_ = setting.value;
  if (setting.key == "jvm.accessors") without_short_ = setting.value == "no";
  if (setting.key == "mono.aot") compiled_ahead_.emplace(setting.value);
}

std::string LeftOut::framework_text() const {
  if (framework_.empty()) return {};
  const auto own = std::ranges::count_if(
      modules_, [&](const std::string& module) { return module.starts_with(framework_); });
  return fmt::format("{} of .NET ({})",
                     base::count_text(static_cast<std::uint64_t>(own), "module", "modules"),
                     framework_);
}

std::vector<Gap> LeftOut::uninstrumented() const {
  std::vector<Gap> gaps;
  for (const Uninstrumented::Group& group : uninstrumented_.groups())
    gaps.push_back({text_of(group), group.calls ? kInCallers : kNotMeasured, ""});
  return gaps;
}

std::vector<Gap> LeftOut::methods() const {
  std::vector<Gap> gaps;
  if (!events_.empty() && !has_kind(events_, "calls")) return gaps;
  if (std::string some = rules_.left_out(framework_text()); !some.empty())
    gaps.push_back({std::move(some), kInCallers, "--filter '*'"});
  if (without_short_)
    gaps.push_back(
        {"short methods without calls and loops", kInCallers, "--option jvm.accessors=yes"});
  if (!compiled_ahead_.empty())
    gaps.push_back(
        {"methods compiled ahead: " + list_text({compiled_ahead_.begin(), compiled_ahead_.end()}),
         kInCallers, "mono -O=-aot"});
  return gaps;
}

std::vector<Gap> LeftOut::kinds() const {
  std::vector<Gap> gaps;
  if (events_.empty()) return gaps;
  for (const KindOption& kind : kEventKinds)
    if (!has_kind(events_, kind.key))
      gaps.push_back({std::string(kind.what), kNotMeasured, kind.how});
  if (samples_allocations(events_))
    gaps.push_back({"allocations but for samples", kEstimated, "--events +alloc=sites"});
  return gaps;
}

std::vector<Table> LeftOut::tables(const Names&, const TableOptions& options) const {
  Table table = make_table("left_out", "left-out", "Left out of the recording",
                           {{"what", "What"}, {"effect", "Effect"}, {"how", "Recorded with"}});
  for (const auto& gaps : {uninstrumented(), methods(), kinds()})
    for (const Gap& gap : gaps)
      table.rows.push_back({gap.what, std::string(gap.effect), std::string(gap.how)});
  limit_rows(table, options);
  return {std::move(table)};
}

// "exceptions (--events +exceptions), ..."
std::string sentence_of(const std::vector<Gap>& gaps) {
  std::string text;
  for (const Gap& gap : gaps)
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", gap.what, gap.how);
  return text;
}

std::vector<std::string> LeftOut::headlines(const Names&) const {
  std::vector<std::string> lines;
  for (const Gap& gap : uninstrumented())
    lines.push_back(fmt::format("{}; {}", gap.what, gap.effect));
  if (std::string text = sentence_of(methods()); !text.empty())
    lines.push_back(fmt::format("{}; {}", text, kInCallers));
  if (std::string text = sentence_of(kinds()); !text.empty()) lines.push_back(std::move(text));
  return lines;
}

}  // namespace

std::shared_ptr<Analysis> make_left_out(const Shared&) { return std::make_shared<LeftOut>(); }

}  // namespace polytrace::analysis
