// SPDX-License-Identifier: Apache-2.0
// Compiled methods, and the code that the runtime makes for itself.
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

void note_jit(event::JitStage stage, std::uint32_t method) {
  event::Jit details;
  details.stage = stage;
  note(details, method);
}

void on_jit_begin(MonoProfiler*, MonoMethod* method) {
  note_jit(event::JitStage::start, reserve_method(method));
}

// The only moment at which the place of a method's code is told.
void on_jit_done(MonoProfiler*, MonoMethod* method, MonoJitInfo* code) {
  const std::uint32_t number = compiled_method(method, code);
  if (settings().common.events.jit) note_jit(event::JitStage::end, number);
}

void on_jit_failed(MonoProfiler*, MonoMethod* method) {
  note_jit(event::JitStage::failed, method_number(method));
}

void on_method_freed(MonoProfiler*, MonoMethod* method) {
  const std::uint32_t number = known_method(method);
  if (number != 0 && settings().common.events.jit) note_jit(event::JitStage::freed, number);
  addresses_come_again();
  forget_method(method);
}

void on_code_buffer(MonoProfiler*, const mono_byte* code, uint64_t size,
                    MonoProfilerCodeBufferType type, const void* data) {
  event::Code details;
  details.type = static_cast<event::CodeKind>(type);
  details.size = size;
  if (type == MONO_PROFILER_CODE_BUFFER_SPECIFIC_TRAMPOLINE)
    details.name = or_empty(static_cast<const char*>(data));
  note(details, address_of(code));
}

}  // namespace

void install_code(MonoProfilerHandle runtime) {
  mono_profiler_set_jit_done_callback(runtime, on_jit_done);
  mono_profiler_set_method_free_callback(runtime, on_method_freed);
  if (!settings().common.events.jit) return;
  mono_profiler_set_jit_begin_callback(runtime, on_jit_begin);
  mono_profiler_set_jit_failed_callback(runtime, on_jit_failed);
  mono_profiler_set_jit_code_buffer_callback(runtime, on_code_buffer);
}

}  // namespace polytrace::agent::mono
