// SPDX-License-Identifier: Apache-2.0
// Writes the Code attribute of a method that gets probes.
#include <algorithm>

#include "agent/jvm/rewriter/classfile/instructions.hpp"
#include "agent/jvm/rewriter/methods.hpp"
#include "agent/jvm/rewriter/relocation.hpp"
#include "agent/jvm/rewriter/stack_maps.hpp"

namespace polytrace::agent::jvm::rewriter {

namespace {

constexpr std::uint16_t kStatic = 0x0008;
constexpr std::uint16_t kFramesSince = 50;  // version of the class file
constexpr std::size_t kMostEntries = 65535;
constexpr std::size_t kHandlerSize = 8;  // of an entry of the exception table

// Where a constructor's `this` becomes an object: the offset behind the call of this(..) or
// super(..); 0 when it is not found for certain. REQUIRES: code that was walked to its end before.
//
// Objects made for the arguments are initialised before `this` is: the first constructor's call
// that no `new` waits for is the one.
std::uint32_t initialized_from(View code, const Constants& constants, std::string_view this_class,
                               std::string_view super_class) {
  std::size_t waiting = 0;
  for (std::uint32_t at = 0; at < code.size();) {
    const Instruction instruction = instruction_at(code, at);
    at = instruction.end();
    if (instruction.opcode == kNew) ++waiting;
    if (instruction.opcode != kInvokeSpecial) continue;
    const Constants::Member called = constants.member(load_u2(code, instruction.at + 1));
    if (called.name != "<init>") continue;
    if (waiting-- > 0) continue;
    const bool own = called.class_name == this_class || called.class_name == super_class;
    return own ? at : 0;
  }
  return 0;
}

class CodeWriter {
 public:
  CodeWriter(ClassWork& work, const MethodFacts& facts, const Code& code, const Probes& probes)
      : work_(work),
        facts_(facts),
        code_(code),
        probes_(probes),
        frames_(relocation_, {facts.name, facts.descriptor, (facts.access & kStatic) != 0}) {}

  Reason write(Output& output);

 private:
  Reason relocate_code();
  bool relocate_attributes();
  bool relocate_attribute(std::uint16_t name, View body);
  void keep_attribute(std::uint16_t name, View body);
  void place_handler();
  Reason add_handler();
  std::uint32_t needed_stack() const;
  void write_frames();

  bool is_constructor() const { return facts_.name == "<init>"; }
  bool needs_frames() const { return work_.facts.version >= kFramesSince; }
  bool has_exit() const { return probes_.exit.size() != 0; }

  ClassWork& work_;
  const MethodFacts& facts_;
  const Code& code_;
  const Probes& probes_;
  Relocation relocation_;
  StackMaps frames_;
  bool has_frames_ = false;
  Output bytes_;     // the code
  Output handlers_;  // the exception table's entries
  Output attributes_;
  std::size_t attribute_count_ = 0;
  std::uint32_t covered_from_ = 0;  // old offset; the handler covers the rest
  bool has_handler_ = false;
};

Reason CodeWriter::relocate_code() {
  const Reason placed = relocation_.place(code_.bytes, probes_);
  if (placed != Reason::none) return placed;
  const Reason emitted = relocation_.emit(code_.bytes, probes_, bytes_);
  if (emitted != Reason::none) return emitted;
  return relocate_handlers(code_.handlers, relocation_, handlers_) ? Reason::none
                                                                   : Reason::code_malformed;
}

void CodeWriter::keep_attribute(std::uint16_t name, View body) {
  attributes_.u2(name);
  attributes_.u4(body.size());
  attributes_.append(body);
  ++attribute_count_;
}

// Attributes of other names are dropped: they may hold places that would no longer be true.
bool CodeWriter::relocate_attribute(std::uint16_t name, View body) {
  const std::string_view text = work_.constants.utf8(name);
  Output moved;
  if (text == "LineNumberTable") {
    if (!relocate_lines(body, relocation_, moved)) return false;
  } else if (text == "LocalVariableTable" || text == "LocalVariableTypeTable") {
    if (!relocate_variables(body, relocation_, moved)) return false;
  } else if (text == "StackMapTable" && needs_frames()) {
    if (has_frames_) return false;
    has_frames_ = true;
    return frames_.read(body);
  } else {
    return true;
  }
  keep_attribute(name, moved.view());
  return true;
}

bool CodeWriter::relocate_attributes() {
  Input input(code_.attributes);
  return each_attribute(input, code_.attribute_count, [this](std::uint16_t name, View body) {
    return relocate_attribute(name, body);
  });
}

// A handler may not cover code where `this` is no object yet.
void CodeWriter::place_handler() {
  has_handler_ = has_exit();
  if (!is_constructor() || !has_handler_) return;
  covered_from_ =
      initialized_from(code_.bytes, work_.constants, work_.facts.name, work_.facts.super);
  has_handler_ = covered_from_ != 0 && covered_from_ < code_.bytes.size() &&
                 !frames_.uninitialized_from(covered_from_);
}

Reason CodeWriter::add_handler() {
  const std::size_t place = bytes_.size();
  bytes_.append(probes_.unwind.view());
  bytes_.u1(kThrow);
  if (bytes_.size() > kMostCode) return Reason::code_too_large;
  if (handlers_.size() / kHandlerSize >= kMostEntries) return Reason::code_too_large;
  handlers_.u2(relocation_.label(covered_from_));
  handlers_.u2(place);
  handlers_.u2(place);
  handlers_.u2(0);
  if (needs_frames()) {
    frames_.append_handler(static_cast<std::uint32_t>(place), work_.snippets.throwable());
    has_frames_ = true;
  }
  return Reason::none;
}

// The handler holds the exception and the id. Behind an array, its length comes with the id.
std::uint32_t CodeWriter::needed_stack() const {
  const bool arrays = std::ranges::any_of(
      probes_.tails, [](const Probes::Tail& tail) { return tail.code.view()[0] == kDup; });
  return std::max<std::uint32_t>(code_.max_stack + (arrays ? 2U : 1U), has_handler_ ? 2 : 1);
}

void CodeWriter::write_frames() {
  if (work_.frames_name == 0) work_.frames_name = work_.constants.add_utf8("StackMapTable");
  Output body;
  frames_.write(body);
  keep_attribute(work_.frames_name, body.view());
}

Reason CodeWriter::write(Output& output) {
  const Reason reason = relocate_code();
  if (reason != Reason::none) return reason;
  if (!relocate_attributes()) return Reason::code_malformed;
  place_handler();
  if (has_handler_) {
    const Reason added = add_handler();
    if (added != Reason::none) return added;
  }
  if (needed_stack() > UINT16_MAX) return Reason::stack_too_deep;
  if (has_frames_) write_frames();
  if (work_.constants.full()) return Reason::constants_full;
  output.u2(needed_stack());
  output.u2(code_.max_locals);
  output.u4(bytes_.size());
  output.append(bytes_.view());
  output.u2(handlers_.size() / kHandlerSize);
  output.append(handlers_.view());
  output.u2(attribute_count_);
  output.append(attributes_.view());
  if (has_exit() && !has_handler_) ++work_.outcome.without_handler;
  return Reason::none;
}

}  // namespace

Reason write_code(ClassWork& work, const MethodFacts& facts, const Code& code, const Probes& probes,
                  Output& output) {
  return CodeWriter(work, facts, code, probes).write(output);
}

}  // namespace polytrace::agent::jvm::rewriter
