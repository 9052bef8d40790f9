// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"

namespace polytrace::agent::mono {
namespace detail {

PointerTable methods;
std::atomic<std::uint32_t> stream = 1;

namespace {

std::uint32_t g_last = 0;  // under the lock of `methods`

// Seen by a signal handler before anything else told of them.
constexpr std::size_t kMostPending = 1024;
MonoMethod* g_pending[kMostPending];
std::atomic<std::size_t> g_pending_count = 0;  // changed under the lock

std::uint32_t next_number() {
  constexpr auto kMost = static_cast<std::uint32_t>(kNumber);
  return g_last < kMost ? ++g_last : kMost;
}

}  // namespace

// While nothing is recorded, names are not worth asking.
std::uint32_t tell_method(MonoMethod* method, MonoJitInfo* code) {
  if (!is_recording()) return reserve_method(method);
  const RuntimeText name(mono_method_full_name(method, 1));
  event::Method details;
  details.name = name.view();
  details.class_id = class_facts(mono_method_get_class(method)).number;
  details.token = mono_method_get_token(method);
  details.code = 0;
  if (code != nullptr) {
    details.code = address_of(mono_jit_info_get_code_start(code));
    details.code_size = static_cast<std::uint64_t>(mono_jit_info_get_code_size(code));
  }
  const Recording recording;
  const Locked locked(methods);
  const std::uint64_t known = methods.find(method);
  auto number = static_cast<std::uint32_t>(known & kNumber);
  if (is_told(known)) return number;
  if (number == 0) number = next_number();
  methods.put(method, told(number, define(details, number)));
  return number;
}

}  // namespace detail

using detail::methods;

bool begin_stream() {
  if (detail::stream.load(std::memory_order_relaxed) == detail::kLastStream) return false;
  detail::stream.fetch_add(1, std::memory_order_relaxed);
  return true;
}

namespace {

PointerTable g_shared;  // instantiation to the number of its shared form

}  // namespace

std::uint32_t frame_number(MonoMethod* method) {
  const std::uint64_t shared = g_shared.find(method);
  return shared != 0 ? static_cast<std::uint32_t>(shared) : method_number(method);
}

std::uint32_t known_frame(const MonoMethod* method) {
  const std::uint64_t shared = g_shared.find(method);
  return shared != 0 ? static_cast<std::uint32_t>(shared) : known_method(method);
}

bool is_shared_form(MonoMethod* method, MonoMethod* code) {
  if (method == code) return true;
  const std::uint32_t token = mono_method_get_token(method);
  if (token == 0 || token != mono_method_get_token(code) ||
      mono_class_get_image(mono_method_get_class(method)) !=
          mono_class_get_image(mono_method_get_class(code)))
    return false;
  const std::uint32_t number = method_number(code);
  const Recording recording;
  const Locked locked(g_shared);
  g_shared.put(method, number);
  return true;
}

std::uint32_t compiled_method(MonoMethod* method, MonoJitInfo* code) {
  if (can_addresses_come_again()) forget_method(method);
  const std::uint64_t known = methods.find(method);
  if (detail::is_told(known)) return static_cast<std::uint32_t>(known & detail::kNumber);
  return detail::tell_method(method, code);
}

std::uint32_t reserve_method(MonoMethod* method) {
  const Recording recording;
  const Locked locked(methods);
  if (const std::uint32_t known = known_method(method); known != 0) return known;
  const std::uint32_t number = detail::next_number();
  methods.put(method, number);
  return number;
}

std::uint32_t method_number_in_signal(MonoMethod* method) {
  if (const std::uint32_t number = known_method(method); number != 0) return number;
  if (!methods.try_lock()) return 0;
  std::uint32_t number = known_method(method);
  const std::size_t pending = detail::g_pending_count.load(std::memory_order_relaxed);
  if (number == 0 && pending < detail::kMostPending) {
    number = detail::next_number();
    methods.put(method, number);
    detail::g_pending[pending] = method;
    detail::g_pending_count.store(pending + 1, std::memory_order_relaxed);
  }
  methods.unlock();
  return number;
}

void tell_pending_methods() {
  while (detail::g_pending_count.load(std::memory_order_relaxed) != 0) {
    MonoMethod* method = nullptr;
    {
      const Recording recording;
      const Locked locked(methods);
      const std::size_t pending = detail::g_pending_count.load(std::memory_order_relaxed);
      if (pending == 0) return;
      method = detail::g_pending[pending - 1];
      detail::g_pending_count.store(pending - 1, std::memory_order_relaxed);
    }
    method_number(method);
  }
}

void forget_method(MonoMethod* method) {
  const Recording recording;
  const Locked locked(methods);
  if (methods.find(method) != 0) methods.put(method, 0);
  const Locked shared_locked(g_shared);
  if (g_shared.find(method) != 0) g_shared.put(method, 0);
  const std::size_t pending = detail::g_pending_count.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < pending; ++i) {
    if (detail::g_pending[i] != method) continue;
    detail::g_pending[i] = detail::g_pending[pending - 1];
    detail::g_pending_count.store(pending - 1, std::memory_order_relaxed);
    return;
  }
}

}  // namespace polytrace::agent::mono
