// SPDX-License-Identifier: Apache-2.0
#include "format/tracelog_facts.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/codes.hpp"
#include "format/format.hpp"

namespace polytrace::format::test {
namespace {

using base::Id;
using base::kNoId;
using event::Batch;
using event::Event;
using event::Kind;
using nlohmann::json;

constexpr base::Duration kMillisecond = 1'000'000;

std::string iid(Id id) { return id == kNoId ? "?" : fmt::format("0x{:08x}", id); }

json name_in(const std::map<Id, std::string>& names, Id id) {
  const auto found = names.find(id);
  return found == names.end() ? json() : json(found->second);
}

class Facts {
 public:
  void take(const Batch& batch) {
    batch_ = &batch;
    for (const Event& event : batch.events) take(event);
  }

  json finish() {
    facts_["heap_tables"] = tables_;
    facts_["jit"] = {{"compilations", spans_[0].count},
                     {"compile_ms", spans_[0].ms},
                     {"searches", spans_[1].count},
                     {"search_ms", spans_[1].ms},
                     {"unmatched", unmatched_ + spans_[0].open.size() + spans_[1].open.size()}};
    std::uint64_t open = 0;
    for (const json& gc : collections_) open += gc["end"].is_null() ? 1U : 0U;
    facts_["gc"] = collections_;
    facts_["gc_open"] = open;
    facts_["gc_total_pause_ms"] = pause_;
    facts_["heap_generation_records"] = generations_ / 4;
    facts_["cpu"] = {{"process", cpu_[kNoId].as_json()}, {"threads", json::object()}};
    for (const auto& [thread, cpu] : cpu_) {
      if (thread != kNoId) facts_["cpu"]["threads"][iid(thread)] = cpu.as_json();
    }
    facts_["folded"] = folded_;
    facts_["config"] = config_;
    facts_["pauses"] = pauses_;
    facts_["implicit_threads"] = implicit_.size();
    facts_["functions"] = functions_as_json();
    facts_["classes"] = json::object();
    for (const auto& [id, sums] : classes_)
      facts_["classes"][iid(id)] = {{"name", name_in(class_names_, id)},
                                    {"alloc_count", sums.first},
                                    {"alloc_bytes", sums.second}};
    facts_["threads"] = json::object();
    for (const auto& [id, thread] : threads_) {
      if (thread.samples == 0 && thread.allocs == 0) continue;
      facts_["threads"][iid(id)] = {{"samples", thread.samples},
                                    {"ticks", thread.ticks},
                                    {"alloc_count", thread.allocs},
                                    {"alloc_bytes", thread.bytes},
                                    {"final_depth", thread.stack.size()}};
    }
    facts_["totals"] = {{"samples", samples_},         {"ticks", ticks_},
                        {"paused_ticks", paused_},     {"root_self_ticks", root_},
                        {"alloc_count", alloc_count_}, {"alloc_bytes", alloc_bytes_}};
    return facts_;
  }

 private:
  struct Thread {
    bool begun = false;
    bool sampled = false;
    std::vector<Id> stack;
    base::Time since = 0;
    std::uint64_t samples = 0, ticks = 0, allocs = 0, bytes = 0;
  };
  struct Function {
    std::uint64_t self_ticks = 0, total_ticks = 0, self_bytes = 0, total_bytes = 0;
    std::int64_t self_ms = 0, total_ms = 0;
  };
  struct Cpu {
    std::uint64_t records = 0, bogus = 0;
    std::int64_t usage = 0;
    json as_json() const { return {{"records", records}, {"usage_us", usage}, {"bogus", bogus}}; }
  };
  struct Spans {
    std::uint64_t count = 0;
    std::int64_t ms = 0;
    std::multimap<std::pair<Id, Id>, base::Time> open;
  };

  template <class T>
  const T& details(const Event& event) const {
    static const T none{};
    return batch_->details_or<T>(event, none);
  }

  void take(const Event& event) {
    switch (event.kind) {
      case Kind::Setting:
        config_[std::string(details<event::Setting>(event).key)] =
            details<event::Setting>(event).value;
        return;
      case Kind::Recording: return take(event, details<event::Recording>(event));
      case Kind::Process:
        facts_["pointer_bits"] = details<event::Process>(event).pointer_size * 8;
        return;
      case Kind::Thread: return take(event, details<event::Thread>(event));
      case Kind::Class:
        if (details<event::Class>(event).life == event::Life::name)
          class_names_[event.id] = details<event::Class>(event).name;
        return;
      case Kind::Method:
        if (details<event::Method>(event).runtime_id == kNoId)
          method_names_[event.id] = details<event::Method>(event).name;
        return;
      case Kind::Sample: return take(event, details<event::Sample>(event));
      case Kind::AllocSummary: return take(event, details<event::AllocSummary>(event));
      case Kind::Jit: return take(event, details<event::Jit>(event));
      case Kind::Gc: return take(event, details<event::Gc>(event));
      case Kind::Census: return take(event, details<event::Census>(event));
      case Kind::HeapSize: ++generations_; return;
      case Kind::Cpu: return take(event, details<event::Cpu>(event));
      default: return;
    }
  }

