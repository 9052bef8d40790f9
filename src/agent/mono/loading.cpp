// SPDX-License-Identifier: Apache-2.0
// What the runtime loads and unloads: domains, contexts, assemblies, images, classes. Classes and
// vtables are told as they come, because a snapshot of the heap cannot ask for names.
#include "agent/mono/runtime/ahead.hpp"
#include "agent/mono/runtime/callbacks.hpp"
#include "agent/mono/runtime/definitions.hpp"
#include "agent/mono/runtime/note.hpp"
#include "agent/mono/runtime/settings.hpp"

namespace polytrace::agent::mono {
namespace {

using event::Life;

base::Id number_of(MonoDomain* domain) { return static_cast<base::Id>(mono_domain_get_id(domain)); }

void tell_domain(MonoDomain* domain, Life life, std::string_view name) {
  event::Domain details;
  details.life = life;
  details.name = name;
  define(details, number_of(domain));
}
void on_domain_loaded(MonoProfiler*, MonoDomain* domain) { tell_domain(domain, Life::begin, {}); }
void on_domain_unloading(MonoProfiler*, MonoDomain* domain) {
  tell_domain(domain, Life::end, {});
  forget_vtables_of(domain);
  addresses_come_again();
}
void on_domain_named(MonoProfiler*, MonoDomain* domain, const char* name) {
  tell_domain(domain, Life::name, or_empty(name));
}

void tell_context(MonoAppContext* context, Life life) {
  define(event::Context{life, static_cast<base::Id>(mono_context_get_domain_id(context))},
         static_cast<base::Id>(mono_context_get_id(context)));
}
void on_context_loaded(MonoProfiler*, MonoAppContext* context) {
  tell_context(context, Life::begin);
}
void on_context_unloaded(MonoProfiler*, MonoAppContext* context) {
  tell_context(context, Life::end);
}

void on_assembly_loaded(MonoProfiler*, MonoAssembly* assembly) {
  assembly_number(assembly);
  if (!is_recording()) return;
  number_thread();
  const Recording recording;
  tell_compiled_ahead();
}
void on_assembly_unloading(MonoProfiler*, MonoAssembly* assembly) {
  const RuntimeText name(mono_stringify_assembly_name(mono_assembly_get_name(assembly)));
  event::Assembly details;
  details.life = Life::end;
  details.name = name.view();
  define(details, assembly_number(assembly));
  forget_assembly(assembly);
  addresses_come_again();
}

void on_image_loaded(MonoProfiler*, MonoImage* image) { module_number(image); }
void on_image_unloading(MonoProfiler*, MonoImage* image) {
  event::Module details;
  details.life = Life::end;
  details.name = or_empty(mono_image_get_filename(image));
  define(details, module_number(image));
  forget_module(image);
  addresses_come_again();
}

void note_class(std::uint32_t number, event::LoadStage stage) {
  if (settings().common.events.classes) note(event::ClassLoad{stage}, number);
}
void on_class_loading(MonoProfiler*, MonoClass* type) {
  if (can_addresses_come_again()) forget_class(type);
  note_class(reserve_class(type), event::LoadStage::start);
}
void on_class_loaded(MonoProfiler*, MonoClass* type) {
  note_class(class_facts(type).number, event::LoadStage::end);
}
void on_class_failed(MonoProfiler*, MonoClass* type) {
  note_class(reserve_class(type), event::LoadStage::failed);
}

void on_vtable_loaded(MonoProfiler*, MonoVTable* vtable) {
  if (can_addresses_come_again()) forget_vtable(vtable);
  vtable_facts(vtable);
}

}  // namespace

void install_loading(MonoProfilerHandle runtime) {
  mono_profiler_set_domain_loaded_callback(runtime, on_domain_loaded);
  mono_profiler_set_domain_unloading_callback(runtime, on_domain_unloading);
  mono_profiler_set_domain_name_callback(runtime, on_domain_named);
  mono_profiler_set_context_loaded_callback(runtime, on_context_loaded);
  mono_profiler_set_context_unloaded_callback(runtime, on_context_unloaded);
  mono_profiler_set_assembly_loaded_callback(runtime, on_assembly_loaded);
  mono_profiler_set_assembly_unloading_callback(runtime, on_assembly_unloading);
  mono_profiler_set_image_loaded_callback(runtime, on_image_loaded);
  mono_profiler_set_image_unloading_callback(runtime, on_image_unloading);
  mono_profiler_set_vtable_loaded_callback(runtime, on_vtable_loaded);
  if (!settings().common.events.classes) return;
  mono_profiler_set_class_loading_callback(runtime, on_class_loading);
  mono_profiler_set_class_loaded_callback(runtime, on_class_loaded);
  mono_profiler_set_class_failed_callback(runtime, on_class_failed);
}

}  // namespace polytrace::agent::mono
