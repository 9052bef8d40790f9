// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>
#include <vector>

#include "agent/coreclr/code/metadata.hpp"
#include "agent/coreclr/names/elements.hpp"
#include "agent/coreclr/names/type_name.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace detail {

PointerTable classes;

}  // namespace detail

using detail::classes;
using detail::is_told;
using detail::key;
using detail::kNumber;
using detail::told;

namespace {

constexpr std::uint32_t kMostParameters = 16;
constexpr unsigned kDeepestType = 8;  // types in types

std::uint32_t g_last_type = 0;  // under the lock of `classes`

struct TypeFacts {
  std::string name;
  RuntimeId module = 0;
  std::uint32_t token = 0;
  bool sizes_differ = false;
  Homes homes{};
};

std::vector<Tenant> g_type_tenants;  // under the lock of `classes`

TypeFacts facts_of(RuntimeId type, unsigned depth);

TypeFacts array_facts(std::uint32_t element, RuntimeId of, std::uint32_t rank, unsigned depth) {
  TypeFacts facts;
  facts.sizes_differ = true;
  TypeFacts inner;
  if (of != 0) inner = facts_of(of, depth + 1);
  else inner.name = element_name(element);
  facts.name = (inner.name.empty() ? std::string(kUnknownName) : inner.name) + array_suffix(rank);
  facts.homes = std::move(inner.homes);
  return facts;
}

TypeFacts facts_of(RuntimeId type, unsigned depth) {
  TypeFacts facts;
  facts.name = kUnknownName;
  if (type == 0 || depth > kDeepestType) return facts;
  std::uint32_t element = 0;
  RuntimeId of = 0;
  std::uint32_t count = 0;
  if (ask(info::kIsArrayClass, type, &element, &of, &count))
    return array_facts(element, of, count, depth);
  std::array<RuntimeId, kMostParameters> types{};
  if (!ask(info::kGetClassIDInfo2, type, &facts.module, &facts.token, nullptr, kMostParameters,
           &count, types.data()))
    return facts;
  std::vector<std::string> arguments;
  if (can_be_unloaded(facts.module)) facts.homes.push_back(facts.module);
  for (std::uint32_t i = 0; i < count && i < kMostParameters; ++i) {
    TypeFacts argument = facts_of(types[i], depth + 1);
    arguments.push_back(std::move(argument.name));
    facts.homes.insert(facts.homes.end(), argument.homes.begin(), argument.homes.end());
  }
  facts.name = type_name(Metadata(facts.module).name_of(facts.token), arguments);
  facts.sizes_differ = facts.name == "System.String";
  return facts;
}

std::uint32_t number_in(std::uint64_t known) { return static_cast<std::uint32_t>(known & kNumber); }

std::uint32_t next_type_number() {
  constexpr auto kMost = static_cast<std::uint32_t>(kNumber);
  return g_last_type < kMost ? ++g_last_type : kMost;
}

// Allocations told by class only: where instances differ in size, elements are bytes.
void tell_site(std::uint32_t number, std::uint32_t size) {
  Site site;
  site.number = number;
  site.class_id = number;
  site.size = size == kSizesDiffer ? 0 : size;
  site.element_size = size == kSizesDiffer ? 1 : 0;
  define_site(site);
}

void set_size(RuntimeId type, std::uint32_t size) {
  const Locked locked(classes);
  const std::uint64_t known = classes.find(key(type));
  if (known == 0) return;
  constexpr std::uint64_t kLow = (std::uint64_t{1} << detail::kOwnShift) - 1;
  classes.put(key(type), (known & kLow) | std::uint64_t{size} << detail::kOwnShift);
  if (settings().common.events.alloc == AllocMode::sites) tell_site(number_in(known), size);
}

ClassFacts tell(RuntimeId type) {
  const TypeFacts facts = facts_of(type, 0);
  event::Class details;
  details.name = facts.name;
  details.token = facts.token;
  details.runtime_id = type;
  if (facts.module != 0) details.module = facts.module;
  std::uint32_t number = 0;
  {
    const Locked locked(classes);
    const std::uint64_t known = classes.find(key(type));
    number = number_in(known);
    if (is_told(known)) return known_class(type);
    if (number == 0) number = next_type_number();
    classes.put(key(type), told(number, define(details, number)));
    for (const RuntimeId home : facts.homes) g_type_tenants.push_back({home, type});
  }
  if (facts.sizes_differ) set_size(type, kSizesDiffer);
  return known_class(type);
}

}  // namespace

std::string class_name(RuntimeId type, Homes& homes) {
  TypeFacts facts = facts_of(type, 0);
  homes.insert(homes.end(), facts.homes.begin(), facts.homes.end());
  return std::move(facts.name);
}

ClassFacts class_facts(RuntimeId type) {
  const ClassFacts known = known_class(type);
  if (known.number != 0) return known;
  if (!is_recording()) return {reserve_class(type), 0};
  return tell(type);
}

ClassFacts sized_class(RuntimeId type, std::size_t size) {
  const ClassFacts known = class_facts(type);
  if (known.size == 0 && size < kSizesDiffer) set_size(type, static_cast<std::uint32_t>(size));
  return known_class(type);
}

std::uint32_t reserve_class(RuntimeId type) {
  const Locked locked(classes);
  if (const std::uint64_t known = classes.find(key(type)); known != 0) return number_in(known);
  const std::uint32_t number = next_type_number();
  classes.put(key(type), number);
  return number;
}

void forget_class(RuntimeId type) {
  const Locked locked(classes);
  if (classes.find(key(type)) != 0) classes.put(key(type), 0);
}

void forget_classes_of(RuntimeId module) {
  const Locked locked(classes);
  for (const RuntimeId type : take_tenants(g_type_tenants, module))
    if (classes.find(key(type)) != 0) classes.put(key(type), 0);
}

}  // namespace polytrace::agent::coreclr
