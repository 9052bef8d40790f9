// SPDX-License-Identifier: Apache-2.0
// Any bytes as a class file: the rewriter survives, and what it makes is a class file with the same
// methods, which it can rewrite again.
#include <string>
#include <vector>

#include "agent/jvm/rewriter/rewriter.hpp"
#include "support/require.hpp"

namespace {

using namespace polytrace::agent::jvm::rewriter;

// Numbers that need every form of pushing them; some methods get no probes, some no sites.
class AnyMethod final : public Judge {
 public:
  explicit AnyMethod(std::uint32_t seed) : next_(seed) {}

  std::vector<std::string> methods;

  bool wants(const ClassFacts& facts) override { return !facts.name.empty(); }
  Decision decide(const MethodFacts& facts) override {
    methods.emplace_back(facts.name).append(facts.descriptor);
    const std::uint32_t number = next() % 5 == 0 ? 0 : next() % (1U << 17);
    return {number, next() % 3 != 0};
  }
  std::uint32_t site(const MethodFacts&, const SiteFacts& facts) override {
    return static_cast<std::uint32_t>(facts.class_name.size()) + next() % (1U << 17);
  }
  void left_alone(const MethodFacts&, Reason reason) override {
    polytrace::fuzz::require(reason != Reason::none && !sentence_of(reason).empty());
  }

 private:
  std::uint32_t next() { return next_ = next_ * 1664525U + 1013904223U; }

  std::uint32_t next_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::uint32_t seed = size == 0 ? 0 : data[size - 1] + data[size / 2] * 256U;
  AnyMethod first(seed);
  const Outcome outcome = rewrite({data, size}, first);
  polytrace::fuzz::require(outcome.bytes.empty() == (outcome.reason != Reason::none));
  if (outcome.reason != Reason::none) return 0;
  AnyMethod second(seed + 1);
  const Outcome again = rewrite(outcome.bytes, second);
  polytrace::fuzz::require(again.reason == Reason::none || again.reason == Reason::nothing_to_do);
  polytrace::fuzz::require(first.methods == second.methods);
  return 0;
}
