// SPDX-License-Identifier: Apache-2.0
// Definitions as lines.
#include <algorithm>

#include "format/tracelog/held.hpp"
#include "format/tracelog/lines/watch.hpp"
#include "format/tracelog/writer.hpp"

namespace polytrace::format::tracelog {
namespace {

using base::kNoId;
using event::Event;
using event::Life;

// A ptr that is not told is written as null.
std::uint64_t or_null(base::Id id) { return id == kNoId ? 0 : id; }

// What comes back as two events of which each tells a part.
constexpr std::string_view kInOne = "in_one";

constexpr base::Time kEver = INT64_MAX;
constexpr std::size_t kMostEndings = 256;  // that wait to be written

}  // namespace

void TraceLogWriter::tell(const Event& event, const event::Thread& thread) {
  const bool names_os = thread.os_thread != kNoId;
  if (thread.life == Life::name && !names_os) return lose(event);
  count_lost_fields(loss_, event.kind, thread);
  untimed(event);
  no_thread(event);
  if (thread.life == Life::begin) {
    if (std::ranges::find(endings_, event.id, &Ending::thread) != endings_.end())
      end_threads(kEver);
    out_.decide(16);
    Line& line = start(Key::thr_crt);
    line.numbers = {or_null(thread.object), event.id};
    put_line();
    lose(event, names_os, kInOne);
  } else {
    lose(event, thread.object != kNoId, "object");
  }
  if (thread.life != Life::end && names_os) {
    start(Key::thr_aos).numbers = {event.id, thread.os_thread};
    put_line();
    os_threads_[event.id] = thread.os_thread;
    os_owners_[thread.os_thread] = event.id;
  }
  if (thread.life != Life::end) return;
  lose(event, names_os, "os_thread");
  if (endings_.size() >= kMostEndings) end_threads(kEver);
  if (shifted(event) == now_) end_thread(event.id);
  else endings_.push_back({event.id, shifted(event)});
}

void TraceLogWriter::end_thread(base::Id thread) {
  start(Key::thr_dst).numbers[0] = thread;
  put_line();
  stacks_.erase(thread);
  calls_.erase(thread);
}

// What a recorder tells of a thread may come behind its end, with times before it; a log has no
// time for the end but that of the lines around it.
void TraceLogWriter::end_threads(base::Time before) {
  std::erase_if(endings_, [this, before](const Ending& ending) {
    if (ending.time >= before) return false;
    close_function();
    end_thread(ending.thread);
    return true;
  });
}

void TraceLogWriter::tell(const Event& event, const event::Domain& domain) {
  if (domain.life != Life::begin) return lose(event);
  untimed(event);
  no_thread(event);
  Line& line = start(Key::apd_crf);
  line.numbers = {or_null(event.id), or_null(domain.process), domain.status};
  line.texts[0] = one_line(event, domain.name, "name", texts_[0]);
  put_line();
  if (process_ == kNoId) process_ = domain.process;
}

void TraceLogWriter::tell(const Event& event, const event::Assembly& assembly) {
  if (assembly.life != Life::begin) return lose(event);
  untimed(event);
  no_thread(event);
  Line& line = start(Key::asm_ldf);
  line.numbers = {or_null(event.id), or_null(assembly.domain), or_null(assembly.module),
                  assembly.status};
  line.texts[0] = one_line(event, assembly.name, "name", texts_[0]);
  put_line();
}

void TraceLogWriter::tell(const Event& event, const event::Module& module) {
  const bool attached = module.life == Life::name && module.assembly != kNoId;
  if (module.life != Life::begin && !attached) return lose(event);
  count_lost_fields(loss_, event.kind, module);
  untimed(event);
  no_thread(event);
  if (attached) {
    lose(event, !module.name.empty(), "name");
    lose(event, module.base != kNoId, "base");
    lose(event, module.status != 0, "status");
    start(Key::mod_ata).numbers = {or_null(event.id), module.assembly};
  } else {
    Line& line = start(Key::mod_ldf);
    line.numbers = {or_null(event.id), or_null(module.base), or_null(module.assembly),
                    module.status};
    line.texts[0] = one_line(event, module.name, "name", texts_[0]);
  }
  put_line();
}

void TraceLogWriter::tell(const Event& event, const event::Class& type) {
  if (type.life == Life::end) return lose(event);
  count_lost_fields(loss_, event.kind, type);
  untimed(event);
  no_thread(event);
  const bool loaded = type.life == Life::begin;
  if (loaded) {
    const std::uint64_t runtime_id = or_null(type.runtime_id);
    start(Key::cls_ldf).numbers = {runtime_id, event.id, or_null(type.module), type.token,
                                   type.status};
    put_line();
    if (runtime_id != 0) {
      classes_[runtime_id] = event.id;
      runtime_classes_[event.id] = runtime_id;
    }
    if (type.name.empty()) return;
    lose(event, true, kInOne);
  } else {
    lose(event, type.runtime_id != kNoId, "runtime_id");
    lose(event, type.module != kNoId, "module");
    lose(event, type.token != 0, "token");
    lose(event, type.status != 0, "status");
  }
  Line& line = start(Key::cls_nam);
  line.numbers[0] = event.id;
  line.texts[0] = one_line(event, type.name, "name", texts_[0]);
  put_line();
}

void TraceLogWriter::tell(const Event& event, const event::Method& method) {
  count_lost_fields(loss_, event.kind, method);
  untimed(event);
  no_thread(event);
  const bool named = !method.name.empty() || !method.returns.empty() || !method.signature.empty();
  const bool defined = method.runtime_id != kNoId || method.class_id != kNoId ||
                       method.module != kNoId || method.token != 0 || method.code != kNoId ||
                       method.code_size != 0;
  if (!defined) return name_function(event, method);
  open_function(event, method);
  lose(event, named, kInOne);
  if (named) keep_names(event, method);
}

namespace {

// There is no escape: what would be cut elsewhere loses its quotes, then its return type.
bool comes_back(const std::array<std::string, 3>& names) {
  std::string all;
  for (const std::string& text : names) ((all += " \"") += text) += '"';
  std::array<std::string_view, 3> got;
  return unquote_three(std::string_view(all).substr(1), got) && std::ranges::equal(got, names);
}

}  // namespace

void TraceLogWriter::keep_names(const Event& event, const event::Method& method) {
  std::array<std::string, 3>& names = function_.names;
  names = {std::string(one_line(event, method.name, "name", texts_[0])),
           std::string(one_line(event, method.returns, "returns", texts_[1])),
           std::string(one_line(event, method.signature, "signature", texts_[2]))};
  function_.named = true;
  if (comes_back(names)) return;
  lose(event, true, "name");
  for (std::string& text : names) {
    std::string plain;
    for (const char c : text) {
      if (c == '"') plain += "\xef\xbf\xbd";
      else plain += c;
    }
    text = std::move(plain);
  }
  if (!comes_back(names)) names[1].clear();
}

void TraceLogWriter::name_function(const Event& event, const event::Method& method) {
  close_function();
  keep_names(event, method);
  put_names(event.id);
}

void TraceLogWriter::put_names(base::Id id) {
  function_.named = false;
  Line& line = start(Key::fun_nam);
  line.numbers[0] = id;
  std::ranges::copy(function_.names, line.texts.begin());
  put_line();
}

// The runtime's id of a class, where that leads back to the class.
std::uint64_t TraceLogWriter::class_reference(const Event& event, base::Id class_id) {
  if (class_id == kNoId) return 0;
  const auto runtime = runtime_classes_.find(class_id);
  if (runtime != runtime_classes_.end() && classes_[runtime->second] == class_id)
    return runtime->second;
  lose(event, class_id == 0 || classes_.contains(class_id), "class_id");
  return class_id;
}

void TraceLogWriter::open_function(const Event& event, const event::Method& method) {
  close_function();
  function_ = {};
  function_.open = true;
  function_.id = event.id;
  function_.head = {event.id, or_null(method.runtime_id), class_reference(event, method.class_id),
                    or_null(method.module), method.token};
  functions_[event.id] = function_.head;
  function_.told_code = method.code != kNoId;
  if (function_.told_code)
    function_.blocks.push_back(
        {.is_block = true, .first = method.code, .second = method.code_size});
  lose(event, !function_.told_code && method.code_size != 0, "code_size");
}

// Code that does not follow its function is more code of it.
bool TraceLogWriter::open_again(base::Id id) {
  const auto known = functions_.find(id);
  if (known == functions_.end()) return false;
  close_function();
  function_ = {};
  function_.open = true;
  function_.id = id;
  function_.head = known->second;
  return true;
}

// The IL map is that of the first block.
bool TraceLogWriter::belongs_to_function(const Event& event, const event::Code& code) const {
  const bool has_block = event.id != kNoId;
  return function_.open && code.method == function_.id &&
         (has_block || (code.size == 0 && function_.blocks.empty() && function_.codes == 0)) &&
         (!code.il_map.present() || function_.codes == 0);
}

void TraceLogWriter::tell(const Event& event, const event::Code& code) {
  if (code.type != event::CodeKind::method) return close_function(), lose(event);
  if (!belongs_to_function(event, code) && (event.id == kNoId || !open_again(code.method)))
    return close_function(), lose(event);
  count_lost_fields(loss_, event.kind, code);
  untimed(event);
  no_thread(event);
  const bool first = function_.codes++ == 0;
  for (const event::IlRange& range : batch_->list(code.il_map))
    function_.map.push_back({.first = range.il, .second = range.begin, .third = range.end});
  if (event.id == kNoId) return;
  const CodeItem block{.is_block = true, .first = event.id, .second = code.size};
  const bool told = first && function_.told_code && function_.blocks[0].first == block.first &&
                    function_.blocks[0].second == block.second;
  if (!told) function_.blocks.push_back(block);
}

void TraceLogWriter::close_function() {
  if (!std::exchange(function_.open, false)) return;
  start(Key::fun_inf);
  line_.numbers = function_.head;
  if (dialect_ == Dialect::early) {
    const base::Id runtime_id = line_.numbers[1];
    std::swap(line_.numbers[0], line_.numbers[1]);
    const auto compiled = compiled_.find(runtime_id);
    const bool cached = compiled == compiled_.end() || compiled->second.cached;
    line_.record = &record(cached ? Key::fun_csf : Key::fun_cmf);
    if (!cached) line_.numbers[5] = compiled->second.status;
    if (compiled != compiled_.end()) compiled_.erase(compiled);
  }
  LinePrinter& out = out_.printer();
  print_line(out, line_);
  for (const CodeItem& block : function_.blocks) {
    out.text(" "), out.ptr(block.first);
    out.text(":"), out.small_hex(block.second);
  }
  for (const CodeItem& range : function_.map) {
    out.text(" "), out.small_hex(range.first);
    out.text(":"), out.small_hex(range.second);
    out.text(":"), out.small_hex(range.third);
  }
  out.end();
  if (function_.named) put_names(function_.id);
}

void TraceLogWriter::tell(const Event& event, const event::SourceFile& file) {
  untimed(event);
  no_thread(event);
  Line& line = start(Key::fil_src);
  line.numbers[0] = event.id;
  line.texts[0] = one_line(event, file.name, "name", texts_[0]);
  put_line();
}

void TraceLogWriter::tell(const Event& event, const event::SourceLine& source) {
  untimed(event);
  no_thread(event);
  start(Key::lin_src).numbers = {event.id,          source.file,         source.method,
                                 source.first_line, source.first_column, source.last_line,
                                 source.last_column};
  put_line();
}

}  // namespace polytrace::format::tracelog
