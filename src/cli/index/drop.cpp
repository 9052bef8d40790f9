// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/index/index_view.hpp"
#include "cli/options/trace_options.hpp"

namespace polytrace::cli {
namespace {

class IndexDrop final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "index-drop",
        "[OPTIONS] FILE... | --all",
        "Removes the indexes of these traces, or all of the cache. A FILE may be the folder of an "
        "index, too, as \"index list --json\" tells it. What another program uses or builds "
        "stays. The traces are not touched.",
        {{"of one trace", "polytrace index drop app.mlpd"},
         {"everything", "polytrace index drop --all"}},
        {0, 1, 2},
        "docs/index.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    list.add("FILE", files_, "The traces, or folders of indexes").takes("FILE...").in("Input");
    add_index_place(list, folder_);
    list.add("--all", all_, "All indexes of the cache").in("Input");
  }
  int run(Session& session) override {
    if (all_ == !files_.empty()) return session.fail_usage("name traces, or give --all alone");
    if (!folder_.empty() && files_.size() != 1)
      return session.fail_usage("--index is that of one file");
    return all_ ? drop_all(session) : drop_some(session);
  }

 private:
  int drop_all(Session& session) {
    const auto dropped = service::drop_all_indexes();
    if (!dropped) return session.fail(dropped.error());
    tell(session, *dropped);
    return 0;
  }
  int drop_some(Session& session) {
    service::Dropped dropped;
    int code = 0;
    for (const std::string& file : files_) {
      auto one = service::drop_index(file, folder_);
      if (one) dropped.gone.push_back(std::move(*one));
      else code = std::max(code, session.refuse(one.error()));
    }
    tell(session, dropped);
    return code;
  }
  static void tell(Session& session, const service::Dropped& dropped) {
    std::string& out = session.out().text();
    if (session.common.json) out += service::dropped_json(dropped);
    else append_dropped(out, dropped, session.look());
  }

  std::vector<std::string> files_;
  std::string folder_;
  bool all_ = false;
};

}  // namespace

std::unique_ptr<Command> make_index_drop() { return std::make_unique<IndexDrop>(); }

}  // namespace polytrace::cli
