// SPDX-License-Identifier: Apache-2.0
// A trace with its index, opened once and asked by any number of threads: what a front end that
// stays keeps of it. Times of its questions and answers are offsets: nanoseconds since the first
// event of the trace.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "service/index/ready_index.hpp"
#include "service/selection/selection.hpp"
#include "store/store.hpp"

namespace polytrace::service {

class IndexedTrace {
 public:
  // Opens the index of the input's trace, which is made where there is none, or none that is
  // current. Refusals: those of ready_index(); limit_exceeded when asked to stop.
  static Asked<std::shared_ptr<const IndexedTrace>> open(const Input& input);

  const std::string& file() const { return file_; }
  const store::Store& store() const { return *store_; }
  std::uint64_t index_bytes() const { return index_bytes_; }

  // What all questions of the service ask; `stop` may be null.
  std::unique_ptr<Input> input(const std::atomic<bool>* stop) const;

  base::Time origin() const { return origin_; }  // 0 where no event has a time
  base::Time at(std::int64_t offset) const;      // saturates
  std::int64_t offset(base::Time time) const { return time - origin_; }

  // Something of the trace could not be read: what is said of it is of the rest.
  bool is_partial() const { return is_partial_; }
  std::uint64_t rows(event::Kind kind) const;  // events of a kind other than calls
  std::uint32_t methods() const { return static_cast<std::uint32_t>(method_names_.size()); }
  std::uint32_t threads() const;
  std::uint32_t classes() const;
  // As reports have them. Of an index that there is not: "(other paths)".
  const std::string& method_name(std::uint32_t method) const;
  std::string class_name(std::uint32_t class_index) const;
  const std::string& thread_name(std::uint32_t thread) const { return thread_names_[thread]; }
  base::Id thread_id(std::uint32_t thread) const;
  bool is_helper(std::uint32_t method) const {
    return method < helpers_.size() && helpers_[method];
  }
  bool has_helpers() const { return has_helpers_; }

 private:
  IndexedTrace(std::string file, ReadyIndex ready);
  std::string whole_method_name(std::uint32_t method) const;
  void name_threads();
  std::uint32_t resolved_class(std::uint64_t class_index) const;
  std::string_view text_of(const store::Entity& entity) const {
    return store_->texts().text(entity.name);
  }

  std::string file_;
  std::shared_ptr<const store::Store> store_;
  bool is_partial_ = false;
  std::uint64_t index_bytes_ = 0;
  base::Time origin_ = 0;
  std::vector<std::string> method_names_;
  std::vector<std::string> thread_names_;
  std::vector<bool> helpers_;
  bool has_helpers_ = false;
};

// "java.util" of "java.util.HashMap.put (Object)": what stands before the class. Empty where there
// is none.
std::string_view package_of(std::string_view method_name);

// A trace's id, which is the same for equal contents: 16 hexadecimal digits of its fingerprint.
// Errors: those of store::identify().
base::result<std::string> trace_id(const std::string& file);
// Of all of its content, for one whose fingerprint another trace has. Errors: the same.
base::result<std::string> content_id(const std::string& file);

}  // namespace polytrace::service
