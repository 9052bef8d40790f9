// SPDX-License-Identifier: Apache-2.0
#include "format/mlpd/records/record_writer.hpp"

namespace polytrace::format::mlpd {

void RecordWriter::open(base::Id thread, base::Time time) {
  thread_ = thread;
  time_base_ = time_ = static_cast<std::uint64_t>(time);
}

void RecordWriter::close(base::Appender& to) {
  append_buffer_header(to, {.length = static_cast<std::int32_t>(out_.size()),
                            .time_base = time_base_,
                            .pointer_base = pointer_base_.value_or(0),
                            .object_base = object_base_.value_or(0),
                            .thread = told(thread_),
                            .method_base = method_base_.value_or(0)});
  to.bytes(out_.view());
  out_.clear();
  pointer_base_.reset();
  object_base_.reset();
  method_base_.reset();
}

void RecordWriter::start_record(std::uint8_t first, base::Time time, bool timed,
                                const event::Batch& batch) {
  batch_ = &batch;
  out_.byte(first);
  if (!timed) return;
  const auto now = static_cast<std::uint64_t>(time);
  out_.uleb(now - time_);
  time_ = now;
}

void RecordWriter::method(base::Id id) {
  const std::uint64_t now = told(id);
  if (!method_base_) method_base_ = method_ = now;
  out_.sleb(static_cast<std::int64_t>(now - method_));
  method_ = now;
}

void RecordWriter::backtrace(const event::Stack& stack) {
  flags();
  out_.uleb(stack.count);
  for (const base::Id frame : batch_->list(stack)) {
    if (version_ >= 13) list_item_method(frame);
    else list_item_pointer(frame);
  }
}

void RecordWriter::references(const event::Refs& refs) {
  out_.uleb(refs.count);
  std::uint64_t last = 0;
  for (const event::Ref& ref : batch_->list(refs)) {
    if (version_ >= 2) out_.uleb(ref.offset - last);
    else if (ref.offset != 0) inexact_ = "refs.offset";
    last = ref.offset;
    check_item(ref.target);
    object(ref.target);
  }
}

}  // namespace polytrace::format::mlpd
