// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>
#include <vector>

#include "agent/coreclr/code/code.hpp"
#include "agent/coreclr/code/metadata.hpp"
#include "agent/coreclr/names/type_name.hpp"
#include "agent/coreclr/names/utf8.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/framework.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace detail {

PointerTable methods;
std::atomic<std::uint32_t> stream = 1;

}  // namespace detail

using detail::is_told;
using detail::key;
using detail::kNumber;
using detail::methods;
using detail::told;

namespace {

// In the table's own bits: whether calls are recorded.
constexpr std::uint64_t kNotWanted = std::uint64_t{1} << detail::kOwnShift;
constexpr std::uint64_t kWanted = std::uint64_t{2} << detail::kOwnShift;
constexpr std::uint64_t kVerdict = kNotWanted | kWanted;
using detail::kCoded;

constexpr std::uint32_t kMostTypeArguments = 16;
constexpr std::string_view kDynamicType = "<dynamic>";
constexpr std::uint32_t kRow = 0x00ffffff;  // of a token; 0 for what is in no table

constexpr std::uint32_t kUnmanaged = 0;
constexpr std::uint32_t kCompiler = 1;

// Under the lock of `methods`.
std::uint32_t g_last_method = kCompiler;
std::vector<Tenant> g_method_tenants;

std::uint32_t next_method_number() {
  constexpr auto kMost = static_cast<std::uint32_t>(kNumber);
  return g_last_method < kMost ? ++g_last_method : kMost;
}

// What the runtime tells of a function.
struct MethodFacts {
  RuntimeId type = 0;  // 0: instantiations share the code
  RuntimeId module = 0;
  std::uint32_t token = 0;
  std::string type_name;
  std::string name;  // with its arguments
  MethodText text;
  Homes homes{};
};

// Code that was made at run time has a name at best.
MethodFacts dynamic_facts(RuntimeId function) {
  constexpr std::uint32_t kRoom = 512;
  std::array<char16_t, kRoom> name{};
  std::uint32_t size = 0;
  MethodFacts facts;
  facts.type_name = kDynamicType;
  const bool known = ask(info::kGetDynamicFunctionInfo, function, &facts.module, nullptr, nullptr,
                         kRoom, &size, name.data());
  if (known && size > 1 && size <= kRoom) facts.name = utf8({name.data(), size - 1});
  else facts.name = kUnknownName;
  return facts;
}

MethodFacts facts_of(RuntimeId function) {
  MethodFacts facts;
  std::array<RuntimeId, kMostTypeArguments> types{};
  std::uint32_t count = 0;
  if (!ask(info::kGetFunctionInfo2, function, 0, &facts.type, &facts.module, &facts.token,
           kMostTypeArguments, &count, types.data()) ||
      (facts.token & kRow) == 0)
    return dynamic_facts(function);
  const Metadata metadata(facts.module);
  Metadata::MethodFacts method = metadata.method(facts.token);
  std::vector<std::string> arguments;
  for (std::uint32_t i = 0; i < count && i < kMostTypeArguments; ++i)
    arguments.push_back(class_name(types[i], facts.homes));
  facts.name = method.name + method_arguments(arguments);
  facts.text = std::move(method.text);
  facts.type_name = facts.type != 0 ? class_name(facts.type, facts.homes)
                                    : type_name(metadata.name_of(method.type), {});
  if (can_be_unloaded(facts.module)) facts.homes.push_back(facts.module);
  return facts;
}

// Filters know a method's bare name.
std::string_view bare(std::string_view name) { return name.substr(0, name.find('<', 1)); }

bool is_chosen(const MethodFacts& facts) {
  const Filters& filters = settings().common.filters;
  const std::string_view name = bare(facts.name);
  return is_of_framework(facts.module) ? filters.chosen(facts.type_name, name).value_or(false)
                                       : filters.includes(facts.type_name, name);
}

// REQUIRES: the lock.
void house(RuntimeId function, const Homes& homes) {
  for (const RuntimeId home : homes) g_method_tenants.push_back({home, function});
}

// Its number, and whether it was told now.
std::pair<std::uint32_t, bool> put(RuntimeId function, const event::Method& details,
                                   const Homes& homes) {
  const Locked locked(methods);
  const std::uint64_t known = methods.find(key(function));
  auto number = static_cast<std::uint32_t>(known & kNumber);
  if (is_told(known)) return {number, false};
  if (number == 0) number = next_method_number();
  methods.put(key(function), told(number, define(details, number)) | (known & kVerdict) |
                                 (details.code_size != 0 ? kCoded : 0));
  house(function, homes);
  return {number, true};
}

std::uint32_t tell(RuntimeId function, CodeRange code) {
  const MethodFacts facts = facts_of(function);
  const std::string name = facts.type_name + "::" + facts.name;
  event::Method details;
  details.name = name;
  if (facts.type != 0) details.class_id = class_facts(facts.type).number;
  details.returns = facts.text.returns;
  details.signature = facts.text.parameters;
  details.token = facts.token;
  details.module = facts.module;
  details.runtime_id = function;
  if (code.size != 0) {
    details.code = code.start;
    details.code_size = code.size;
  }
  const auto [number, is_new] = put(function, details, facts.homes);
  if (is_new && code.size != 0) tell_code(number, function);
  return number;
}

void remember(RuntimeId function, std::uint64_t verdict, const Homes& homes) {
  const Locked locked(methods);
  const std::uint64_t known = methods.find(key(function));
  const std::uint64_t number = (known & kNumber) != 0 ? known : next_method_number();
  methods.put(key(function), number | verdict);
  house(function, homes);
}

}  // namespace

