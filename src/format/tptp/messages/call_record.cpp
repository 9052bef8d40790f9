// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/messages/call_record.hpp"

namespace polytrace::format::tptp {

void to_message(const CallRecord& call, Message& message) {
  if (call.entry) {
    using F = field::MethodEntry;
    message.reset(*find_message(F::kId));
    message.set_number(F::thread_id_ref, call.thread);
    message.set_number(F::time, call.time);
    message.set_number(F::method_id_ref, call.method);
    message.set_number(F::ticket, call.ticket);
    message.set_number(F::transient_obj_id_ref, call.object);
    message.set_number(F::class_id_ref, call.class_id);
    message.set_number(F::thread_cpu_time, call.cpu);
    message.set_number(F::stack_depth, call.depth);
    return;
  }
  using F = field::MethodExit;
  message.reset(*find_message(F::kId));
  message.set_number(F::thread_id_ref, call.thread);
  message.set_number(F::time, call.time);
  message.set_number(F::ticket, call.ticket);
  message.set_number(F::thread_cpu_time, call.cpu);
  message.set_number(F::method_id_ref, call.method);
  message.set_number(F::obj_id_ref, call.object);
  message.set_number(F::transient_class_id_ref, call.class_id);
  message.set_number(F::class_id_ref, call.class_id);
}

}  // namespace polytrace::format::tptp
