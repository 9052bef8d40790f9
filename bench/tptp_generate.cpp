// SPDX-License-Identifier: Apache-2.0
// Makes a TBF stream of method calls as a profiler would write them: a call graph of 2,000 methods
// in 200 classes, walked by four threads. usage: tptp_generate MILLIONS_OF_CALLS OUTPUT
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "format/tptp/tbf/messages.hpp"

namespace {

using namespace polytrace::format::tptp;
namespace base = polytrace::base;

constexpr unsigned kClasses = 200;
constexpr unsigned kMethods = 2000;
constexpr unsigned kThreads = 4;
constexpr std::size_t kDeepest = 40;

class Generator {
 public:
  explicit Generator(TbfMessageWriter& out) : out_(out) {}

  bool define() {
    for (unsigned i = 1; i <= kThreads; ++i) {
      using F = field::ThreadStart;
      begin(F::kId);
      message_.set_number(F::thread_id, i);
      message_.set_number(F::time, time_);
      message_.set_text(F::thread_name, message_.keep(fmt::format("worker-{}", i)));
      if (!put()) return false;
    }
    for (unsigned i = 1; i <= kClasses; ++i) {
      using F = field::ClassDef;
      begin(F::kId);
      message_.set_number(F::time, time_);
      message_.set_number(F::class_id, i);
      message_.set_text(F::name, message_.keep(fmt::format("com.example.shop.Class{}", i)));
      message_.set_text(F::source_name, message_.keep(fmt::format("Class{}.java", i)));
      if (!put()) return false;
    }
    for (unsigned i = 1; i <= kMethods; ++i) {
      using F = field::MethodDef;
      begin(F::kId);
      message_.set_text(F::name, message_.keep(fmt::format("operation{}", i)));
      message_.set_text(F::signature, "(Ljava/lang/String;I)V");
      message_.set_number(F::class_id_ref, class_of(i));
      message_.set_number(F::method_id, i);
      if (!put()) return false;
    }
    return true;
  }

  // One entry or exit of the thread whose turn it is.
  bool step() {
    if (random_() % 64 == 0) thread_ = random_() % kThreads;
    auto& stack = stacks_[thread_];
    time_ += 40 + static_cast<std::int64_t>(random_() % 120);
    const bool enter = stack.empty() || (stack.size() < kDeepest && random_() % 2 == 0);
    return enter ? step_in(stack) : step_out(stack);
  }

 private:
  struct Call {
    std::int64_t method;
    std::int64_t began;
    std::int64_t ticket;
  };

  static std::int64_t class_of(std::int64_t method) { return method % kClasses + 1; }

  bool step_in(std::vector<Call>& stack) {
    using F = field::MethodEntry;
    const std::int64_t caller = stack.empty() ? 0 : stack.back().method;
    const auto callee = (caller * 31 + 7 + static_cast<std::int64_t>(random_() % 5)) % kMethods + 1;
    stack.push_back({callee, time_, ++tickets_});
    begin(F::kId);
    message_.set_number(F::thread_id_ref, thread_ + 1);
    message_.set_number(F::time, time_);
    message_.set_number(F::method_id_ref, callee);
    message_.set_number(F::ticket, tickets_);
    message_.set_number(F::class_id_ref, class_of(callee));
    message_.set_number(F::stack_depth, static_cast<std::int64_t>(stack.size()));
    return put();
  }
  bool step_out(std::vector<Call>& stack) {
    using F = field::MethodExit;
    const Call call = stack.back();
    stack.pop_back();
    begin(F::kId);
    message_.set_number(F::thread_id_ref, thread_ + 1);
    message_.set_number(F::time, time_);
    message_.set_number(F::ticket, call.ticket);
    message_.set_number(F::thread_cpu_time, time_ - call.began);
    message_.set_number(F::method_id_ref, call.method);
    message_.set_number(F::class_id_ref, class_of(call.method));
    return put();
  }
  void begin(std::uint16_t id) { message_.reset(*find_message(id)); }
  bool put() { return out_.write(message_).has_value(); }

  TbfMessageWriter& out_;
  Message message_;
  std::mt19937_64 random_{1};  // NOLINT: the same stream every time
  std::int64_t time_ = 1'600'000'000'000'000'000;
  std::int64_t tickets_ = 0;
  unsigned thread_ = 0;
  std::vector<Call> stacks_[kThreads];
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) return fmt::print(stderr, "usage: tptp_generate MILLIONS OUTPUT\n"), 2;
  auto sink = base::create_sink(words[2], true);
  if (!sink) return fmt::print(stderr, "{}\n", base::to_text(sink.error())), 1;
  constexpr std::uint8_t kPlatform64 = 1;
  TbfMessageWriter out(std::move(*sink), ByteOrder::little, kPlatform64);
  Generator generator(out);
  bool good = generator.define();
  const auto steps = static_cast<std::uint64_t>(2e6 * std::strtod(words[1], nullptr));
  for (std::uint64_t i = 0; i < steps && good; ++i) good = generator.step();
  return good && out.finish() ? 0 : 1;
}
