// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/index/index_view.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

class IndexVerify final : public Command {
 public:
  const CommandHelp& help() const override {
    static const CommandHelp kHelp{
        "index-verify",
        "[OPTIONS] FILE",
        "Tests the checksums of page 0, of the directory and of every frame. With --full also "
        "whether the index is of the trace as it is now: by its size, times and place, and by a "
        "hash "
        "of all of it if these are not as they were.",
        {{"one index", "polytrace index verify app.mlpd"},
         {"of exactly this trace?", "polytrace index verify --full --index app.index app.mlpd"}},
        {0, 1, 2, 5},
        "docs/index.md, docs/formats/index.md"};
    return kHelp;
  }
  CommonNeeds needs() const override { return {true, false}; }
  void define(OptionList& list) override {
    add_index_subject(list, subject_);
    list.add("--full", full_, "Also whether it is of the trace as it is now").in("Input");
  }
  int run(Session& session) override {
    using service::Verifying;
    const auto verified = service::verify_index(
        subject_.file, subject_.folder, full_ ? Verifying::source_too : Verifying::checksums);
    if (!verified) return session.refuse(verified.error());
    if (session.common.json) session.out().text() += service::verified_json(*verified);
    else append(session.out().text(), *verified);
    return verified->is_whole() ? 0 : kCheckFailed;
  }

 private:
  static void append(std::string& out, const service::VerifiedIndex& verified) {
    const std::string name = printable(verified.file);
    if (verified.broken.empty())
      out += fmt::format("{}: index is whole: {}, {}\n", name,
                         base::count_text(verified.frames, "frame", "frames"),
                         base::bytes_text(verified.bytes));
    else
      out += fmt::format("{}: index is damaged: {} of {} do not hold\n", name,
                         base::count_text(std::uint64_t{verified.broken.size()}),
                         base::count_text(verified.frames, "frame", "frames"));
    if (verified.is_current)
      out += *verified.is_current ? "  it is of the trace as it is now\n"
                                  : "  it is NOT of the trace as it is now\n";
    for (const service::BrokenPart& part : verified.broken)
      out += fmt::format("  {}: {}\n", part.frame, printable(base::to_text(part.error)));
  }

  IndexSubject subject_;
  bool full_ = false;
};

}  // namespace

std::unique_ptr<Command> make_index_verify() { return std::make_unique<IndexVerify>(); }

}  // namespace polytrace::cli
