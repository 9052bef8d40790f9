// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd_facts.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/codes.hpp"
#include "event/pump.hpp"
#include "format/format.hpp"

namespace polytrace::format::test {
namespace {

using base::Code;
using base::Id;
using event::Batch;
using event::Event;
using event::Kind;
using nlohmann::json;

using ById = std::map<Id, std::uint64_t>;
using ByName = std::map<std::string, std::uint64_t>;

constexpr std::size_t kTop = 12;
constexpr std::uint64_t kBufferHeaderBytes = 48;

// The largest, ties by name.
json top(const ByName& counts) {
  std::vector<std::pair<std::string, std::uint64_t>> all(counts.begin(), counts.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  json result = json::object();
  for (std::size_t i = 0; i < std::min(kTop, all.size()); ++i) result[all[i].first] = all[i].second;
  return result;
}

// Adds garbage code sizes without wrapping.
class WideSum {
 public:
  void add(std::uint64_t value) {
    low_ += value;
    high_ += low_ < value ? 1U : 0U;
  }
  json to_json() const {
    if (high_ == 0) return low_;
    return static_cast<double>(std::ldexp(static_cast<long double>(high_), 64) +
                               static_cast<long double>(low_));
  }

 private:
  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

struct Snapshot {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::uint64_t refs = 0;
  ById count_by_class;
};

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

class Counter final : public event::Consumer {
 public:
  bool consume(const Batch& batch) override {
    batch_ = &batch;
    threads_.insert(batch.threads.begin(), batch.threads.end());
    for (const Event& event : batch.events) count(event);
    return true;
  }
  json facts(const std::string& path, const event::Reader& reader,
             const event::PumpOutcome& outcome) const;

 private:
  template <class T>
  T details(const Event& event) const {
    return batch_->details_or<T>(event, T{});
  }
  void count(const Event& event);
  void count_more(const Event& event);
  void define(const Event& event);
  void count_time(const Event& event);
  void count_call(const Event& event);
  void count_gc(const Event& event);
  void count_dump(const Event& event);

  std::string class_name(Id id) const;
  std::string method_name(Id id) const;
  ByName by_name(const ById& counts, std::string (Counter::*name)(Id) const) const;
  json header(const event::Reader& reader, const event::PumpOutcome& outcome) const;
  json snapshots() const;
  json gc() const;

  const Batch* batch_ = nullptr;
  std::set<Id> threads_;
  base::Time first_ = INT64_MAX;
  base::Time last_ = INT64_MIN;
  json header_;

  std::map<Id, std::string> classes_;
  std::map<Id, Id> vtables_;
  std::map<Id, std::string> methods_;
  std::map<Id, std::string> thread_names_;
  std::map<Id, std::string> domains_;
  std::vector<std::string> images_;
  std::vector<std::string> assemblies_;

  std::uint64_t image_unloads_ = 0, with_code_ = 0, helpers_ = 0, counters_ = 0, roots_ = 0;
  std::uint64_t registered_ = 0, unregistered_ = 0, throws_ = 0, samples_ = 0, objects_ = 0;
  std::uint64_t allocated_ = 0, moves_ = 0, max_heap_ = 0, finalized_ = 0;
  std::uint64_t enter_ = 0, leave_ = 0, exc_leave_ = 0;
  WideSum code_bytes_;
  ById allocated_by_class_, calls_by_method_, leaf_samples_;
  ByName clauses_, monitor_, collections_, created_, destroyed_, syncs_;
  std::vector<Snapshot> snapshots_;
};

void Counter::count(const Event& event) {
  count_time(event);
  define(event);
  count_call(event);
  count_gc(event);
  count_dump(event);
  count_more(event);
}

void Counter::count_time(const Event& event) {
  if (event.kind == Kind::Process || event.kind == Kind::Clock) return;
  first_ = std::min(first_, event.time);
  last_ = std::max(last_, event.time);
}

void Counter::define(const Event& event) {
  if (event.kind == Kind::Process) {
    const auto process = details<event::Process>(event);
    header_["pid"] = event.id;
    header_["port"] = process.port;
    header_["ptrsize"] = process.pointer_size;
    header_["args"] = process.options;
    header_["arch"] = process.architecture;
    header_["os"] = process.os;
    unsigned major = 0, minor = 0;
    EXPECT_EQ(sscanf(std::string(process.agent_version).c_str(), "%u.%u", &major, &minor), 2);
    header_["major"] = major;
    header_["minor"] = minor;
  } else if (event.kind == Kind::Clock) {
    const auto clock = details<event::Clock>(event);
    header_["start_ms"] = clock.wall / 1'000'000;
    header_["start_ns"] = event.time;
    header_["overhead"] = clock.overhead;
  } else if (event.kind == Kind::Class) {
    classes_[event.id] = details<event::Class>(event).name;
  } else if (event.kind == Kind::Vtable) {
    vtables_[event.id] = details<event::Vtable>(event).class_id;
  } else if (event.kind == Kind::Method) {
    const auto method = details<event::Method>(event);
    methods_[event.id] = method.name;
    if (method.code != 0) ++with_code_;
    // What the recorder's C int made negative, the facts count as the 64-bit number written.
    const bool negative = method.code_size >= 0x80000000U;
    code_bytes_.add(method.code_size | (negative ? 0xffffffff00000000U : 0U));
  } else if (event.kind == Kind::Thread) {
    const auto thread = details<event::Thread>(event);
    if (!thread.name.empty()) thread_names_[event.id] = thread.name;
  } else if (event.kind == Kind::Domain) {
    const auto domain = details<event::Domain>(event);
    if (!domain.name.empty()) domains_[event.id] = domain.name;
  } else if (event.kind == Kind::Module) {
    const auto image = details<event::Module>(event);
    if (image.life == event::Life::end) ++image_unloads_;
    else images_.push_back(base_name(image.name));
  } else if (event.kind == Kind::Assembly) {
    const auto assembly = details<event::Assembly>(event);
    if (assembly.life == event::Life::begin) assemblies_.emplace_back(assembly.name);
  }
}

void Counter::count_call(const Event& event) {
  if (event.kind == Kind::Enter) ++enter_, ++calls_by_method_[event.id];
  if (event.kind == Kind::Leave) ++leave_;
  if (event.kind == Kind::Unwind) ++exc_leave_;
  if (event.kind == Kind::Throw) ++throws_;
  if (event.kind == Kind::Sample) {
    ++samples_;
    const auto stack = details<event::Sample>(event).stack;
    const auto frames = batch_->list(stack);
    ++leaf_samples_[frames.empty() ? 0 : frames.back()];
  }
  if (event.kind == Kind::Clause) {
    static constexpr const char* kNames[]{"catch", "filter", "finally", "fault"};
    ++clauses_[kNames[static_cast<std::size_t>(details<event::Clause>(event).clause)]];
  }
  if (event.kind == Kind::Monitor) {
    static constexpr const char* kNames[]{"contention", "acquired", "failed"};
    ++monitor_[kNames[static_cast<std::size_t>(details<event::Monitor>(event).stage)]];
  }
}

void Counter::count_gc(const Event& event) {
  if (event.kind == Kind::Alloc) {
    const auto alloc = details<event::Alloc>(event);
    ++objects_;
    allocated_ += alloc.size;
    allocated_by_class_[event.id] += alloc.size;
  }
  if (event.kind == Kind::Gc) {
    const auto gc = details<event::Gc>(event);
    if (gc.phase == event::GcPhase::start) ++collections_[fmt::format("gen{}", gc.generation)];
  }
  if (event.kind == Kind::Move) ++moves_;
  if (event.kind == Kind::HeapSize)
    max_heap_ = std::max(max_heap_, details<event::HeapSize>(event).total);
  if (event.kind == Kind::Finalize)
    finalized_ += details<event::Finalize>(event).stage == event::FinalizeStage::object_end;
  if (event.kind == Kind::Handle) {
    static constexpr const char* kNames[]{"weak", "weaktrack", "normal", "pinned"};
    const auto handle = details<event::Handle>(event);
    auto& counts = handle.stage == event::HandleStage::created ? created_ : destroyed_;
    ++counts[kNames[static_cast<std::size_t>(handle.type)]];
  }
}

void Counter::count_dump(const Event& event) {
  if (event.kind == Kind::Dump && details<event::Dump>(event).stage == event::DumpStage::start)
    snapshots_.emplace_back();
  if (event.kind != Kind::DumpObject) return;
  const auto object = details<event::DumpObject>(event);
  Snapshot& now = snapshots_.back();
  now.refs += object.refs.count;
  now.bytes += object.size;
  if (object.size == 0) return;  // more references of an object told before
  ++now.objects;
  ++now.count_by_class[object.class_id];
}

void Counter::count_more(const Event& event) {
  if (event.kind == Kind::Code) ++helpers_;
  if (event.kind == Kind::CounterDef) ++counters_;
  if (event.kind == Kind::Root) ++roots_;
  if (event.kind == Kind::RootRegion) {
    const bool ended = details<event::RootRegion>(event).stage == event::RegionStage::unregistered;
    ++(ended ? unregistered_ : registered_);
  }
  if (event.kind == Kind::SyncPoint)
    ++syncs_[std::string(event::name(details<event::SyncPoint>(event).sync))];
}

std::string Counter::class_name(Id id) const {
  if (const auto vtable = vtables_.find(id); vtable != vtables_.end()) id = vtable->second;
  const auto found = classes_.find(id);
  return found == classes_.end() ? fmt::format("unknown {:#x}", id) : found->second;
}

std::string Counter::method_name(Id id) const {
  const auto found = methods_.find(id);
  if (found != methods_.end()) return found->second;
  return id == 0 ? "?" : fmt::format("unknown {:#x}", id);
}

ByName Counter::by_name(const ById& counts, std::string (Counter::*name)(Id) const) const {
  ByName result;
  for (const auto& [id, count] : counts) result[(this->*name)(id)] += count;
  return result;
}

json Counter::header(const event::Reader& reader, const event::PumpOutcome& outcome) const {
  json result = header_;
  result["data"] = std::stoi(reader.version());
  result["flags"] = 0;  // the reader refuses any other
  result["bytes"] = outcome.tally.frame_bytes - outcome.tally.frames * kBufferHeaderBytes;
  if (result["major"] == 0) result["sysid"] = 0;  // no event tells it: always 0
  if (result["major"] < 3) result.erase("start_ns");
  if (result["major"] == 0) result.erase("args"), result.erase("arch"), result.erase("os");
  return result;
}

json Counter::snapshots() const {
  json result = json::array();
  for (const Snapshot& one : snapshots_)
    result.push_back({{"objects", one.objects},
                      {"bytes", one.bytes},
                      {"refs", one.refs},
                      {"top_count", top(by_name(one.count_by_class, &Counter::class_name))}});
  return result;
}

json Counter::gc() const {
  return {{"starts", collections_},          {"moves", moves_},
          {"max_heap", max_heap_},           {"handles_created", created_},
          {"handles_destroyed", destroyed_}, {"finalized", finalized_}};
}

json last_names(const std::map<Id, std::string>& by_id) {
  std::multiset<std::string> names;
  for (const auto& [id, name] : by_id) names.insert(name);
  return names;
}

// In the words of the facts, which tell the type of an unknown record.
std::string why(const std::string& path, const base::Notice& notice) {
  if (notice.code != Code::record_unknown) return notice.detail;
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(notice.first.offset));
  return fmt::format("type {}", file.get() & 0x0f);
}

// Notices that stand for a buffer whose rest was ignored.
json bad_buffers(const std::string& path, const base::Notices& notices) {
  json result = json::array();
  for (const base::Notice& notice : notices.sorted()) {
    const auto at = notice.first.frame.find(" at 0x");
    if (at == std::string::npos) continue;
    result.push_back({{"file_offset", std::stoull(notice.first.frame.substr(at + 6), nullptr, 16)},
                      {"why", why(path, notice)}});
  }
  return result;
}

json records(const event::Tally& tally) {
  json result = json::object();
  for (unsigned i = 0; i < tally.records.size(); ++i) {
    const auto& kind = tally.records[i];
    if (kind.count == 0) continue;
    result[fmt::format("{}.{}", i & 15, i >> 4)] = {{"count", kind.count}, {"bytes", kind.bytes}};
  }
  return result;
}

json Counter::facts(const std::string& path, const event::Reader& reader,
                    const event::PumpOutcome& outcome) const {
  const base::Notice* cut = outcome.notices.find(Code::frame_truncated);
  json facts;
  facts["header"] = header(reader, outcome);
  facts["buffers"] = outcome.tally.frames;
  facts["truncated_last_buffer"] = cut != nullptr;
  facts["trailing_bytes"] = cut == nullptr ? 0 : cut->bytes;
  facts["bad_buffers"] = bad_buffers(path, outcome.notices);
  facts["threads_with_buffers"] = threads_.size() - threads_.count(base::kNoId);
  facts["span_ns"] = last_ - first_;
  facts["time_wraparounds"] = outcome.tally.time_wraps;
  facts["events"] = records(outcome.tally);
  facts["total_events"] = outcome.tally.total();
  facts["alloc"] = {{"objects", objects_},
                    {"bytes", allocated_},
                    {"top_bytes", top(by_name(allocated_by_class_, &Counter::class_name))}};
  facts["calls"] = {{"enter", enter_},
                    {"leave", leave_},
                    {"exc_leave", exc_leave_},
                    {"top", top(by_name(calls_by_method_, &Counter::method_name))}};
  facts["throws"] = throws_;
  facts["clauses"] = clauses_;
  facts["monitor"] = monitor_;
  facts["gc"] = gc();
  facts["heapshots"] = snapshots();
  facts["samples"] = {{"total", samples_},
                      {"top_leaf", top(by_name(leaf_samples_, &Counter::method_name))}};
  facts["thread_names"] = last_names(thread_names_);
  facts["domains"] = last_names(domains_);
  facts["images"] = images_;
  facts["assemblies"] = assemblies_;
  facts["image_unloads"] = image_unloads_;
  facts["jitted_with_code"] = with_code_;
  facts["jit_code_bytes"] = code_bytes_.to_json();
  facts["jit_helpers"] = helpers_;
  facts["counter_descriptors"] = counters_;
  facts["root_refs"] = roots_;
  facts["root_register"] = registered_;
  facts["root_unregister"] = unregistered_;
  facts["sync_points"] = syncs_;
  return facts;
}

}  // namespace

json count_facts(const std::string& path) {
  auto source = base::open_source(path);
  auto opened = format::open(std::move(*source));
  Counter counter;
  const event::PumpOutcome outcome = event::pump(*opened->reader, counter);
  return counter.facts(path, *opened->reader, outcome);
}

}  // namespace polytrace::format::test
