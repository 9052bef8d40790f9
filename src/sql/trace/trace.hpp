// SPDX-License-Identifier: Apache-2.0
// A trace as tables see it: its index, and what its numbers are called. What is not asked for costs
// nothing; what is asked for once is kept. Any number of threads.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sql/model/value.hpp"
#include "sql/trace/derived.hpp"
#include "sql/trace/heap_graphs.hpp"
#include "store/store.hpp"

namespace polytrace::sql {

// Facts that the index does not tell, from who opened it.
struct TraceFacts {
  std::string file{};
  std::string index_state = "complete";
  bool is_partial = false;
  std::shared_ptr<const Derived> derived{};  // null: there is nothing of it
};

struct MethodName {
  std::string name;        // whole
  std::string short_name;  // without package and parameters
  std::uint32_t class_index = store::kNoIndex;
  bool is_helper = false;
};

struct ThreadName {
  std::string name;
  std::string group{};
  base::Id id = base::kNoId;
  base::Id os_thread = base::kNoId;
  base::Time first = base::kNoTime;  // of its events
  base::Time last = base::kNoTime;
  std::uint64_t events = 0;
  std::uint64_t calls = 0;
  std::optional<std::uint64_t> cpu{};  // nanoseconds, where it is known
  bool is_virtual = false;
};

class Trace {
 public:
  Trace(std::shared_ptr<const store::Store> store, TraceFacts facts);

  const store::Store& store() const { return *store_; }
  const TraceFacts& facts() const { return facts_; }
  base::Time start() const { return start_; }
  base::Time end() const { return end_; }

  // By index. Of one that there is not: "unknown ...".
  const std::vector<MethodName>& methods() const;
  std::string_view method_name(std::uint32_t method) const;
  // The class that a vtable stands for, of a class itself.
  std::uint32_t class_of(std::uint32_t index) const;
  // The class that has the id, the last one of several; kNoIndex: none has.
  std::uint32_t class_with(base::Id id) const;
  const std::vector<std::string>& classes() const;
  std::string_view class_name(std::uint32_t index) const;
  const std::vector<ThreadName>& threads() const;
  std::string_view thread_name(std::uint32_t thread) const;
  // The thread that has the id, the last one of several; NULL: none has.
  Value thread_of(base::Id id) const;
  // The one that has events then.
  Value thread_at(base::Id id, base::Time time) const;
  // "0x7f01"; kept as long as the trace is.
  std::string_view id_name(base::Id id) const;
  // Of a path's innermost method; "(other paths)" of what had no room.
  std::string_view path_name(std::uint32_t path) const;
  // Callers above the outermost, by path.
  const std::vector<std::uint32_t>& depths() const;
  const HeapGraphs& heap_graphs() const { return heap_graphs_; }

 private:
  void name_methods() const;
  void name_classes() const;
  void name_threads() const;

  std::shared_ptr<const store::Store> store_;
  TraceFacts facts_;
  HeapGraphs heap_graphs_;
  base::Time start_;
  base::Time end_;
  mutable std::once_flag methods_once_, classes_once_, threads_once_, depths_once_;
  mutable std::vector<MethodName> methods_;
  mutable std::vector<std::string> classes_;
  mutable std::unordered_map<base::Id, std::uint32_t> classes_by_id_;
  mutable std::vector<ThreadName> threads_;
  mutable std::vector<std::uint32_t> depths_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::unordered_map<base::Id, std::string> ids_;
};

// As SQL has what may not be told.
inline Value index_value(std::uint32_t index) {
  return index == store::kNoIndex ? Value() : Value::of(index);
}
inline Value time_value(base::Time time) {
  return time == base::kNoTime ? Value() : Value::of(std::int64_t{time});
}
// "Main.Run" of "Ns.Main:Run (int)" and of "ns.Main.Run(int)".
std::string shortened(std::string_view name);
// "0x7f01"; empty of what is not told.
std::string id_text(base::Id id);

}  // namespace polytrace::sql
