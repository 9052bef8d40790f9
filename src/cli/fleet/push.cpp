// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/terminal_text.hpp"
#include "base/text/wall_time.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/show/text_room.hpp"
#include "collector/push/push.hpp"
#include "warehouse/schema.hpp"

namespace polytrace::cli {
namespace {

constexpr base::Time kSecondsToNs = 1'000'000'000;
// What stores keep of rows of 10 s unless told otherwise (docs/fleet.md).
constexpr base::Time kKept = 48 * 3600 * kSecondsToNs;

base::Time wall_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class Push final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "push",
        "sends traces to a fleet's store",
        "[OPTIONS] FILE... --to http://HOST:8123/DATABASE",
        "Reads each trace once and sends what it adds up to, by windows of 10 s of the machine's "
        "wall clock: calls and their own time by stack, processor time, samples, allocations, "
        "waits for locks, exceptions, methods by the minute, collections, the slowest moments. The "
        "events themselves stay in the file. What was sent before replaces itself: pushing a trace "
        "again changes no sum.\n\n"
        "Labels are what the trace tells of its process (service, host, instance, runtime, agent) "
        "and those given with --label, which win. A trace that tells no wall clock needs --at. "
        "Events more than ten minutes in the future are refused and counted: exit code 4.",
        {{"a recording", "polytrace push shop.ptrace --to http://127.0.0.1:8123/shop"},
         {"with labels",
          "polytrace push a.mlpd --label service=shop --label version=2.1 "
          "--to http://127.0.0.1:8123/shop"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/collector.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("FILE", files_, "The traces, of any format. gzip and zstd are unpacked")
        .takes("FILE...")
        .required()
        .in("Input");
    list.add("--at", at_, "The wall time of the first event (2026-11-21T10:00:00Z)")
        .takes("TIME")
        .in("Input");
    list.add("--label", labels_,
             "A label of the process, service and version among them; again "
             "for more")
        .takes("NAME=VALUE")
        .in("Input");
    list.add("--to", link_.address, "The store, with its database")
        .takes("URL")
        .required()
        .in("Store");
    list.add("--user", link_.user, "Who writes to it").takes("NAME").in("Store");
    list.add("--password-file", link_.password_file, "A file whose first line is the password")
        .takes("FILE")
        .in("Store");
  }
  int run(Session& session) override {
    collector::PushOptions options{.now = wall_now()};
    for (const std::string& text : labels_) {
      auto label = collector::parse_label(text);
      if (!label) return session.fail(label.error());
      options.labels.push_back(std::move(*label));
    }
    if (!at_.empty()) {
      options.starts = base::parse_wall_time(at_);
      if (!options.starts)
        return session.fail_usage(
            fmt::format("--at \"{}\" is no wall time such as 2026-11-21T10:00:00Z", at_));
    }
    if (std::ranges::find(files_, "-") != files_.end())
      return session.fail_usage("push takes files, not standard input");
    options.tell = [&](const std::string& why) { session.remark("trying again: " + why); };
    auto link = warehouse::Link::open(link_);
    if (!link) return session.fail(link.error());
    if (const auto ready = warehouse::require_schema(*link); !ready)
      return session.fail(ready.error());
    int code = 0;
    std::vector<collector::Pushed> all;
    for (const std::string& file : files_) {
      code = std::max(code, push(session, file, *link, options, all));
      if (session.asking().is_stopped()) break;
    }
    if (session.common.json) session.out().text() += collector::push_json(all);
    return code;
  }

 private:
  static int push(Session& session, const std::string& file, warehouse::Link& link,
                  const collector::PushOptions& options, std::vector<collector::Pushed>& all) {
    const service::Input input({.file = file}, session.asking());
    auto pushed = collector::push(input, link, options);
    if (!pushed) return session.refuse(pushed.error());
    tell_notices(session, pushed->reading);
    int code = conclude(session, pushed->reading);
    for (const std::string& repair : pushed->repairs) session.detail(file + ": " + repair);
    warn(session, *pushed, options.now);
    if (pushed->refused != 0 || pushed->refused_time != 0) code = std::max(code, 4);
    if (!session.common.json) tell(session, *pushed);
    all.push_back(std::move(*pushed));
    return code;
  }
  static void warn(const Session& session, const collector::Pushed& pushed, base::Time now) {
    if (pushed.refused != 0)
      session.remark(fmt::format("{}: refused {} at impossible times", pushed.reading.origin.file,
                                 base::count_text(pushed.refused, "event", "events")));
    if (pushed.refused_time != 0)
      session.remark(fmt::format("{}: refused {} of calls at impossible times",
                                 pushed.reading.origin.file,
                                 base::duration_text(pushed.refused_time)));
    if (pushed.first != base::kNoTime && pushed.first < now - kKept)
      session.remark(
          fmt::format("{}: it is of {}: a store that keeps rows of 10 s for 48 h drops it with "
                      "the next clean-up; --at gives another time",
                      pushed.reading.origin.file, base::wall_text(pushed.first)));
  }
  static void tell(Session& session, const collector::Pushed& pushed) {
    std::string& out = session.out().text();
    out += fmt::format("{}: {} in {}, service {}, series {:#x}\n", pushed.reading.origin.file,
                       base::count_text(pushed.events, "event", "events"),
                       base::count_text(pushed.rows, "row", "rows"),
                       base::printable(pushed.labels.service), pushed.ids.series);
    if (pushed.first != base::kNoTime)
      out += fmt::format("  from {} to {}\n", base::wall_text(pushed.first),
                         base::wall_text(pushed.last));
    if (pushed.before != 0) out += "  the store had it before: what is there was replaced\n";
    session.out().flush();
  }

  std::vector<std::string> files_;
  std::vector<std::string> labels_;
  std::string at_;
  warehouse::LinkOptions link_;
};

}  // namespace

std::unique_ptr<Command> make_push() { return std::make_unique<Push>(); }

}  // namespace polytrace::cli