  void take(const Event& event, const event::Recording& recording) {
    if (recording.stage == event::RecordingStage::pause)
      pauses_.push_back({event.time / kMillisecond, nullptr});
    else pauses_.back()[1] = event.time / kMillisecond;
    is_paused_ = recording.stage == event::RecordingStage::pause;
  }

  void take(const Event& event, const event::Thread& thread) {
    threads_[event.id].begun = true;
    if (thread.life == event::Life::end) threads_[event.id].stack.clear();
  }

  void take(const Event& event, const event::Sample& sample) {
    Thread& thread = threads_[event.id];
    if (!thread.begun) implicit_.insert(event.id);
    const auto stack = batch_->list(sample.stack);
    if (config_["CollectionMethod"] == "Instrumentation" && thread.sampled)
      charge_time(thread, (event.time - thread.since) / kMillisecond);
    thread.sampled = true;
    thread.since = event.time;
    thread.stack.assign(stack.begin(), stack.end());
    ++thread.samples;
    ++samples_;
    if (is_paused_) {
      paused_ += sample.weight;
      return;
    }
    thread.ticks += sample.weight;
    ticks_ += sample.weight;
    std::string path;
    for (const Id id : stack)
      path += (path.empty() ? "" : ";") + (id == kNoId ? "?" : fmt::format("{:#x}", id));
    if (sample.weight != 0) folded_[path] = folded_.value(path, std::uint64_t{0}) + sample.weight;
    if (stack.empty()) root_ += sample.weight;
    else functions_[stack.back()].self_ticks += sample.weight;
    for (const Id id : std::set(stack.begin(), stack.end()))
      functions_[id].total_ticks += sample.weight;
  }

  void charge_time(const Thread& thread, std::int64_t ms) {
    if (!thread.stack.empty()) functions_[thread.stack.back()].self_ms += ms;
    for (const Id id : std::set(thread.stack.begin(), thread.stack.end()))
      functions_[id].total_ms += ms;
  }

  void take(const Event& event, const event::AllocSummary& summary) {
    Thread& thread = threads_[batch_->thread(event)];
    thread.allocs += summary.count;
    thread.bytes += summary.bytes;
    alloc_count_ += summary.count;
    alloc_bytes_ += summary.bytes;
    classes_[event.id].first += summary.count;
    classes_[event.id].second += summary.bytes;
    const auto stack = batch_->list(summary.stack);
    if (!stack.empty()) functions_[stack.back()].self_bytes += summary.bytes;
    for (const Id id : std::set(stack.begin(), stack.end()))
      functions_[id].total_bytes += summary.bytes;
  }

  void take(const Event& event, const event::Jit& jit) {
    const bool cached =
        jit.stage == event::JitStage::cached_start || jit.stage == event::JitStage::cached_end;
    const bool starts =
        jit.stage == event::JitStage::start || jit.stage == event::JitStage::cached_start;
    Spans& spans = spans_[cached ? 1 : 0];
    const std::pair key(batch_->thread(event), jit.runtime_id);
    if (starts) {
      spans.open.emplace(key, event.time);
      return;
    }
    const auto behind = spans.open.upper_bound(key);
    if (behind == spans.open.begin() || std::prev(behind)->first != key) {
      ++unmatched_;
      return;
    }
    ++spans.count;
    spans.ms += (event.time - std::prev(behind)->second) / kMillisecond;
    spans.open.erase(std::prev(behind));
  }

  void take(const Event& event, const event::Gc& gc) {
    const auto at = event.time / kMillisecond;
    if (gc.phase == event::GcPhase::start) {
      std::string letters;
      for (unsigned i = 0; i < 4; ++i) letters += (gc.generations >> i & 1) != 0 ? 't' : 'f';
      collections_.push_back({{"start", at},
                              {"end", nullptr},
                              {"pause_ms", nullptr},
                              {"reason", gc.reason.empty() ? "?" : std::string(gc.reason)},
                              {"generations", letters},
                              {"thread", iid(batch_->thread(event))}});
      return;
    }
    for (json& open : collections_) {
      if (!open["end"].is_null()) continue;
      open["end"] = at;
      open["pause_ms"] = at - open["start"].get<std::int64_t>();
      pause_ += at - open["start"].get<std::int64_t>();
      return;
    }
    collections_.push_back({{"start", nullptr},
                            {"end", at},
                            {"pause_ms", nullptr},
                            {"reason", nullptr},
                            {"generations", nullptr},
                            {"thread", iid(batch_->thread(event))}});
  }

