// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/methods.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace polytrace::agent::jvm::rewriter {

namespace {

// newarray tells its kind of element by a number from 4 on.
constexpr std::array<std::string_view, 8> kPrimitiveArrays = {"[Z", "[C", "[F", "[D",
                                                              "[B", "[S", "[I", "[J"};
constexpr std::uint8_t kFirstPrimitive = 4;

struct Method {
  MethodFacts facts;
  std::uint16_t name_index = 0;
  std::uint16_t descriptor_index = 0;
  std::uint16_t attribute_count = 0;
  View attributes;  // behind their count
  std::uint16_t code_name = 0;
  View code;  // body of the Code attribute
  std::uint32_t codes = 0;
};

bool parse_method(const Constants& constants, Input& input, Method& method) {
  method.facts.access = input.u2();
  method.name_index = input.u2();
  method.descriptor_index = input.u2();
  method.facts.name = constants.utf8(method.name_index);
  method.facts.descriptor = constants.utf8(method.descriptor_index);
  method.attribute_count = input.u2();
  const std::size_t start = input.at();
  const auto keep_code = [&](std::uint16_t name, View body) {
    if (constants.utf8(name) != "Code") return true;
    method.code_name = name;
    method.code = body;
    ++method.codes;
    return true;
  };
  const bool whole = each_attribute(input, method.attribute_count, keep_code);
  method.attributes = input.since(start);
  return whole && !method.facts.name.empty() && method.facts.descriptor.starts_with('(');
}

// False when the code is no sequence of instructions.
bool survey(View code, MethodFacts& facts) {
  for (std::uint32_t at = 0; at < code.size();) {
    const Instruction instruction = instruction_at(code, at);
    if (instruction.length == 0) return false;
    facts.calls |= instruction.invokes();
    each_target(code, instruction,
                [&](std::int64_t target) { facts.loops |= target <= instruction.at; });
    at = instruction.end();
  }
  facts.code_length = static_cast<std::uint32_t>(code.size());
  return true;
}

void tell_lines(std::span<const Line> lines, MethodFacts& facts) {
  if (lines.empty()) return;
  const auto [first, last] = std::ranges::minmax(lines, {}, &Line::line);
  facts.first_line = first.line;
  facts.last_line = last.line;
}

std::string array_of(std::string_view element) {
  std::string name = element.starts_with('[') ? "[" : "[L";
  name += element;
  if (name[1] == 'L') name += ';';
  return name;
}

class SiteFinder {
 public:
  SiteFinder(ClassWork& work, const MethodFacts& method, const Code& code,
             std::span<const Line> lines)
      : work_(work), method_(method), code_(code.bytes), lines_(lines) {}

  std::vector<Probes::Tail> find() {
    for (std::uint32_t at = 0; at < code_.size();) {
      const Instruction instruction = instruction_at(code_, at);
      if (instruction.allocates()) ask(instruction);
      at = instruction.end();
    }
    return std::move(tails_);
  }

 private:
  void ask(const Instruction& instruction) {
    SiteFacts facts{{}, line_at(lines_, instruction.at), instruction.at, 0};
    const std::string name = name_of(instruction, facts);
    if (name.empty()) return;
    facts.class_name = name;
    const std::uint32_t id = work_.judge.site(method_, facts);
    if (id == 0 || id > INT32_MAX) return;
    tails_.push_back({instruction.at, call_of(facts.dimensions, id)});
  }

  Snippet call_of(std::uint8_t dimensions, std::uint32_t id) {
    if (dimensions == 0) return work_.snippets.site(id);
    return dimensions == 1 ? work_.snippets.array(id) : work_.snippets.grid(id);
  }

  // "" when the class file does not tell.
  std::string name_of(const Instruction& instruction, SiteFacts& facts) const {
    facts.dimensions = 1;
    if (instruction.opcode == kNewArray) {
      const std::size_t kind = std::size_t{code_[instruction.at + 1]} - kFirstPrimitive;
      return std::string(kind < kPrimitiveArrays.size() ? kPrimitiveArrays[kind] : "");
    }
    const std::string_view name = work_.constants.class_name(load_u2(code_, instruction.at + 1));
    if (instruction.opcode == kNewObjectArray) return name.empty() ? "" : array_of(name);
    facts.dimensions = instruction.opcode == kNew ? std::uint8_t{0} : code_[instruction.at + 3];
    return std::string(name);
  }

