// SPDX-License-Identifier: Apache-2.0
// What the runtime loads and unloads: domains, assemblies, modules, classes. Those that live are
// listed, for recordings that begin later.
#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "agent/common/tools/guard.hpp"
#include "agent/coreclr/code/metadata.hpp"
#include "agent/coreclr/names/utf8.hpp"
#include "agent/coreclr/runtime/callbacks.hpp"
#include "agent/coreclr/runtime/definitions.hpp"
#include "agent/coreclr/runtime/settings.hpp"

namespace polytrace::agent::coreclr {
namespace {

using event::Life;
using event::LoadStage;

constexpr std::uint32_t kRoom = 1024;  // letters of a name
// "Parent not known yet", 32 bits wide or the whole word.
constexpr RuntimeId kUnknownParents[] = {0, 0xfffffffd, ~RuntimeId{2}};

using Ask = void (*)(RuntimeId);

struct Loaded {
  RuntimeId id;
  Ask tell;
};
pthread_mutex_t g_loading_mutex = PTHREAD_MUTEX_INITIALIZER;
std::vector<Loaded> g_loaded;
Homes g_homes;                         // that can be unloaded
std::atomic<std::size_t> g_count = 0;  // of them

void list(RuntimeId id, Ask tell) {
  const Guard guard(g_loading_mutex);
  g_loaded.push_back({id, tell});
}
void unlist(RuntimeId id) {
  const Guard guard(g_loading_mutex);
  std::erase_if(g_loaded, [id](const Loaded& loaded) { return loaded.id == id; });
}

void list_home(RuntimeId module) {
  constexpr std::uint32_t kCollectible = 8;
  std::uint32_t flags = 0;
  if (!ask(info::kGetModuleInfo2, module, nullptr, 0, nullptr, nullptr, nullptr, &flags) ||
      (flags & kCollectible) == 0)
    return;
  const Guard guard(g_loading_mutex);
  g_homes.push_back(module);
  g_count.store(g_homes.size(), std::memory_order_relaxed);
}
void unlist_home(RuntimeId module) {
  const Guard guard(g_loading_mutex);
  std::erase(g_homes, module);
  g_count.store(g_homes.size(), std::memory_order_relaxed);
}

class Letters {
 public:
  char16_t* place() { return letters_.data(); }
  std::uint32_t* size() { return &size_; }
  std::string text() const {
    return utf8({letters_.data(), size_ == 0 || size_ > kRoom ? 0 : size_ - 1});
  }