  void take(const Event& event, const event::Census& census) {
    const auto at = event.time / kMillisecond;
    if (tables_.empty() || tables_.back()["timestamp"] != at)
      tables_.push_back({{"timestamp", at}, {"items", 0}, {"objects", 0}, {"bytes", 0}});
    json& table = tables_.back();
    table["items"] = table["items"].get<int>() + 1;
    table["objects"] = table["objects"].get<std::uint64_t>() + census.objects;
    table["bytes"] = table["bytes"].get<std::uint64_t>() + census.bytes;
  }

  void take(const Event& event, const event::Cpu& cpu) {
    Cpu& sums = cpu_[cpu.scope == event::CpuScope::process ? kNoId : batch_->thread(event)];
    if (cpu.bogus != 0) {
      ++sums.bogus;
      return;
    }
    ++sums.records;
    sums.usage += cpu.used / 1000;
  }

  json functions_as_json() {
    json all = json::object();
    for (const auto& [id, function] : functions_) {
      json one = {{"name", name_in(method_names_, id)},
                  {"self_ticks", function.self_ticks},
                  {"total_ticks", function.total_ticks},
                  {"self_alloc_bytes", function.self_bytes},
                  {"total_alloc_bytes", function.total_bytes}};
      if (config_["CollectionMethod"] == "Instrumentation") {
        one["self_ms"] = function.self_ms;
        one["total_ms"] = function.total_ms;
      }
      all[iid(id)] = one;
    }
    return all;
  }

  const Batch* batch_ = nullptr;
  json facts_ = json::object();
  json config_ = json::object();
  json pauses_ = json::array();
  json folded_ = json::object();
  json tables_ = json::array();
  json collections_ = json::array();
  std::map<Id, Thread> threads_;
  std::map<Id, Function> functions_;
  std::map<Id, std::string> method_names_;
  std::map<Id, std::string> class_names_;
  std::map<Id, std::pair<std::uint64_t, std::uint64_t>> classes_;
  std::map<Id, Cpu> cpu_;
  std::set<Id> implicit_;
  Spans spans_[2];
  std::uint64_t samples_ = 0, ticks_ = 0, paused_ = 0, root_ = 0, alloc_count_ = 0,
                alloc_bytes_ = 0, generations_ = 0, unmatched_ = 0;
  std::int64_t pause_ = 0;
  bool is_paused_ = false;
};

std::uint64_t times(const base::Notices& notices, base::Code code) {
  const base::Notice* const notice = notices.find(code);
  return notice == nullptr ? 0 : notice->count;
}

}  // namespace

json count_tracelog_facts(const std::string& path) {
  auto opened = format::open(*base::open_source(path));
  Facts events;
  event::Tally tally;
  base::Notices notices;
  event::Batch batch;
  while (*opened->reader->next(batch)) {
    events.take(batch);
    tally.merge(batch.tally);
    notices.merge(batch.notices);
  }
  notices.merge(opened->reader->notices());
  json facts = events.finish();
  const std::uint64_t cut = times(notices, base::Code::frame_truncated);
  facts["records"] = json::object();
  for (std::size_t i = 0; i < tally.records.size(); ++i) {
    if (tally.records[i].count != 0)
      facts["records"][opened->format->record_name(static_cast<std::uint8_t>(i))] =
          tally.records[i].count;
  }
  facts["bytes"] = tally.frame_bytes + tally.record_bytes() + notices.bytes_lost();
  facts["lines"] = tally.frames + cut;
  facts["malformed"] = times(notices, base::Code::line_malformed) + cut;
  facts["unknown"] = times(notices, base::Code::line_unknown);
  facts["desync"] = times(notices, base::Code::depth_differs);
  facts["callpoint_without_frame"] = times(notices, base::Code::call_point_alone);
  facts["blank"] = tally.frames - tally.total() - times(notices, base::Code::line_malformed) -
                   times(notices, base::Code::line_unknown);
  for (const auto& [key, code] : {std::pair("malformed_lines", base::Code::line_malformed),
                                  std::pair("unknown_lines", base::Code::line_unknown),
                                  std::pair("desync_lines", base::Code::depth_differs)}) {
    const base::Notice* const notice = notices.find(code);
    facts[key] = notice == nullptr ? json::array() : json::array({notice->first.line});
  }
  return facts;
}

}  // namespace polytrace::format::test
