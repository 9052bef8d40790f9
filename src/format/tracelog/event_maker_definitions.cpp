// SPDX-License-Identifier: Apache-2.0
// What things are: threads, modules, classes, functions, sources.
#include "format/tracelog/event_maker.hpp"

namespace polytrace::format::tracelog {

using base::kNoId;
using event::Life;

void EventMaker::tell_thread() {
  event::Thread details;
  base::Id id = number(0);
  if (line_.record->number == Key::thr_crt) {
    id = number(1);
    details.object = number(0);
  } else if (line_.record->number == Key::thr_aos) {
    details.life = Life::name;
    details.os_thread = number(1);
  } else {
    id = named_thread(0);
    details.life = Life::end;
    thread(id).stack = {};
    thread(id).stack.first = static_cast<event::u32>(batch_.frames.size());
  }
  if (number_ == start_.process_at) {
    event::Process process;
    process.runtime = "CoreCLR";
    process.agent = "CoreProfiler";
    process.pointer_size = line_.pointer_digits == 8 ? 4 : 8;
    batch_.add(now_, no_thread(), start_.pid, process);
  }
  batch_.add(now_, no_thread(), id, details);
}

void EventMaker::tell_loaded() {
  const Key key = line_.record->number;
  if (key == Key::mod_ldf || key == Key::mod_ata) {
    event::Module module;
    const bool loaded = key == Key::mod_ldf;
    module.life = loaded ? Life::begin : Life::name;
    module.assembly = number(loaded ? 2 : 1);
    if (loaded) {
      module.base = number(1);
      module.status = narrow(number(3));
      module.name = keep(line_.texts[0]);
    }
    batch_.add(now_, no_thread(), number(0), module);
  } else if (key == Key::asm_ldf) {
    event::Assembly assembly;
    assembly.domain = number(1);
    assembly.module = number(2);
    assembly.status = narrow(number(3));
    assembly.name = keep(line_.texts[0]);
    batch_.add(now_, no_thread(), number(0), assembly);
  } else {
    event::Domain domain;
    domain.process = number(1);
    domain.status = narrow(number(2));
    domain.name = keep(line_.texts[0]);
    batch_.add(now_, no_thread(), number(0), domain);
  }
}

void EventMaker::tell_class() {
  event::Class details;
  const bool loaded = line_.record->number == Key::cls_ldf;
  if (loaded) {
    details.runtime_id = number(0);
    details.module = number(2);
    details.token = narrow(number(3));
    details.status = narrow(number(4));
  } else {
    details.life = Life::name;
    details.name = keep(line_.texts[0]);
  }
  batch_.add(now_, no_thread(), number(loaded ? 1 : 0), details);
}

void EventMaker::tell_function() {
  const Key key = line_.record->number;
  event::Method method;
  if (key == Key::fun_nam) {
    method.name = keep(line_.texts[0]);
    method.returns = keep(line_.texts[1]);
    method.signature = keep(line_.texts[2]);
    return batch_.add(now_, no_thread(), number(0), method);
  }
  const bool early = key != Key::fun_inf;
  const base::Id id = number(early ? 1 : 0);
  method.runtime_id = number(early ? 0 : 1);
  if (number(2) != 0) method.class_id = number(2);
  method.module = number(3);
  method.token = narrow(number(4));
  Scan blocks(line_.list);
  CodeItem item;
  while (!blocks.rest().empty() && take_item(blocks, item)) {
    if (!item.is_block) continue;
    method.code = item.first;
    method.code_size = item.second;
    break;
  }
  batch_.add(now_, no_thread(), id, method);
  tell_code(id);
  if (!early) return;
  line_.numbers[2] = method.runtime_id;
  event::Jit jit;
  jit.stage = event::JitStage::cached_end;
  if (key == Key::fun_cmf) {
    jit.status = narrow(number(5));
    jit.stage = (jit.status & kFailedStatus) != 0 ? event::JitStage::failed : event::JitStage::end;
  }
  jit.runtime_id = method.runtime_id;
  batch_.add(now_, no_thread(), kNoId, jit);
}

// The blocks of a function; the IL map stands with the first.
void EventMaker::tell_code(base::Id method) {
  auto& ranges = batch_.column<event::IlRange>();
  event::Code code;
  code.method = method;
  code.il_map.first = static_cast<event::u32>(ranges.size());
  CodeItem item;
  for (Scan items(line_.list); !items.rest().empty() && take_item(items, item);) {
    if (!item.is_block)
      ranges.push_back({narrow(item.first), narrow(item.second), narrow(item.third)});
  }
  code.il_map.count = static_cast<event::u32>(ranges.size()) - code.il_map.first;
  if (code.il_map.count == 0) code.il_map = {};
  bool told = false;
  for (Scan items(line_.list); !items.rest().empty() && take_item(items, item);) {
    if (!item.is_block) continue;
    code.size = item.second;
    batch_.add(now_, no_thread(), item.first, code);
    code.il_map = {};
    told = true;
  }
  if (!told && code.il_map.present()) batch_.add(now_, no_thread(), kNoId, code);
}

void EventMaker::tell_source() {
  if (line_.record->number == Key::fil_src) {
    event::SourceFile file;
    file.name = keep(line_.texts[0]);
    return batch_.add(now_, no_thread(), number(0), file);
  }
  event::SourceLine source;
  source.file = number(1);
  source.method = number(2);
  source.first_line = number(3);
  source.first_column = number(4);
  source.last_line = number(5);
  source.last_column = number(6);
  batch_.add(now_, no_thread(), number(0), source);
}

}  // namespace polytrace::format::tracelog