 private:
  std::array<char16_t, kRoom> letters_{};
  std::uint32_t size_ = 0;  // with the zero behind it
};

base::Id or_none(RuntimeId parent) {
  for (const RuntimeId unknown : kUnknownParents)
    if (parent == unknown) return base::kNoId;
  return parent;
}

void tell_domain(RuntimeId domain, Life life, HResult status) {
  Letters name;
  RuntimeId process = 0;
  ask(info::kGetAppDomainInfo, domain, kRoom, name.size(), name.place(), &process);
  const std::string text = name.text();
  event::Domain details;
  details.life = life;
  details.name = text;
  details.status = static_cast<std::uint32_t>(status);
  details.process = process;
  define(details, domain);
}

void tell_assembly(RuntimeId assembly, Life life, HResult status) {
  Letters name;
  RuntimeId domain = 0;
  RuntimeId module = 0;
  ask(info::kGetAssemblyInfo, assembly, kRoom, name.size(), name.place(), &domain, &module);
  const std::string text = name.text();
  event::Assembly details;
  details.life = life;
  details.name = text;
  details.status = static_cast<std::uint32_t>(status);
  details.domain = or_none(domain);
  details.module = or_none(module);
  define(details, assembly);
}

void tell_module(RuntimeId module, Life life, HResult status) {
  Letters name;
  const std::uint8_t* base = nullptr;
  RuntimeId assembly = 0;
  ask(info::kGetModuleInfo, module, &base, kRoom, name.size(), name.place(), &assembly);
  const std::string text = name.text();
  const std::string version = life == Life::begin ? Metadata(module).version_id() : std::string();
  event::Module details;
  details.life = life;
  details.name = text;
  details.mvid = version;
  details.base = or_none(reinterpret_cast<RuntimeId>(base));
  details.assembly = or_none(assembly);
  details.status = static_cast<std::uint32_t>(status);
  define(details, module);
}

}  // namespace

HResult on_domain_created(RuntimeId domain, HResult status) {
  tell_domain(domain, Life::begin, status);
  list(domain, [](RuntimeId id) { tell_domain(id, Life::begin, kOk); });
  return kOk;
}
HResult on_domain_gone(RuntimeId domain, HResult status) {
  unlist(domain);
  event::Domain details;
  details.life = Life::end;
  details.status = static_cast<std::uint32_t>(status);
  define(details, domain);
  return kOk;
}

HResult on_assembly_loaded(RuntimeId assembly, HResult status) {
  tell_assembly(assembly, Life::begin, status);
  list(assembly, [](RuntimeId id) { tell_assembly(id, Life::begin, kOk); });
  return kOk;
}
HResult on_assembly_unloading(RuntimeId assembly) {
  unlist(assembly);
  tell_assembly(assembly, Life::end, kOk);
  return kOk;
}

HResult on_module_loaded(RuntimeId module, HResult status) {
  list_home(module);
  tell_module(module, Life::begin, status);
  list(module, [](RuntimeId id) { tell_module(id, Life::begin, kOk); });
  return kOk;
}
HResult on_module_attached(RuntimeId module, RuntimeId assembly) {
  event::Module details;
  details.life = Life::name;
  details.assembly = assembly;
  define(details, module);
  return kOk;
}
HResult on_module_unloading(RuntimeId module) {
  unlist(module);
  tell_module(module, Life::end, kOk);
  return kOk;
}

// Classes have been told to be gone before, methods never.
HResult on_module_unloaded(RuntimeId module, HResult) {
  forget_methods_of(module);
  forget_classes_of(module);
  unlist_home(module);
  return kOk;
}

HResult on_class_loading(RuntimeId type) {
  if (settings().common.events.classes)
    note(event::ClassLoad{LoadStage::start}, reserve_class(type));
  return kOk;
}
HResult on_class_loaded(RuntimeId type, HResult status) {
  if (settings().common.events.monitors) reserve_class(type);  // what is a class, then
  if (!settings().common.events.classes) return kOk;
  const bool good = status >= 0;
  const std::uint32_t number = good ? class_facts(type).number : reserve_class(type);
  note(event::ClassLoad{good ? LoadStage::end : LoadStage::failed}, number);
  return kOk;
}
HResult on_class_unloading(RuntimeId type) {
  const std::uint32_t number = known_class(type).number;
  if (number != 0 && settings().common.events.classes)
    note(event::ClassLoad{LoadStage::unload_end}, number);
  forget_class(type);
  return kOk;
}

std::string module_path(RuntimeId module) {
  Letters name;
  const bool known =
      ask(info::kGetModuleInfo, module, nullptr, kRoom, name.size(), name.place(), nullptr);
  return known ? name.text() : std::string();
}

bool can_be_unloaded(RuntimeId module) {
  if (g_count.load(std::memory_order_relaxed) == 0) return false;
  const Guard guard(g_loading_mutex);
  return std::ranges::find(g_homes, module) != g_homes.end();
}

Homes take_tenants(std::vector<Tenant>& tenants, RuntimeId home) {
  Homes taken;
  for (const Tenant& tenant : tenants)
    if (tenant.home == home) taken.push_back(tenant.id);
  std::erase_if(tenants, [home](const Tenant& tenant) { return tenant.home == home; });
  return taken;
}

// Names are asked outside the lock.
void tell_loaded() {
  std::vector<Loaded> loaded;
  {
    const Guard guard(g_loading_mutex);
    loaded = g_loaded;
  }
  for (const Loaded& one : loaded) one.tell(one.id);
}

}  // namespace polytrace::agent::coreclr
