// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/code/class_decision.hpp"

#include <algorithm>

#include "agent/jvm/code/left_out.hpp"
#include "agent/jvm/code/sites.hpp"
#include "agent/jvm/facts/classes.hpp"
#include "agent/jvm/facts/names.hpp"
#include "agent/jvm/facts/registry.hpp"

namespace polytrace::agent::jvm {

namespace {

constexpr std::uint32_t kAccessorSize = 20;  // bytes of code below which a method may be one

// Code of the VM's own that switches threads: a call in its middle is not foreseen.
constexpr std::string_view kUntouchable[] = {
    "java.lang.Object", "java.lang.VirtualThread", "java.lang.ThreadContinuation",
    "jdk.internal.vm.Continuation", "java.lang.$TraceProbe"};

bool starts_with(std::string_view name, std::string_view type) {
  return name.starts_with(type) && (name.size() == type.size() || name[type.size()] == '$');
}

}  // namespace

bool may_be_touched(std::string_view dotted_name) {
  return std::ranges::none_of(
      kUntouchable, [&](std::string_view type) { return starts_with(dotted_name, type); });
}

bool ClassDecision::wants(const rewriter::ClassFacts& facts) {
  type_ = &facts;
  name_ = dotted(facts.name);
  if (!may_be_touched(name_) || plan_.filters.verdict(name_) == Verdict::none) return false;
  class_id_ = Registry::the().class_of(loader_, name_);
  if (class_id_ == 0) return false;
  define_class();
  return true;
}

void ClassDecision::define_class() {
  if (Registry::the().is_defined(class_id_)) return;
  const std::string super = dotted(type_->super);
  const std::string loader = name_of_loader(loader_);
  std::string interfaces;
  for (const std::string_view interface : type_->interfaces) {
    if (!interfaces.empty()) interfaces += ' ';
    interfaces += dotted(interface);
  }
  event::Class details;
  details.name = name_;
  details.super = super;
  details.interfaces = interfaces;
  details.source = type_->source;
  details.loader = loader;
  Registry::the().define_class(class_id_, details);
}

bool ClassDecision::chosen(const rewriter::MethodFacts& facts) const {
  if (facts.code_length < plan_.min_bytecode) return false;
  const bool accessor = facts.code_length < kAccessorSize && !facts.calls && !facts.loops;
  if (accessor && !plan_.accessors) return false;
  return plan_.filters.includes(name_, facts.name);
}

event::Method ClassDecision::details_of(const rewriter::MethodFacts& facts) const {
  event::Method details;
  details.name = facts.name;
  details.class_id = class_id_;
  details.signature = facts.descriptor;
  details.flags = facts.access;
  if (facts.first_line != 0) details.first_line = facts.first_line;
  if (facts.last_line != 0) details.last_line = facts.last_line;
  return details;
}

rewriter::Decision ClassDecision::decide(const rewriter::MethodFacts& facts) {
  rewriter::Decision decision;
  decision.sites = plan_.sites && plan_.filters.includes(name_, facts.name);
  if (plan_.calls && chosen(facts)) decision.method = Registry::the().method_of(details_of(facts));
  return decision;
}

void ClassDecision::left_out(const rewriter::MethodFacts& facts, rewriter::Part part,
                             rewriter::Reason reason) {
  const bool asked = part == rewriter::Part::calls ? plan_.calls : plan_.sites;
  if (!asked || !plan_.filters.includes(name_, facts.name)) return;
  tell_left_out(part, name_ + '.' + std::string(facts.name), reason);
}

std::uint32_t ClassDecision::site(const rewriter::MethodFacts& method,
                                  const rewriter::SiteFacts& facts) {
  const std::uint32_t number =
      Registry::the().next_sites(std::max<std::uint32_t>(facts.dimensions, 1));
  if (number == 0) return 0;
  Site site;
  site.number = number;
  site.method = Registry::the().method_of(details_of(method));
  site.byte_code = facts.index;
  if (facts.line != 0) site.line = facts.line;
  if (facts.dimensions != 0)
    return define_array_sites(site, facts.class_name, facts.dimensions) ? number : 0;
  const std::string allocated = dotted(facts.class_name);
  site.class_id = Registry::the().class_of(Registry::kAnyLoader, allocated);
  event::Class details;
  details.name = allocated;
  Registry::the().define_class(static_cast<std::uint32_t>(site.class_id), details);
  add_object_site(site, loader_, allocated);
  return number;
}

}  // namespace polytrace::agent::jvm
