// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/conversion_view.hpp"

#include <fmt/format.h>

#include "base/text/figure_text.hpp"
#include "cli/frame/notices_view.hpp"
#include "cli/show/text_room.hpp"

namespace polytrace::cli {
namespace {

std::string lost_text(const service::Conversion& done) {
  const auto line = [&](std::string_view what, std::uint64_t count) {
    return fmt::format("\n    {:<24} {}", what, base::count_text(count));
  };
  std::string text;
  if (done.events_lost() != 0)
    text += fmt::format("\n  events lost, since the target cannot hold them: {}",
                        base::count_text(done.events_lost()));
  for (std::size_t i = 0; i < done.loss.events.size(); ++i) {
    const auto kind = static_cast<event::Kind>(i);
    if (done.loss.events[i] != 0) text += line(event::describe(kind).name, done.loss.events[i]);
  }
  if (!done.loss.fields.empty())
    text += fmt::format("\n  fields lost of {} that were written:", done.unit);
  for (const auto& [name, count] : done.loss.fields) text += line(name, count);
  return text;
}

std::string told_text(const service::Conversion& done) {
  std::string_view name = "standard output";
  if (done.output != "-") name = done.output;
  return fmt::format("{}: {} version {}, {} {}{}", printable(name), done.target.format->name,
                     done.target.write.version, base::count_text(done.kept()), done.unit,
                     done.written ? "" : "; NOT written") +
         lost_text(done);
}

// The result, unless the trace itself goes there.
void tell(Session& session, const service::Conversion& done) {
  tell_notices(session, done.reading);
  if (!session.common.json) session.remark(told_text(done));
  else if (done.output == "-") print(convert_json(done));
  else session.out().text() += convert_json(done);
}

}  // namespace

int tell_conversion(Session& session, const service::Asked<service::Conversion>& done,
                    bool strict) {
  if (!done) return session.refuse(done.error());
  tell(session, *done);
  const int code = conclude(session, done->reading);
  return code == 0 && strict && done->loss.total() != 0 ? kCheckFailed : code;
}

void add_output_options(OptionList& list, service::TargetOptions& options) {
  list.add("-o,--output", options.output, "The file to write; - is standard output")
      .takes("FILE")
      .required()
      .in("Output");
  list.add("--byte-order", options.byte_order,
           "Of formats that have both: big or little (default: as the input if it is of the "
           "same format, else little)")
      .takes("ORDER")
      .one_of({"big", "little"})
      .in("Output");
  list.add("-f,--force", options.force, "Replace an existing file").in("Output");
}

void add_conversion_options(OptionList& list, service::InputOptions& input,
                            service::TargetOptions& target, const char* to) {
  list.add("--strict", input.strict,
           "Write nothing if the input has a problem (exit code 4) or the target cannot hold "
           "everything (5)")
      .in("Input");
  list.add(to, target.to,
           "The format to write, as polytrace formats names it (default: by the output's "
           "ending, else the input's own)")
      .takes("FORMAT[:VERSION]")
      .in("Output");
  list.add("--to-version,--dialect", target.to_version,
           "The version or dialect of the format to write (default: the first one that polytrace "
           "formats lists)")
      .takes("VERSION")
      .in("Output");
  add_output_options(list, target);
}

}  // namespace polytrace::cli
