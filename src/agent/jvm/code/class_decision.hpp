// SPDX-License-Identifier: Apache-2.0
// Judges one class for the rewriter by the plan, and defines what gets probes before any code of it
// can run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/common/record/recorder.hpp"
#include "agent/jvm/facts/settings.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"

namespace polytrace::agent::jvm {

class ClassDecision final : public rewriter::Judge {
 public:
  // `loader` by its number.
  ClassDecision(const Plan& plan, std::uint64_t loader) : plan_(plan), loader_(loader) {}

  bool wants(const rewriter::ClassFacts& facts) override;
  rewriter::Decision decide(const rewriter::MethodFacts& facts) override;
  std::uint32_t site(const rewriter::MethodFacts& method,
                     const rewriter::SiteFacts& facts) override;
  void left_out(const rewriter::MethodFacts& facts, rewriter::Part part,
                rewriter::Reason reason) override;

  // Valid after wants() was asked; 0: none.
  std::uint32_t class_id() const { return class_id_; }

 private:
  bool chosen(const rewriter::MethodFacts& facts) const;
  void define_class();
  event::Method details_of(const rewriter::MethodFacts& facts) const;

  const Plan& plan_;
  std::uint64_t loader_;
  const rewriter::ClassFacts* type_ = nullptr;
  std::string name_;
  std::uint32_t class_id_ = 0;
};

// Whether a class may get probes at all: some would harm the VM, whatever the user says.
bool may_be_touched(std::string_view dotted_name);

}  // namespace polytrace::agent::jvm