std::uint32_t detail::tell_method(RuntimeId function) {
  return is_recording() ? tell(function, first_code(function)) : reserve_method(function);
}

// Code that was compiled ahead has no place before it runs.
std::uint32_t detail::tell_running_method(RuntimeId function) {
  const std::uint32_t number = method_number(function);
  if (!is_recording()) return number;
  {
    const Locked locked(methods);
    const std::uint64_t known = methods.find(key(function));
    if ((known & kCoded) != 0 || !is_told(known)) return number;
    methods.put(key(function), known | kCoded);
  }
  tell_code(number, function);
  return number;
}

std::uint32_t reserve_method(RuntimeId function) {
  const Locked locked(methods);
  const std::uint64_t known = methods.find(key(function));
  if (known != 0) return static_cast<std::uint32_t>(known & kNumber);
  const std::uint32_t number = next_method_number();
  methods.put(key(function), number);
  return number;
}

std::uint32_t compiled_method(RuntimeId function) {
  const std::uint64_t known = methods.find(key(function));
  if (!is_told(known)) return detail::tell_method(function);
  const auto number = static_cast<std::uint32_t>(known & kNumber);
  tell_code(number, function);
  return number;
}

void tell_pseudo_methods() {
  define(event::Method{.name = "<UNMANAGED>"}, kUnmanaged);
  define(event::Method{.name = "<JIT>"}, kCompiler);
}

bool is_known_wanted(RuntimeId function) { return (methods.find(key(function)) & kWanted) != 0; }

bool is_wanted(RuntimeId function) {
  const std::uint64_t known = methods.find(key(function));
  if ((known & kVerdict) != 0) return (known & kWanted) != 0;
  const MethodFacts facts = facts_of(function);
  const bool wanted = is_chosen(facts);
  remember(function, wanted ? kWanted : kNotWanted, facts.homes);
  return wanted;
}

bool begin_stream() {
  if (detail::stream.load(std::memory_order_relaxed) == detail::kLastStream) return false;
  detail::stream.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void tell_methods() {
  methods.for_each([](const void* function) {
    const auto id = reinterpret_cast<RuntimeId>(function);
    if (is_known_wanted(id)) method_number(id);
  });
}

void forget_method(RuntimeId function) {
  const Locked locked(methods);
  if (methods.find(key(function)) != 0) methods.put(key(function), 0);
}

void forget_methods_of(RuntimeId module) {
  Homes gone;
  {
    const Locked locked(methods);
    gone = take_tenants(g_method_tenants, module);
  }
  for (const RuntimeId function : gone)
    if (methods.find(key(function)) != 0) on_function_unloading(function);
}

}  // namespace polytrace::agent::coreclr
