// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/index/index_view.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

class IndexBuild final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "index-build",
        "[OPTIONS] FILE...",
        "Reads each trace once and writes its index, or says that a current one is there. A "
        "damaged trace has an index of what could be read of it. In the cache, indexes that were "
        "used least recently make room for it.\n\n"
        "The trace must be a file: a stream has to be saved first. One that still grows is "
        "followed until Ctrl-C; what is in its index meanwhile, index info tells.",
        {{"before many questions", "polytrace index build app.mlpd"},
         {"to a place of its own", "polytrace index build --index app.index app.mlpd"},
         {"while it is recorded", "polytrace index build --follow app.mlpd"}},
        {0, 1, 2, 3, 4, 6, 130},
        "docs/index.md"};
    return kHelp;
  }
  void define(OptionList& list) override {
    list.add("FILE", files_, "The traces. gzip and zstd are unpacked")
        .takes("FILE...")
        .required()
        .in("Input");
    add_index_place(list, folder_);
    add_following(list, follow_);
  }
  int run(Session& session) override {
    if (files_.size() > 1 && !folder_.empty())
      return session.fail_usage("--index is that of one file");
    if (files_.size() > 1 && follow_) return session.fail_usage("--follow is for one file");
    std::vector<service::BuiltIndex> all;
    int code = 0;
    for (const std::string& file : files_) {
      code = std::max(code, build(session, file, all));
      if (session.asking().is_stopped()) break;
    }
    if (session.common.json) session.out().text() += service::index_json(all);
    return code;
  }

 private:
  int build(Session& session, const std::string& file, std::vector<service::BuiltIndex>& all) {
    service::InputOptions options{.file = file, .follow = follow_};
    options.index.folder = folder_;
    const service::Input input(std::move(options), session.asking());
    auto built = service::build_index(input);
    if (!built) return session.refuse(built.error());
    if (built->replaced) session.detail(notice_text(*built->replaced));
    tell_notices(session, built->reading);
    const int code = conclude(session, built->reading);
    if (!session.common.json) tell(session, *built);
    all.push_back(std::move(*built));
    return code;
  }
  static void tell(Session& session, const service::BuiltIndex& built) {
    std::string& out = session.out().text();
    append_headline(out, built.account);
    if (built.was_current) out += "  it was there and is current: nothing was done\n";
    if (!built.written) out += "  NOT complete, so nothing uses it: the next build begins anew\n";
    if (built.evicted != 0)
      out += fmt::format("  {} made room for it\n",
                         base::count_text(built.evicted, "older index", "older indexes"));
    session.out().flush();
  }

  std::vector<std::string> files_;
  std::string folder_;
  bool follow_ = false;
};

}  // namespace

std::unique_ptr<Command> make_index_build() { return std::make_unique<IndexBuild>(); }

}  // namespace polytrace::cli
