// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "base/io/sink.hpp"
#include "base/text/figure_text.hpp"
#include "base/text/json_writer.hpp"
#include "cli/fleet/fleet_options.hpp"
#include "cli/show/text_room.hpp"
#include "collector/live/piece.hpp"
#include "fleet/moments/kept.hpp"

namespace polytrace::cli {
namespace {

static_assert(fleet::kMostBlocks <= collector::kMostPieceBlocks);
constexpr int kOnlyInPart = 4;

class FleetGet final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-get",
        "[OPTIONS] MOMENT (-o FILE | --keep DIR)",
        "Fetches the blocks around a moment from the collector that keeps them, 50 before and 50 "
        "behind, and more before where the moment began earlier; writes them as a trace that every "
        "command reads, and prints which ones to type next. Blocks that the collector has dropped "
        "are told in the trace.\n\n"
        "The collector answers on its loopback port, to who has the token of its "
        "metrics.token_file. --hub asks a hub instead, from any machine, with a token of role "
        "`read`: it asks the collector that has the blocks. --folder reads the collector's folder, "
        "on the same machine. What one of its rules has kept as an object is read from there, "
        "where --objects says so: fleet traces lists it.\n\n"
        "--keep writes the trace into a folder that stays, as STREAM-FIRST-LAST.ptrace, and lists "
        "it in the store with its digest: fleet traces.",
        {{"over the collector's port",
          "polytrace fleet get 5f2ac01e9d3b4c77-12-1790000400123456789 --token-file token -o "
          "slow.ptrace"},
         {"through a hub",
          "polytrace fleet get $moment --hub https://hub-1:8471 --token-file token -o "
          "slow.ptrace"},
         {"from its folder",
          "polytrace fleet get 5f2ac01e9d3b4c77-12-1790000400123456789 --folder "
          "/srv/collect -o slow.ptrace"},
         {"what a rule has kept",
          "polytrace fleet get 5f2ac01e9d3b4c77-12-1790000400123456789 --objects "
          "folder:/srv/a -o a.ptrace"}},
        {0, 1, 2, 3, 4, 6},
        "docs/fleet.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("MOMENT", name_, "As fleet moments calls it").required();
    store_.add_to(list);
    edge_.add_to(list);
    objects_.add_to(list);
    list.add("--folder", folder_, "Read its folder (spool.folder) and ask nobody")
        .takes("DIR")
        .in("Collector");
    list.add("-o,--output", file_, "The file to write").takes("FILE").in("Output");
    list.add("--keep", keep_, "Write it into this folder and list it in the store")
        .takes("DIR")
        .in("Output");
    list.add("-f,--force", force_, "Replace an existing file").in("Output");
  }
  int run(Session& session) override {
    const auto name = fleet::parse_moment(name_);
    if (!name) return session.fail(name.error());
    if (!folder_.empty() && edge_.is_told())
      return session.fail_usage(
          "--folder and --token-file, or --hub, are two ways to the same blocks");
    if (folder_.empty() && !edge_.is_told() && !objects_.is_told())
      return session.fail_usage(
          "from where? --token-file FILE asks the collector, or with --hub URL a hub, --folder DIR "
          "reads its folder, --objects PLACE has what rules keep");
    if (file_.empty() == keep_.empty())
      return session.fail_usage("where to? -o FILE, or --keep DIR lists it in the store, too");
    std::unique_ptr<warehouse::Objects> objects;
    if (objects_.is_told()) {
      auto opened = warehouse::Objects::open(objects_.objects());
      if (!opened) return session.fail(opened.error());
      objects = std::move(*opened);
    }
    const auto blocks = source();
    if (!blocks) return session.fail(blocks.error());
    auto store = store_.open();
    if (!store) return session.fail(store.error());
    const auto moment = fleet::find_moment(*store, *name);
    if (!moment) return session.fail(moment.error());
    const auto gotten = fleet::get_piece(*store, *moment, {objects.get(), *blocks});
    if (!gotten) return session.fail(gotten.error());
    if (!keep_.empty())
      file_ = fmt::format("{}/{:016x}-{}-{}.ptrace", keep_, moment->name.stream, gotten->first,
                          gotten->last);
    if (auto written = write(gotten->trace); !written) return session.fail(written.error(), file_);
    if (auto listed = list(*store, *moment, *gotten); !listed) return session.fail(listed.error());
    tell(session, *moment, *gotten);
    return gotten->seen.begins ? 0 : kOnlyInPart;
  }

 private:
  // Empty: nobody is asked for blocks.
  base::result<fleet::FetchBlocks> source() const {
    if (folder_.empty() && !edge_.is_told()) return fleet::FetchBlocks();
    if (folder_.empty())
      return edge_.edge().map([](fleet::Edge edge) { return fleet::from_edge(std::move(edge)); });
    return fleet::FetchBlocks(
        [folder = folder_](const fleet::BlocksOrder& order) -> base::result<fleet::FetchedBlocks> {
          collector::PieceOrder own{folder, order.stream, order.first, order.last, {}};
          if (order.had != 0) own.had = {order.had_from, order.last, order.had};
          auto piece = collector::read_piece(own);
          if (!piece) return base::Unexpected(piece.error());
          return fleet::FetchedBlocks{std::move(piece->trace), piece->at_end};
        });
  }
  base::result<void> write(base::Bytes trace) const {
    // Of a folder that is kept: the same blocks again, which may be more by now.
    auto sink = base::create_sink(file_, force_ || !keep_.empty());
    if (!sink) return base::Unexpected(sink.error());
    if (auto done = (*sink)->write(trace); !done) return done;
    return (*sink)->commit();
  }
  base::result<void> list(fleet::Store& store, const fleet::Moment& moment,
                          const fleet::Piece& gotten) const {
    if (keep_.empty()) return {};
    std::error_code fault;
    const std::string path = std::filesystem::absolute(file_, fault).string();
    return fleet::list_trace(store, moment, gotten.seen, gotten.trace,
                             {path, gotten.first, gotten.last});
  }
  void tell(Session& session, const fleet::Moment& moment, const fleet::Piece& gotten) const {
    const auto next = fleet::next_commands(moment, gotten.seen, shell_quoted(file_));
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
  std::string json_of(const fleet::Moment& moment, const fleet::Piece& gotten,
                      const std::vector<std::string>& next) const {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    json.member("schema", "polytrace.fleet-get/1");
    json.member("file", file_);
    fleet::write_moment(json, moment, gotten);
    json.key("next");
    json.begin_array();
    for (const std::string& command : next) json.value(command);
    json.end_array();
    json.end_object();
    return text + '\n';
  }

  StoreOptions store_;
  EdgeOptions edge_;
  ObjectOptions objects_;
  std::string name_, folder_, file_, keep_;
  bool force_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fleet_get() { return std::make_unique<FleetGet>(); }

}  // namespace polytrace::cli
