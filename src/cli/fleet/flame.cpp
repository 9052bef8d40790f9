// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/codes.hpp"
#include "cli/convert/export_view.hpp"
#include "cli/fleet/fleet_options.hpp"
#include "exports/target.hpp"
#include "fleet/flame.hpp"
#include "service/convert/export_run.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::cli {
namespace {

// Those that hold sums by stack.
std::vector<std::string> profile_targets() {
  std::vector<std::string> names;
  for (const exports::Target& target : exports::targets())
    if (target.profile() != nullptr) names.emplace_back(target.name);
  return names;
}

class FleetFlame final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "fleet-flame",
        "[OPTIONS] -o OUTPUT",
        "Writes one HTML page with all it needs, as flame does of one trace, or a file of another "
        "tool. With --base the page compares: frames are blue where they became less and orange "
        "where they became more, in the same stretch of time.",
        {{"where time goes", "polytrace fleet flame --where service=shop -o shop.html"},
         {"what became slower",
          "polytrace fleet flame --base version=1 --where version=2 -o slower.html"},
         {"allocated bytes for pprof",
          "polytrace fleet flame --weight bytes --to pprof --last 6h -o shop.pb.gz"}},
        {0, 1, 2, 3, 4},
        "docs/fleet.md, docs/exports.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    store_.add_to(list);
    question_.add_to(list, "--until");
    list.add("--base", base_, "Compare with processes with such labels")
        .takes("CONDITION")
        .in("Selection");
    list.add("--weight", weight_, "What is added up")
        .one_of(service::weight_keys())
        .takes("WEIGHT")
        .shows_default()
        .in("Selection");
    list.add("--limit", limit_,
             "At most so many places in the tree of stacks, the lightest cut; 0 = all (default: "
             "what the readers of the target can open)")
        .takes("COUNT")
        .in("Selection");
    list.add("--depth", order_.depth, "At most so many frames of a stack, 0 = all")
        .takes("COUNT")
        .shows_default()
        .in("Selection");
    const char* group = "Output";
    list.add("--to", target_,
             fmt::format("A file of another tool instead of a page: {}",
                         fmt::join(profile_targets(), ", ")))
        .one_of(profile_targets())
        .takes("TARGET")
        .in(group);
    list.add("--svg", svg_, "A picture instead of a page").in(group);
    list.add("-o,--output", order_.file, "The file to write; - is standard output")
        .takes("FILE")
        .required()
        .in(group);
    list.add("-f,--force", order_.force, "Replace an existing file").in(group);
  }
  int run(Session& session) override {
    if (svg_ && !target_.empty()) return session.fail_usage("--svg and --to exclude each other");
    if (auto good = complete(); !good) return session.fail(good.error());
    auto question = question_.question();
    if (!question) return session.fail(question.error());
    auto store = store_.open();
    if (!store) return session.fail(store.error());
    auto answer = ask(*store, *question);
    if (!answer) return session.fail(answer.error());
    const std::string title = answer->account.where.empty() ? "fleet" : answer->account.where;
    const auto written = fleet::write_profile(std::move(answer->profile), title, order_);
    if (!written) return session.fail(written.error(), order_.file);
    answer->account.shards = store->shards();
    tell(session, answer->account, *written);
    return code_of(answer->account);
  }

 private:
  base::result<void> complete() {
    order_.target = svg_              ? &exports::flame_picture()
                    : target_.empty() ? &exports::flame_page()
                                      : exports::find_target(target_);
    if (limit_.empty()) return {};
    order_.limit = service::parse_number<std::uint64_t>(limit_);
    if (order_.limit) return {};
    return base::fail(base::Code::usage, fmt::format("--limit: \"{}\" is no count", limit_));
  }
  base::result<fleet::ProfileAnswer> ask(fleet::Store& store, const fleet::Question& question) {
    const analysis::Weight& weight = *analysis::find_weight(weight_);
    if (base_.empty()) return fleet::ask_profile(store, question, weight);
    auto where = fleet::parse_where(base_);
    if (!where) return base::Unexpected(where.error());
    fleet::Question before = question;
    before.where = std::move(*where);
    return fleet::ask_compared(store, before, question, weight);
  }
  void tell(Session& session, const fleet::Account& account, const exports::Result& written) const {
    if (!session.common.json) {
      session.remark(account_text(account));
      service::Exported done;
      done.written = true;
      done.outputs.push_back({order_.file, written});
      tell_outputs(session, done);
      return;
    }
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    json.member("schema", "polytrace.fleet-flame/1");
    fleet::write_account(json, account);
    json.member("file", order_.file);
    json.member("target", written.target->name);
    json.member("weight", written.weight->key);
    json.member("total", service::total_of(written));
    json.member("stacks", written.stacks);
    json.member("frames", written.frames);
    json.end_object();
    text += '\n';
    if (order_.file == "-") print(text);
    else session.out().text() += text;
  }

  StoreOptions store_;
  QuestionOptions question_;
  fleet::FlameOrder order_;
  std::string base_, target_, limit_;
  std::string weight_{analysis::weights().front().key};
  bool svg_ = false;
};

}  // namespace

std::unique_ptr<Command> make_fleet_flame() { return std::make_unique<FleetFlame>(); }

}  // namespace polytrace::cli
