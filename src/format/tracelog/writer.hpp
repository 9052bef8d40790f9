// SPDX-License-Identifier: Apache-2.0
// Writes TraceLog in one dialect. Events keep their order; neighbours that one record holds share
// its line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/seeded_hash.hpp"
#include "format/format.hpp"
#include "format/tracelog/lines/line.hpp"
#include "format/tracelog/lines/sample.hpp"

namespace polytrace::format::tracelog {

class TraceLogWriter final : public event::Writer {
 public:
  static base::result<std::unique_ptr<event::Writer>> create(std::unique_ptr<base::Sink> sink,
                                                             const WriteOptions& options);
  static bool holds(event::Kind kind, std::string_view version);

  TraceLogWriter(std::unique_ptr<base::Sink> sink, Dialect dialect)
      : sink_(std::move(sink)), dialect_(dialect), out_(dialect) {}

  base::result<void> write(const event::Batch& batch) override;
  void leave_open() override { open_ = true; }
  base::result<void> finish() override;
  const event::Loss& loss() const override { return loss_; }

 private:
  // What stands at the head of a function's records.
  using FunctionHead = decltype(Line::numbers);
  // A function whose blocks of code are still coming.
  struct Function {
    bool open = false;
    base::Id id = base::kNoId;
    FunctionHead head{};
    std::vector<CodeItem> blocks;
    std::vector<CodeItem> map;
    bool told_code = false;  // the first block stands there because the method told it
    unsigned codes = 0;      // code events so far
    bool named = false;      // its names follow it
    std::array<std::string, 3> names;
  };
  // A thread's stack as the log has it.
  struct Told {
    Frames frames;
    bool by_calls = false;  // it is that of the calls
  };
  // Rows of one collection, until its thread says something else: other threads may come between.
  struct Table {
    Key key{};
    base::Id collection = base::kNoId;  // none: there is no table
    base::Id thread = base::kNoId;
    base::Time time = 0;  // of the first row
    std::string rows;
  };
  // Allocations of a class that share an item of a line.
  struct Allocated {
    base::Id type;
    std::uint64_t ip;
    std::uint64_t count;
    std::uint64_t bytes;
  };
  // The end of a compilation, which early logs tell with the function.
  struct Compiled {
    bool cached = false;
    std::uint32_t status = 0;
  };

  void put(const event::Event& event);
  // The calls at the front that only push or pop a frame: gives how many there are.
  std::size_t put_calls(std::span<const event::Event> events);

  // --- write_session.cpp ---
  void tell(const event::Event& event, const event::Process& process);
  void tell(const event::Event& event, const event::Clock& clock);
  void tell(const event::Event& event, const event::Setting& setting);
  void tell(const event::Event& event, const event::Recording& recording);
  void tell(const event::Event& event, const event::Cpu& cpu);

  // --- write_definitions.cpp ---
  void tell(const event::Event& event, const event::Thread& thread);
  void tell(const event::Event& event, const event::Domain& domain);
  void tell(const event::Event& event, const event::Assembly& assembly);
  void tell(const event::Event& event, const event::Module& module);
  void tell(const event::Event& event, const event::Class& type);
  void tell(const event::Event& event, const event::Method& method);
  void tell(const event::Event& event, const event::Code& code);
  void tell(const event::Event& event, const event::SourceFile& file);
  void tell(const event::Event& event, const event::SourceLine& source);
  void end_thread(base::Id thread);
  void end_threads(base::Time before);
  void open_function(const event::Event& event, const event::Method& method);
  void name_function(const event::Event& event, const event::Method& method);
  void keep_names(const event::Event& event, const event::Method& method);
  void put_names(base::Id id);
  bool open_again(base::Id id);
  bool belongs_to_function(const event::Event& event, const event::Code& code) const;
  void close_function();
  std::uint64_t class_reference(const event::Event& event, base::Id class_id);

