// SPDX-License-Identifier: Apache-2.0
// Rewrites class files made by hand, and shows code as text so that expectations can be read.
#pragma once

#include <gmock/gmock.h>

#include "agent/jvm/class_maker.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"

namespace polytrace::agent::jvm::test {

using rewriter::Reason;

// Chooses every method, with ids from `next` on, and remembers what it was told.
class EveryMethod final : public rewriter::Judge {
 public:
  std::uint32_t next = 1;
  bool calls = true;
  bool sites = false;

  rewriter::ClassFacts type;
  std::vector<rewriter::MethodFacts> methods;
  std::vector<std::string> allocations;  // "class line index dimensions"
  std::vector<std::pair<rewriter::Part, Reason>> refused;

  bool wants(const rewriter::ClassFacts& facts) override {
    type = facts;
    return true;
  }
  rewriter::Decision decide(const rewriter::MethodFacts& facts) override {
    methods.push_back(facts);
    return {calls ? next++ : 0, sites};
  }
  std::uint32_t site(const rewriter::MethodFacts&, const rewriter::SiteFacts& facts) override {
    allocations.push_back(std::string(facts.class_name) + " line " + std::to_string(facts.line) +
                          " index " + std::to_string(facts.index) + " dimensions " +
                          std::to_string(facts.dimensions));
    return static_cast<std::uint32_t>(allocations.size());
  }
  void left_out(const rewriter::MethodFacts&, rewriter::Part part, Reason reason) override {
    refused.emplace_back(part, reason);
  }
};

inline EveryMethod from_id(std::uint32_t next) {
  EveryMethod judge;
  judge.next = next;
  return judge;
}

// Code in words: a call of a probe as "enter(7)", any other byte in hexadecimal.
std::string shown(const Bytes& code, const ClassReader& file);

// The method `run` of the class, made of `method` alone and rewritten.
struct Rewritten {
  Bytes original;  // what the facts point into
  EveryMethod judge;
  rewriter::Outcome outcome;

  ClassReader file() const { return ClassReader(outcome.bytes); }
  FoundMethod method() const { return file().methods().at(0); }
  std::string code() const { return shown(method().code, file()); }
};
Rewritten rewritten(ClassMaker& maker, const MadeMethod& method, EveryMethod judge = {});

// A method `run` without parameters.
MadeMethod run(Bytes code, std::uint16_t max_stack = 0);

}  // namespace polytrace::agent::jvm::test
