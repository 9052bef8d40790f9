// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/catchers.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "agent/jvm/code/stacks.hpp"

namespace polytrace::agent::jvm {

namespace {

struct MetHandler {
  jlocation at;
  rewriter::HandlerKind kind;
};

struct MethodHandlers {
  std::vector<MetHandler> met;
  std::vector<jlocation> exits;  // of all of them
};

// As long as the methods' code stays what it is.
struct Catchers {
  std::shared_mutex mutex;
  std::unordered_map<jmethodID, MethodHandlers> methods;
  std::uint64_t epoch = 0;

  const MethodHandlers* find(jmethodID method) const {
    if (epoch != methods_epoch()) return nullptr;
    const auto at = methods.find(method);
    return at == methods.end() ? nullptr : &at->second;
  }
};
Catchers& catchers() {
  static Catchers& catchers = *new Catchers;
  return catchers;
}

rewriter::Handler ask_handler(jmethodID method, jlocation at) {
  jint size = 0;
  TiMemory<unsigned char> code;
  if (!ok(vm().ti->GetBytecodes(method, &size, code.out()))) return {};
  return rewriter::handler_at({code.get(), static_cast<std::size_t>(size)},
                              static_cast<std::uint32_t>(at));
}

void keep(jmethodID method, jlocation at, const rewriter::Handler& handler, std::uint64_t epoch) {
  Catchers& all = catchers();
  const std::lock_guard guard(all.mutex);
  if (epoch != methods_epoch()) return;
  if (all.epoch != epoch) all.methods.clear();
  all.epoch = epoch;
  MethodHandlers& handlers = all.methods[method];
  if (std::ranges::find(handlers.met, at, &MetHandler::at) != handlers.met.end()) return;
  handlers.met.push_back({at, handler.kind});
  handlers.exits.insert(handlers.exits.end(), handler.exits.begin(), handler.exits.end());
}

}  // namespace

rewriter::HandlerKind kind_of_handler(jmethodID method, jlocation at) {
  const std::uint64_t epoch = methods_epoch();
  {
    const std::shared_lock guard(catchers().mutex);
    if (const MethodHandlers* const known = catchers().find(method); known != nullptr)
      if (const auto met = std::ranges::find(known->met, at, &MetHandler::at);
          met != known->met.end())
        return met->kind;
  }
  const rewriter::Handler handler = ask_handler(method, at);
  keep(method, at, handler, epoch);
  return handler.kind;
}

bool passes_on(jmethodID method, jlocation at) {
  const std::shared_lock guard(catchers().mutex);
  const MethodHandlers* const known = catchers().find(method);
  return known != nullptr && std::ranges::find(known->exits, at) != known->exits.end();
}

}  // namespace polytrace::agent::jvm
