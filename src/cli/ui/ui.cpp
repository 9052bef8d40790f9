// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include "base/codes.hpp"
#include "base/text/json_writer.hpp"
#include "cli/frame/session.hpp"
#include "cli/frame/signals.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/store/store_options.hpp"
#include "server/door/serve.hpp"

namespace polytrace::cli {
namespace {

constexpr int kCannot = 1;
constexpr std::uint64_t kMostPort = 65535;

// The desktop's browser: a child of nobody, which says nothing here.
void open_browser(const std::string& url) {
  const pid_t child = fork();
  if (child == 0) {
    if (fork() != 0) _exit(0);
    setsid();
    static_cast<void>(freopen("/dev/null", "w", stdout));
    static_cast<void>(freopen("/dev/null", "w", stderr));
    execlp("xdg-open", "xdg-open", url.c_str(), nullptr);
    _exit(kCannot);
  }
  if (child > 0) waitpid(child, nullptr, 0);
}

void write_started(std::string& out, const std::string& url, std::uint64_t port) {
  base::JsonWriter json(out, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.ui/1");
  json.member("url", url);
  json.member("port", port);
  json.member("pid", static_cast<std::uint64_t>(getpid()));
  json.end_object();
  out += '\n';
}

class Ui final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "ui",
        "[OPTIONS] FILE... | [OPTIONS] --store URL [FILE...]",
        "Serves a page about these traces, to this computer only, until Ctrl-C. It prints one "
        "line, the page's address: who has it may see the traces. Each trace is indexed first, "
        "once (see: polytrace index).\n\n"
        "With a store the page has the view Fleet, about the processes in it (see: polytrace "
        "fleet). With the token of a collector it opens the events around a moment as a trace.\n\n"
        "From another computer: forward a port, as ssh -L 8000:127.0.0.1:PORT HOST does.",
        {{"look at a trace", "polytrace ui --open app.mlpd"},
         {"on a port that is known before", "polytrace ui --port 8000 app.mlpd other.mlpd"},
         {"nothing is left behind", "polytrace ui --no-index app.mlpd"},
         {"a fleet, and its slow calls",
          "polytrace ui --store http://127.0.0.1:8123/shop --token-file token"}},
        {0, 1, 2, 3, 4},
        "docs/ui.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("FILE", files_, "The traces. gzip and zstd are unpacked").takes("FILE...").in("Input");
    add_index_place(list, index_.folder);
    list.add("--no-index", index_.none, "Leave no index: each is made anew, and gone at the end")
        .in("Input");
    list.add("--port", port_, "Listen on this port; 0: any that is free")
        .takes("PORT")
        .shows_default()
        .in("Page");
    list.add("--open", open_, "Start the desktop's browser").in("Page");
    list.add("--root", root_, "The page may list and open traces below this folder")
        .takes("DIR")
        .in("Page");
    list.add("--view", view_, "The address opens this: 0/flame?w=bytes").takes("STATE").in("Page");
    list.add("--ui-dir", page_folder_, "The page's files are in this folder")
        .takes("DIR")
        .in("Page");
    store_.add_to(list);
    edge_.add_to(list);
    objects_.add_to(list);
  }
  int run(Session& session) override {
    if (files_.empty() && !store_.link())
      return session.fail_usage("which trace? Name a FILE, or a store with --store URL");
    if (edge_.is_told() && !asks_store())
      return session.fail_usage("--token-file is for moments of a store: say --store URL, too");
    if (files_.size() > 1 && !index_.folder.empty())
      return session.fail_usage("--index is that of one file");
    if (port_ > kMostPort) return session.fail_usage("--port is a number from 0 to 65535");
    return serve(session);
  }

 private:
  // What the environment says of a store counts where nothing else is to be shown.
  bool asks_store() const { return store_.is_told() || files_.empty(); }

  base::result<std::optional<server::FleetOffer>> fleet() const {
    if (!asks_store()) return std::nullopt;
    auto link = store_.link();
    if (!link) return base::Unexpected(link.error());
    if (const auto known = warehouse::Link::open(*link); !known)
      return base::Unexpected(known.error());
    server::FleetOffer offer{.store = std::move(*link)};
    if (objects_.is_told()) {
      // A key that cannot be read is told now.
      if (const auto known = warehouse::Objects::open(objects_.objects()); !known)
        return base::Unexpected(known.error());
      offer.objects = objects_.objects();
    }
    if (!edge_.is_told()) return offer;
    auto edge = edge_.edge();
    if (!edge) return base::Unexpected(edge.error());
    offer.edge = std::move(*edge);
    return offer;
  }
  int serve(Session& session) {
    take_time_to_end();
    auto offer = fleet();
    if (!offer) return session.fail(offer.error());
    server::Options options{.files = files_,
                            .port = static_cast<std::uint16_t>(port_),
                            .root = root_,
                            .page_folder = page_folder_,
                            .index = index_,
                            .fleet = std::move(*offer)};
    bool failed = false;
    const auto tell_failed = [&](const server::Failed& one) {
      failed = true;
      session.fail(one.error, one.file);
    };
    const auto served = server::serve(options, stop_asked(), tell_failed,
                                      [&](const server::Started& at) { tell(session, at); });
    if (served) return 0;
    return failed ? base::describe(served.error().code).exit : session.fail(served.error());
  }
  void tell(Session& session, const server::Started& at) const {
    const std::string url = view_.empty() ? at.url : at.url + "/" + view_;
    std::string& out = session.out().text();
    if (session.common.json) write_started(out, url, at.port);
    else out += url + '\n';
    session.out().flush();
    if (open_) open_browser(url);
  }

  std::vector<std::string> files_;
  service::IndexOptions index_;
  StoreOptions store_;
  EdgeOptions edge_;
  ObjectOptions objects_;
  std::uint64_t port_ = 0;
  std::string root_;
  std::string view_;
  std::string page_folder_;
  bool open_ = false;
};

}  // namespace

std::unique_ptr<Command> make_ui() { return std::make_unique<Ui>(); }

}  // namespace polytrace::cli
