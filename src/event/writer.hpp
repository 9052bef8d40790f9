// SPDX-License-Identifier: Apache-2.0
// The writing door of a format: batches in, bytes out. One thread at a time.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "event/batch.hpp"
#include "event/fields.hpp"

namespace polytrace::event {

// What the target could not hold: whole events by kind, and single fields of events that were
// written. A conversion shows it.
struct Loss {
  std::array<u64, kKindCount> events{};
  std::map<std::string, u64> fields;  // "sample.places" -> how many had one

  void event(Kind kind) { ++events[static_cast<std::size_t>(kind)]; }
  // REQUIRES: the characters of `name` live as long as the program.
  void field(Kind kind, std::string_view name, u64 times = 1) {
    auto& counters = counters_.of_kind[static_cast<std::size_t>(kind)];
    for (const Counter& known : counters) {
      if (known.name == name.data()) return static_cast<void>(*known.count += times);
    }
    u64& count = fields[std::string(describe(kind).name) + "." + std::string(name)];
    counters.push_back({name.data(), &count});
    count += times;
  }
  u64 total() const {
    u64 sum = 0;
    for (const u64 count : events) sum += count;
    for (const auto& [name, count] : fields) sum += count;
    return sum;
  }

 private:
  struct Counter {
    const char* name;
    u64* count;  // in `fields`
  };
  // Where the same field was counted before: a copy knows of none.
  struct Counters {
    Counters() = default;
    Counters(const Counters&) {}
    Counters& operator=(const Counters&) {
      of_kind = {};
      return *this;
    }
    std::array<std::vector<Counter>, kKindCount> of_kind;
  };
  Counters counters_;
};

// The fields of calls, where a format has no place for any: added up without a branch, as most
// sources tell several of each call, and told to the loss batch by batch.
class LostCallFields {
 public:
  // What the event tells besides its method. REQUIRES: is_call(event.kind).
  void see(const Batch& batch, const Event& event) {
    if (event.detail == kAbsent) return;
    if (event.kind == Kind::Enter) add(batch.details<Enter>(event), enters_);
    else if (event.kind == Kind::Leave) add(batch.details<Leave>(event), leaves_);
    else add(batch.details<Unwind>(event), unwinds_);
  }
  void tell(Loss& loss) {
    tell<Enter>(enters_, loss);
    tell<Leave>(leaves_, loss);
    tell<Unwind>(unwinds_, loss);
  }

 private:
  static constexpr std::size_t kMostFields = 8;
  using Counts = std::array<u64, kMostFields>;

  // Visitors (fields.hpp).
  struct Sum {
    u64* at;
    template <Tag tag, class T>
    void field(std::string_view, const T& value) {
      *at++ += u64{is_told<tag>(value)};
    }
  };
  struct Teller {
    Kind kind;
    u64* at;
    Loss& loss;
    template <Tag tag, class T>
    void field(std::string_view name, const T&) {
      if (*at != 0) loss.field(kind, name, *at);
      *at++ = 0;
    }
  };
  template <class T>
  static void add(const T& details, Counts& counts) {
    Sum sum{counts.data()};
    visit_fields(sum, details);
  }
  template <class T>
  static void tell(Counts& counts, Loss& loss) {
    Teller teller{KindOf<T>::value, counts.data(), loss};
    visit_fields(teller, T{});
  }

  Counts enters_{};
  Counts leaves_{};
  Counts unwinds_{};
};

class Writer {
 public:
  Writer() = default;
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  virtual ~Writer() = default;

  // Settled batches in stream order. What the format cannot hold is counted in loss().
  virtual base::result<void> write(const Batch& batch) = 0;
  // Before finish(): the trace was cut off, and who reads what is written shall learn. It lacks its
  // end or, in a format that has none, ends inside a record.
  virtual void leave_open() = 0;
  // Writes what is still held back and commits the sink. Without it nothing appears.
  virtual base::result<void> finish() = 0;
  virtual const Loss& loss() const = 0;
};

}  // namespace polytrace::event
