// SPDX-License-Identifier: Apache-2.0
// Writes `.mlpd` of data version 17 or 1. Events keep their order: a buffer ends where the thread
// changes, so a name that stood before its first use still does. Only starts and ends of
// collections may stand later.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/seeded_hash.hpp"
#include "format/format.hpp"
#include "format/mlpd/records/counter_sums.hpp"
#include "format/mlpd/records/header.hpp"
#include "format/mlpd/records/record_writer.hpp"

namespace polytrace::format::mlpd {

class MlpdWriter final : public event::Writer {
 public:
  static base::result<std::unique_ptr<event::Writer>> create(std::unique_ptr<base::Sink> sink,
                                                             const WriteOptions& options);
  static bool holds(event::Kind kind, std::string_view version);

  MlpdWriter(std::unique_ptr<base::Sink> sink, unsigned version)
      : sink_(std::move(sink)), version_(version), records_(version) {}

  base::result<void> write(const event::Batch& batch) override;
  void leave_open() override { leave_open_ = true; }
  base::result<void> finish() override;
  const event::Loss& loss() const override { return loss_; }

 private:
  // One event, or as many as one record takes: gives how many were written or lost.
  std::size_t put(std::size_t at);
  template <class T>
  void put_event(const event::Event& event, T details);
  void put_call(const event::Event& event);
  // The calls from `at` on that only add to the open buffer: gives how many there are.
  std::size_t put_calls(std::size_t at);
  template <class T>
  void put_list(std::uint8_t first, std::size_t at, std::size_t count);
  void put_item(const event::Event& event, event::Move move);
  void put_item(const event::Event& event, const event::Root& root);
  void put_item(const event::Event& event, const event::CounterDef& counter);
  void put_item(const event::Event& event, event::CounterValue value);
  void put_sample(const event::Event& event, const event::Sample& sample);
  void tell(const event::Event& event, const event::Process& process);
  void tell(const event::Event& event, const event::Clock& clock);

  // The details an event of kind T has in the current batch.
  template <class T>
  const T& details(const event::Event& event) const;
  std::size_t run_length(std::size_t at) const;
  // Starts and ends of collections (write_collections.cpp), until both are there.
  struct HeldCollection {
    base::Time time;
    base::Id thread;
    base::Id id;
    event::Gc details;
    std::string reason;
  };
  bool hold(const event::Event& event, const event::Gc& gc);
  void release(std::map<base::Id, HeldCollection>::iterator which);
  void release_all();
  void put_held(const HeldCollection& held);
  void put_collection(const event::Event& event, const event::Gc& gc);
  // Starts a record, in a new buffer where needed. False when this version has no such record.
  bool start(std::uint8_t first, const event::Event& event);
  void tell_inexact(const event::Event& event);
  void lose(const event::Event& event) { loss_.event(event.kind); }

  // What is allocated is told by vtable since version 15 and by class before: these add the
  // definition that the other side of that change needs.
  void before(const event::Event& event, event::Class& details);
  void before(const event::Event& event, event::Vtable& details);
  void before(const event::Event& event, event::Alloc& details);
  void before(const event::Event& event, event::DumpObject& details);
  template <class T>
  void before(const event::Event&, T&) {}
  void alias_class(const event::Event& event, base::Id class_id);
  void name_vtable(const event::Event& event, base::Id vtable, base::Id class_id);

  base::result<void> flush();
  void open_buffer(base::Id thread, base::Time time);
  void close_buffer();
  void append_header();

  std::unique_ptr<base::Sink> sink_;
  unsigned version_;
  RecordWriter records_;
  base::Appender ready_;  // header and closed buffers not yet in the sink
  event::Loss loss_;
  event::LostCallFields lost_of_calls_;
  CounterSums counters_;
  FileHeader header_;
  const event::Batch* batch_ = nullptr;
  bool have_process_ = false;
  bool have_clock_ = false;
  bool header_done_ = false;
  bool first_buffer_ = true;
  bool leave_open_ = false;
  std::map<base::Id, HeldCollection> held_;
  std::unordered_map<base::Id, std::string, base::SeededHash> class_names_;
  std::unordered_map<base::Id, base::Id, base::SeededHash> vtables_;
  std::unordered_multimap<base::Id, base::Id> unnamed_vtables_;  // by class; before version 15
};

}  // namespace polytrace::format::mlpd