  // --- write_runtime.cpp ---
  void tell(const event::Event& event, const event::Jit& jit);
  void tell(const event::Event& event, const event::Gc& gc);
  void tell(const event::Event& event, const event::Census& census);
  void tell(const event::Event& event, const event::HeapSize& size);
  bool tell_early_jit(const event::Event& event, const event::Jit& jit);
  std::uint64_t letters_of(const event::Event& event, const event::Gc& gc);

  // --- write_stacks.cpp ---
  void tell(const event::Event& event, const event::Sample& sample);
  void tell(const event::Event& event, const event::AllocSummary& summary);
  const Frames& frames_of(const event::Stack& stack);
  void put_stack(base::Id thread, std::uint64_t timestamp, std::uint64_t count,
                 const Frames& frames);
  // The stack that is charged is the one in force: where it is not, it is put in force first.
  void charge(base::Id thread, std::uint64_t timestamp, const Frames& frames);
  void start_stack(base::Id thread, std::uint64_t timestamp, std::uint64_t count);

  // --- write_calls.cpp ---
  void tell(const event::Event& event, const event::Enter& enter);
  void tell(const event::Event& event, const event::Leave& leave);
  void tell(const event::Event& event, const event::Unwind& unwind);
  void tell(const event::Event& event, const event::Alloc& alloc);
  void exit(const event::Event& event);
  void show_calls(const event::Event& event, std::size_t kept);
  const Frames& frames_of_calls(base::Id thread);
  void put_allocated();
  void add_row(const event::Event& event, Key key, base::Id collection, std::string_view row);
  void put_table();

  template <class T>
  void tell(const event::Event& event, const T&) {
    lose(event);
  }

  // Starts the line of a record. Timed ones set the time of those behind them.
  Line& start(Key key);
  void untimed(const event::Event& event);  // says so where that loses the event's time
  std::uint64_t timestamp(const event::Event& event);
  base::Time shifted(const event::Event& event) const;
  void put_line();
  // Continues the list that is open when it is of this kind, time and thread; else starts one.
  bool continues_list(Key key, const event::Event& event);
  void end_list();
  void name_thread(base::Id thread);
  void no_thread(const event::Event& event);
  std::string_view one_line(const event::Event& event, std::string_view text,
                            std::string_view field, std::string& keep);
  void lose(const event::Event& event) { loss_.event(event.kind); }
  void lose(const event::Event& event, bool told, std::string_view field) {
    if (told) loss_.field(event.kind, field);
  }

  std::unique_ptr<base::Sink> sink_;
  Dialect dialect_;
  TextOut out_;
  event::Loss loss_;
  event::LostCallFields lost_of_calls_;
  const event::Batch* batch_ = nullptr;
  bool open_ = false;
  Line line_;
  base::Time origin_ = 0;  // where the log's clock begins, in times of the events
  base::Time now_ = 0;     // as a reader takes it for records without a timestamp
  std::string texts_[3];

  bool list_open_ = false;
  Key list_key_{};
  base::Time list_time_ = 0;
  base::Id list_thread_ = base::kNoId;

  struct Ending {
    base::Id thread;
    base::Time time;  // on the log's clock
  };
  Table table_;
  std::vector<Ending> endings_;  // not written yet

  Function function_;
  base::IdMap<FunctionHead> functions_;  // to tell more code of them
  base::IdMap<Compiled> compiled_;
  base::Id process_ = base::kNoId;
  base::IdMap<base::Id> runtime_classes_;     // the runtime's id by ours
  base::IdMap<base::Id> classes_;             // and back
  base::IdMap<std::uint64_t> os_threads_;     // the system's id by ours
  base::IdMap<base::Id> os_owners_;           // and back
  base::IdMap<Told> stacks_;                  // by thread
  base::IdMap<std::vector<base::Id>> calls_;  // open ones, by thread
  std::vector<Allocated> allocated_;          // on the line that is open
  Frames frames_;
};

}  // namespace polytrace::format::tracelog
