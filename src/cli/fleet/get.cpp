// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"
#include "base/io/sink.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/fleet/fleet_options.hpp"
#include "cli/show/text_room.hpp"
#include "collector/live/piece.hpp"
#include "fleet/moments/moment.hpp"
#include "warehouse/fetch.hpp"

namespace polytrace::cli {
namespace {

constexpr std::uint64_t kBehind = 50;  // blocks
// Before the moment's: where its beginning is in none of them, the next.
constexpr std::array<std::uint64_t, 3> kBefore = {50, 250, 970};
static_assert(kBefore.back() + 1 + kBehind <= collector::kMostPieceBlocks);
constexpr int kOnlyInPart = 4;

// A moment's blocks as they were fetched.
struct Gotten {
  std::vector<std::byte> trace{};
  fleet::Sighting seen{};
};

class FleetGet final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-get",
        "the events around one moment, as a trace",
        "[OPTIONS] MOMENT -o FILE (--token-file FILE | --folder DIR)",
        "Fetches the blocks around a moment from the collector that keeps them, 50 before and 50 "
        "behind, and more before where the moment began earlier; writes them as a trace that every "
        "command reads, and prints which ones to type next. Blocks that the collector has dropped "
        "are told in the trace.\n\n"
        "The collector answers on its loopback port, to who has the token of its "
        "metrics.token_file. --folder reads its folder instead, on the same machine.",
        {{"over the collector's port",
          "polytrace fleet get 5f2ac01e9d3b4c77-12-1790000400123456789 --token-file token -o "
          "slow.ptrace"},
         {"from its folder",
          "polytrace fleet get 5f2ac01e9d3b4c77-12-1790000400123456789 --folder "
          "/srv/collect -o slow.ptrace"}},
        {0, 1, 2, 3, 4, 6},
        "docs/fleet.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("MOMENT", name_, "As fleet moments calls it").required();
    store_.add_to(list);
    const char* group = "Collector";
    list.add("--edge", edge_, "Where its /metrics are").takes("URL").shows_default().in(group);
    list.add("--token-file", token_file_,
             "The file with its token, which nobody but its owner may read")
        .takes("FILE")
        .in(group);
    list.add("--folder", folder_, "Read its folder (spool.folder) and ask nobody")
        .takes("DIR")
        .in(group);
    list.add("-o,--output", file_, "The file to write").takes("FILE").required().in("Output");
    list.add("-f,--force", force_, "Replace an existing file").in("Output");
  }
  int run(Session& session) override {
    const auto name = fleet::parse_moment(name_);
    if (!name) return session.fail(name.error());
    if (folder_.empty() == token_file_.empty())
      return session.fail_usage(
          "from where? --token-file FILE asks the collector, --folder DIR reads its folder");
    if (auto token = read_token(); !token) return session.fail(token.error());
    auto store = store_.open();
    if (!store) return session.fail(store.error());
    const auto moment = fleet::find_moment(*store, *name);
    if (!moment) return session.fail(moment.error());
    const auto gotten = get(*moment);
    if (!gotten) return session.fail(gotten.error());
    if (auto written = write(gotten->trace); !written) return session.fail(written.error(), file_);
    tell(session, *moment, *gotten);
    return gotten->seen.begins ? 0 : kOnlyInPart;
  }

 private:
  base::result<void> read_token() {
    if (token_file_.empty()) return {};
    auto token = agent::control::read_private_token(token_file_);
    if (!token) return base::fail(base::Code::open_failed, token.error().detail);
    token_ = std::move(*token);
    return {};
  }
  base::result<Gotten> get(const fleet::Moment& moment) const {
    for (const std::uint64_t before : kBefore) {
      const std::uint64_t first = moment.name.block - std::min(moment.name.block, before);
      auto trace = fetch(moment.name.stream, first, moment.name.block + kBehind);
      if (!trace) return base::Unexpected(trace.error());
      auto seen = fleet::look_for(moment, *trace);
      if (!seen) return base::Unexpected(seen.error());
      if (seen->begins || first == 0 || before == kBefore.back())
        return Gotten{std::move(*trace), std::move(*seen)};
    }
    return Gotten{};
  }
  base::result<std::vector<std::byte>> fetch(std::uint64_t stream, std::uint64_t first,
                                             std::uint64_t last) const {
    if (!folder_.empty()) {
      auto piece = collector::read_piece({folder_, stream, first, last});
      if (!piece) return base::Unexpected(piece.error());
      return std::move(piece->trace);
    }
    const std::string_view at = std::string_view(edge_).substr(0, edge_.find_last_not_of('/') + 1);
    return warehouse::fetch(
        {.url = fmt::format("{}/v1/traces/{:016x}/{}-{}", at, stream, first, last),
         .token = token_});
  }
  base::result<void> write(base::Bytes trace) const {
    auto sink = base::create_sink(file_, force_);
    if (!sink) return base::Unexpected(sink.error());
    if (auto done = (*sink)->write(trace); !done) return done;
    return (*sink)->commit();
  }
  std::vector<std::string> next_commands(const fleet::Moment& moment,
                                         const fleet::Sighting& seen) const {
    const auto from = static_cast<std::uint64_t>(seen.at);
    const auto time = [](std::uint64_t clock) { return static_cast<base::Time>(clock); };
    const std::string file = shell_quoted(file_);
    return {fmt::format("polytrace report {} --from {} --to {}", file, seen.at,
                        time(from + moment.took + 1)),
            fmt::format("polytrace state {} --at {}", file, time(from + moment.took / 2))};
  }
  void tell(Session& session, const fleet::Moment& moment, const Gotten& gotten) const {
    const std::vector<std::string> next = next_commands(moment, gotten.seen);
    if (session.common.json) {
      session.out().text() += json_of(moment, gotten, next);
      return;
    }
    std::string& out = session.out().text();
    out += printable(fmt::format("{}: {}", file_, gotten.seen.note)) + '\n';
    out += printable(fmt::format("{}{} {}, {} of {}, thread {}", fleet::moment_kind(moment.kind),
                                 moment.subject.empty() ? "" : " of " + moment.subject + ":",
                                 base::duration_text(moment.took), moment.instance, moment.service,
                                 moment.thread)) +
           '\n';
    for (const std::string& command : next) out += "  " + printable(command) + '\n';
    if (!gotten.seen.begins)
      session.remark("it begins before these blocks, or its beginning is no longer there");
  }
  std::string json_of(const fleet::Moment& moment, const Gotten& gotten,
                      const std::vector<std::string>& next) const {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    json.member("schema", "polytrace.fleet-get/1");
    json.member("file", file_);
    json.member("bytes", std::uint64_t{gotten.trace.size()});
    json.member("moment", fleet::to_text(moment.name));
    json.member("kind", fleet::moment_kind(moment.kind));
    json.member("subject", moment.subject);
    json.member("took_ns", moment.took);
    json.member("at", gotten.seen.at);
    json.member("thread", moment.thread);
    json.member("service", moment.service);
    json.member("host", moment.host);
    json.member("instance", moment.instance);
    json.member("note", gotten.seen.note);
    json.member("begins", gotten.seen.begins);
    json.key("next");
    json.begin_array();
    for (const std::string& command : next) json.value(command);
    json.end_array();
    json.end_object();
    return text + '\n';
  }

  StoreOptions store_;
  std::string name_, token_file_, token_, folder_, file_;
  std::string edge_ = "http://127.0.0.1:8472";
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fleet_get() { return std::make_unique<FleetGet>(); }

}  // namespace polytrace::cli