  ClassWork& work_;
  const MethodFacts& method_;
  View code_;
  std::span<const Line> lines_;
  std::vector<Probes::Tail> tails_;
};

// The probes that a method is to get. Of each part why it gets none; none: it gets them.
struct Wanted {
  Probes probes;
  Reason no_calls = Reason::method_not_chosen;
  Reason no_sites = Reason::method_not_chosen;
};

// Whether the entries of the pool were added that the last snippets need.
Reason room_in(Constants& constants) {
  const bool full = constants.full();
  constants.forget_full();
  return full ? Reason::constants_full : Reason::none;
}

Wanted wanted_probes(ClassWork& work, const Method& method, const Code& code,
                     std::span<const Line> lines) {
  const Decision decision = work.judge.decide(method.facts);
  Wanted wanted;
  work.constants.forget_full();
  if (decision.method != 0 && decision.method <= INT32_MAX) {
    wanted.probes.enter = work.snippets.enter(decision.method);
    wanted.probes.exit = work.snippets.exit(decision.method);
    wanted.probes.unwind = work.snippets.unwind(decision.method);
    wanted.no_calls = room_in(work.constants);
  }
  if (decision.sites) wanted.probes.tails = SiteFinder(work, method.facts, code, lines).find();
  if (!wanted.probes.tails.empty()) wanted.no_sites = room_in(work.constants);
  return wanted;
}

// Writes the method's body with calls and sites, else with calls, else with sites, and keeps in
// `wanted` what was left out.
void write_fitting(ClassWork& work, const MethodFacts& facts, const Code& code, Wanted& wanted,
                   Output& body) {
  const auto write = [&](const Probes& probes) {
    work.constants.forget_full();
    body.clear();
    return write_code(work, facts, code, probes, body);
  };
  const bool calls = wanted.no_calls == Reason::none, sites = wanted.no_sites == Reason::none;
  if (calls && sites) {
    wanted.no_sites = write(wanted.probes);
    if (wanted.no_sites == Reason::none) return;
  }
  if (calls) {
    wanted.no_calls = write({wanted.probes.enter, wanted.probes.exit, wanted.probes.unwind, {}});
    if (wanted.no_calls == Reason::none) return;
  }
  if (sites) wanted.no_sites = write({{}, {}, {}, wanted.probes.tails});
}

void tell_left_out(ClassWork& work, const MethodFacts& facts, Part part, Reason reason) {
  if (reason != Reason::none && reason != Reason::method_not_chosen)
    work.judge.left_out(facts, part, reason);
}

Reason malformed(ClassWork& work, const MethodFacts& facts) {
  for (const Part part : {Part::calls, Part::sites})
    work.judge.left_out(facts, part, Reason::code_malformed);
  return Reason::code_malformed;
}

// Writes the new body of the Code attribute to `body`; the reason not to.
Reason rewrite_body(ClassWork& work, Method& method, Output& body) {
  Code code;
  if (method.codes == 0) return Reason::without_code;
  if (method.codes > 1 || !parse_code(method.code, code) || !survey(code.bytes, method.facts))
    return malformed(work, method.facts);
  const std::vector<Line> lines = lines_of(code, work.constants);
  tell_lines(lines, method.facts);
  Wanted wanted = wanted_probes(work, method, code, lines);
  write_fitting(work, method.facts, code, wanted, body);
  tell_left_out(work, method.facts, Part::calls, wanted.no_calls);
  tell_left_out(work, method.facts, Part::sites, wanted.no_sites);
  return wanted.no_calls == Reason::method_not_chosen || wanted.no_sites == Reason::none
             ? wanted.no_sites
             : wanted.no_calls;
}

void write_method(const Method& method, View new_code, Output& output) {
  output.u2(method.facts.access);
  output.u2(method.name_index);
  output.u2(method.descriptor_index);
  output.u2(method.attribute_count);
  if (new_code.empty()) return output.append(method.attributes);
  Input input(method.attributes);
  each_attribute(input, method.attribute_count, [&](std::uint16_t name, View body) {
    const View kept = name == method.code_name ? new_code : body;
    output.u2(name);
    output.u4(kept.size());
    output.append(kept);
    return true;
  });
}

}  // namespace

bool rewrite_method(ClassWork& work, Input& input, Output& output) {
  Method method;
  if (!parse_method(work.constants, input, method)) return false;
  Output body;
  const Reason reason = rewrite_body(work, method, body);
  ++work.outcome.methods[static_cast<std::size_t>(reason)];
  write_method(method, reason == Reason::none ? body.view() : View{}, output);
  return true;
}

}  // namespace polytrace::agent::jvm::rewriter
