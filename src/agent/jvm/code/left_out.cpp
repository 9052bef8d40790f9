// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/code/left_out.hpp"

#include <mutex>
#include <set>
#include <string>

#include "agent/common/record/recorder.hpp"
#include "agent/common/runtime/introduction.hpp"
#include "event/missing.hpp"

namespace polytrace::agent::jvm {

namespace {

constexpr std::size_t kMostTold = 10'000;

struct Told {
  std::mutex mutex;
  std::set<std::string> texts;  // keys and values
};
Told& told() {
  static Told& told = *new Told;
  return told;
}

std::string_view prefix_of(rewriter::Part part) {
  return part == rewriter::Part::calls ? event::kCallsLeftOut : event::kAllocationsLeftOut;
}

void tell(rewriter::Part part, std::string_view what, std::string_view reason) {
  std::string key(prefix_of(part));
  key += reason;
  {
    const std::lock_guard guard(told().mutex);
    std::set<std::string>& texts = told().texts;
    if (texts.size() >= kMostTold || !texts.insert(key + '\n' + std::string(what)).second) return;
  }
  define_setting(key, what);
  Recorder::the().count_left_out();
}

}  // namespace

void forget_left_out() {
  const std::lock_guard guard(told().mutex);
  told().texts.clear();
}

void tell_left_out(rewriter::Part part, std::string_view method, rewriter::Reason reason) {
  tell(part, method, rewriter::sentence_of(reason));
}

void tell_class_left_out(const Plan& plan, std::string_view name, std::string_view reason) {
  const std::string all = std::string(name) + ".*";
  if (plan.calls) tell(rewriter::Part::calls, all, reason);
  if (plan.sites) tell(rewriter::Part::sites, all, reason);
}

}  // namespace polytrace::agent::jvm
