// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/code/instrument.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "agent/jvm/code/class_decision.hpp"
#include "agent/jvm/code/left_out.hpp"
#include "agent/jvm/code/stacks.hpp"
#include "agent/jvm/facts/classes.hpp"
#include "agent/jvm/facts/names.hpp"
#include "agent/jvm/facts/registry.hpp"

namespace polytrace::agent::jvm {

namespace {

constexpr std::size_t kBatch = 50;  // longer ones stop the program for too long
constexpr std::string_view kRefused = "refused by the VM";
constexpr jint kLocalRefs = 65'000;  // of all loaded classes; the most the VM takes

constinit std::atomic<const Plan*> g_plan{nullptr};
// The hook runs on many threads; what it counts is told at the end.
constinit std::array<std::atomic<std::uint64_t>, rewriter::kReasons> g_methods{};
constinit std::array<std::atomic<std::uint64_t>, rewriter::kReasons> g_classes{};
constinit std::atomic<std::uint64_t> g_without_handler{0};
constinit std::atomic<std::uint64_t> g_refused{0};

void count(const rewriter::Outcome& outcome) {
  g_classes[static_cast<std::size_t>(outcome.reason)].fetch_add(1, std::memory_order_relaxed);
  g_without_handler.fetch_add(outcome.without_handler, std::memory_order_relaxed);
  for (std::size_t i = 0; i < rewriter::kReasons; ++i)
    if (outcome.methods[i] != 0)
      g_methods[i].fetch_add(outcome.methods[i], std::memory_order_relaxed);
}

// The filters do not decide about a class whose file cannot be read.
bool is_unreadable(rewriter::Reason reason) {
  using rewriter::Reason;
  return reason == Reason::not_a_class_file || reason == Reason::version_unknown ||
         reason == Reason::class_malformed;
}

bool is_left_out(const Plan& plan, const char* name) {
  if (name == nullptr) return false;
  const std::string dots = dotted(name);
  return !may_be_touched(dots) || plan.filters.verdict(dots) == Verdict::none;
}

// Whether the class's running code and the plan may disagree.
bool needs_another(JNIEnv* env, jclass type, const Plan* plan, const Plan* before) {
  jboolean modifiable = JNI_FALSE;
  if (!ok(vm().ti->IsModifiableClass(type, &modifiable)) || modifiable == JNI_FALSE) return false;
  const std::string name = name_of_class(type);
  const Verdict now =
      plan != nullptr && may_be_touched(name) ? plan->filters.verdict(name) : Verdict::none;
  const bool as_before = before != nullptr && before->filters.verdict(name) == now;
  if (now == Verdict::all) return !as_before;
  if (now == Verdict::some) return true;
  jobject object = nullptr;
  vm().ti->GetClassLoader(type, &object);
  const Local<jobject> loader(env, object);
  const std::uint32_t known = Registry::the().known_class(number_of_loader(env, object), name);
  return known != 0 && Registry::the().is_rewritten(known);
}

void tell_refused(std::string_view name) {
  const Plan* const plan = g_plan.load(std::memory_order_acquire);
  if (plan != nullptr && plan->filters.verdict(name) != Verdict::none)
    tell_class_left_out(*plan, name, kRefused);
}

// A class that the VM refuses makes it refuse all that come with it: halve until it is alone.
void retransform(std::span<const jclass> classes, Retransformed& done) {
  if (classes.empty()) return;
  if (ok(vm().ti->RetransformClasses(static_cast<jint>(classes.size()), classes.data()))) {
    done.classes += static_cast<std::uint32_t>(classes.size());
    return;
  }
  if (classes.size() == 1) {
    ++done.refused;
    tell_refused(name_of_class(classes.front()));
    return;
  }
  const std::size_t half = classes.size() / 2;
  retransform(classes.first(half), done);
  retransform(classes.subspan(half), done);
}

}  // namespace

void set_plan(const Plan* plan) { g_plan.store(plan, std::memory_order_release); }

Retransformed retransform_loaded(JNIEnv* env, const Plan* before) {
  Retransformed done;
  if (!vm().can_retransform) return done;
  const LocalFrame frame(env, kLocalRefs);
  jint count = 0;
  TiMemory<jclass> loaded;
  if (!ok(vm().ti->GetLoadedClasses(&count, loaded.out()))) return done;
  const Plan* const plan = g_plan.load(std::memory_order_acquire);
  std::vector<jclass> wanted;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    if (needs_another(env, loaded[i], plan, before)) wanted.push_back(loaded[i]);
  for (std::size_t at = 0; at < wanted.size(); at += kBatch)
    retransform(std::span(wanted).subspan(at, std::min(kBatch, wanted.size() - at)), done);
  g_refused.fetch_add(done.refused, std::memory_order_relaxed);
  forget_methods();  // their code has moved
  return done;
}

void on_class_file(jvmtiEnv* ti, JNIEnv* env, jclass redefined, jobject loader, const char* name,
                   jobject, jint size, const unsigned char* bytes, jint* new_size,
                   unsigned char** new_bytes) {
  const Plan* const plan = g_plan.load(std::memory_order_acquire);
  if (plan == nullptr && redefined == nullptr) return;
  const bool left_out = plan == nullptr || is_left_out(*plan, name);
  if (left_out && redefined == nullptr) return;
  const std::uint64_t loader_number = number_of_loader(env, loader);
  if (left_out) {
    if (name == nullptr) return;
    const std::uint32_t known = Registry::the().known_class(loader_number, dotted(name));
    if (known != 0) Registry::the().set_rewritten(known, false);
    return;
  }
  ClassDecision decision(*plan, loader_number);
  const rewriter::Outcome outcome =
      rewriter::rewrite({bytes, static_cast<std::size_t>(size)}, decision);
  count(outcome);
  if (name != nullptr && is_unreadable(outcome.reason))
    tell_class_left_out(*plan, dotted(name), rewriter::sentence_of(outcome.reason));
  const bool rewritten = outcome.reason == rewriter::Reason::none &&
                         ok(ti->Allocate(static_cast<jlong>(outcome.bytes.size()), new_bytes));
  if (decision.class_id() != 0) Registry::the().set_rewritten(decision.class_id(), rewritten);
  if (!rewritten) return;
  std::memcpy(*new_bytes, outcome.bytes.data(), outcome.bytes.size());
  *new_size = static_cast<jint>(outcome.bytes.size());
}

namespace {

void tell_count(std::string_view what, std::uint64_t count, std::string_view reason) {
  if (count == 0) return;
  const std::string key = "jvm." + std::string(what) + ": " + std::string(reason);
  const std::string value = std::to_string(count);
  define(event::Setting{.key = key, .value = value}, base::kNoId);
}

}  // namespace

std::vector<std::pair<const char*, std::uint64_t>> rewriting_figures() {
  const auto all_of = [](const auto& counts) {
    std::uint64_t sum = 0;
    for (const auto& count : counts) sum += count.load(std::memory_order_relaxed);
    return sum;
  };
  const std::uint64_t classes = g_classes[0].load(std::memory_order_relaxed);
  const std::uint64_t methods = g_methods[0].load(std::memory_order_relaxed);
  return {{"classes.rewritten", classes},
          {"classes.left_alone", all_of(g_classes) - classes},
          {"classes.refused", g_refused.load(std::memory_order_relaxed)},
          {"methods.rewritten", methods},
          {"methods.left_alone", all_of(g_methods) - methods}};
}

void tell_counts() {
  for (std::size_t i = 0; i < rewriter::kReasons; ++i) {
    const std::string_view reason = rewriter::sentence_of(static_cast<rewriter::Reason>(i));
    tell_count("classes", g_classes[i].load(std::memory_order_relaxed), reason);
    tell_count("methods", g_methods[i].load(std::memory_order_relaxed), reason);
  }
  tell_count("methods", g_without_handler.load(std::memory_order_relaxed),
             "rewritten without a handler for exceptions");
  tell_count("classes", g_refused.load(std::memory_order_relaxed), kRefused);
}

}  // namespace polytrace::agent::jvm
