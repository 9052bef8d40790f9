// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/rewriter.hpp"

#include "agent/jvm/rewriter/methods.hpp"

namespace polytrace::agent::jvm::rewriter {

namespace {

constexpr std::uint32_t kMagic = 0xcafebabe;
constexpr std::uint16_t kOldestVersion = 45;
constexpr std::uint16_t kNewestVersion = 69;  // JDK 25
constexpr std::size_t kVersionEnd = 8;
constexpr std::size_t kSlack = 1024;

// Reads from the access flags up to the interfaces.
bool parse_facts(Input& input, const Constants& constants, ClassFacts& facts) {
  facts.access = input.u2();
  facts.name = constants.class_name(input.u2());
  facts.super = constants.class_name(input.u2());
  for (std::size_t left = input.u2(); left > 0 && input.ok(); --left)
    facts.interfaces.push_back(constants.class_name(input.u2()));
  return input.ok() && !facts.name.empty();
}

// Skips fields or methods, their count first.
bool skip_members(Input& input) {
  for (std::size_t left = input.u2(); left > 0; --left) {
    input.take(6);
    const std::uint16_t attributes = input.u2();
    if (!input.ok() || !each_attribute(input, attributes, [](auto, View) { return true; }))
      return false;
  }
  return input.ok();
}

// Reads the rest of the file, from the methods on, for the name of the source file.
bool find_source(Input input, const Constants& constants, ClassFacts& facts) {
  if (!skip_members(input)) return false;
  const auto look = [&](std::uint16_t name, View body) {
    if (constants.utf8(name) == "SourceFile" && body.size() == 2)
      facts.source = constants.utf8(load_u2(body, 0));
    return true;
  };
  const std::uint16_t attributes = input.u2();
  return each_attribute(input, attributes, look) && input.done();
}

Reason rewrite_methods(ClassWork& work, Input& input, Output& output) {
  const std::uint16_t count = input.u2();
  output.u2(count);
  for (std::size_t i = 0; i < count; ++i)
    if (!rewrite_method(work, input, output)) return Reason::class_malformed;
  const std::size_t rewritten = work.outcome.methods[static_cast<std::size_t>(Reason::none)];
  return rewritten == 0 ? Reason::nothing_to_do : Reason::none;
}

Reason rewrite_class(View file, ClassWork& work) {
  Input input(file);
  if (input.u4() != kMagic) return Reason::not_a_class_file;
  input.u2();
  work.facts.version = input.u2();
  if (!input.ok()) return Reason::not_a_class_file;
  if (work.facts.version < kOldestVersion || work.facts.version > kNewestVersion)
    return Reason::version_unknown;
  if (!work.constants.parse(file, input)) return Reason::class_malformed;
  const std::size_t start = input.at();
  if (!parse_facts(input, work.constants, work.facts) || !skip_members(input))
    return Reason::class_malformed;
  if (work.facts.name == kProbeClass || work.facts.name == "java/lang/Object")
    return Reason::excluded;
  if (!find_source(input, work.constants, work.facts)) return Reason::class_malformed;
  if (!work.judge.wants(work.facts)) return Reason::class_not_chosen;

  Output rest;
  rest.reserve(file.size() + file.size() / 4);
  rest.append(input.since(start));
  const Reason reason = rewrite_methods(work, input, rest);
  if (reason != Reason::none) return reason;
  rest.append(input.take(input.left()));
  Output whole;
  whole.reserve(kVersionEnd + kSlack + start + rest.size());
  whole.append(file.first(kVersionEnd));
  work.constants.write(whole);
  whole.append(rest.view());
  work.outcome.bytes = std::move(whole.bytes());
  return Reason::none;
}

}  // namespace

std::string_view sentence_of(Reason reason) {
  static constexpr std::array<std::string_view, kReasons> kSentences = {
#define REASON(identifier, sentence) sentence,
#include "agent/jvm/rewriter/reasons.def"
#undef REASON
  };
  return kSentences[static_cast<std::size_t>(reason)];
}

Outcome rewrite(View class_file, Judge& judge) {
  Outcome outcome;
  ClassWork work{.facts = {}, .constants = {}, .judge = judge, .outcome = outcome};
  outcome.reason = rewrite_class(class_file, work);
  return outcome;
}

}  // namespace polytrace::agent::jvm::rewriter
