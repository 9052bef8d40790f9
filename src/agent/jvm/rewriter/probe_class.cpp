// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/rewriter/probe_class.hpp"

#include <string>

#include "agent/jvm/rewriter/classfile/constants.hpp"
#include "agent/jvm/rewriter/classfile/instructions.hpp"
#include "agent/jvm/rewriter/rewriter.hpp"

namespace polytrace::agent::jvm::rewriter {

namespace {

constexpr std::uint16_t kVersion = 52;
constexpr std::uint16_t kClassAccess = 0x1031;    // public final super synthetic
constexpr std::uint16_t kGuardedAccess = 0x0009;  // public static
constexpr std::uint16_t kNativeAccess = 0x0109;   // public static native
constexpr std::uint16_t kFieldAccess = 0x0049;    // public static volatile

// Who has been told as entered must be told as left, also at the end of a stack: there, what tells
// the entry has to fail first. So it takes more room than what is called behind it, from where the
// caller's frame may be larger: interpreted, and with values on its stack.
// Interpreted code asks for the room of its local variables; compiled code for what it would take
// if it were interpreted, and only where that is more than a page.
struct Spare {
  std::uint16_t locals = 0;
  std::uint16_t stack = 0;
};
constexpr Spare kSpare = {128, 600};

struct Probe {
  std::string_view name;
  std::string_view descriptor;
  std::uint8_t arguments;
  Spare spare = {};
};
constexpr Probe kProbes[] = {{"enter", "(I)V", 1, kSpare}, {"exit", "(I)V", 1},
                             {"unwind", "(I)V", 1},        {"site", "(I)V", 1},
                             {"array", "(II)V", 2},        {"grid", "(Ljava/lang/Object;I)V", 2}};

class Maker {
 public:
  std::vector<std::uint8_t> make();

 private:
  void add_guarded(const Probe& probe);
  void add_native(std::string_view name, std::string_view descriptor);
  void add_head(std::uint16_t access, std::string_view name, std::string_view descriptor,
                std::size_t attributes);

  Constants constants_;
  std::uint16_t this_ = constants_.add_class(kProbeClass);
  std::uint16_t super_ = constants_.add_class("java/lang/Object");
  std::uint16_t on_ = constants_.add_field(this_, "on", "Z");
  std::uint16_t code_name_ = constants_.add_utf8("Code");
  std::uint16_t frames_name_ = constants_.add_utf8("StackMapTable");
  Output methods_;
  std::size_t method_count_ = 0;
};

void Maker::add_head(std::uint16_t access, std::string_view name, std::string_view descriptor,
                     std::size_t attributes) {
  methods_.u2(access);
  methods_.u2(constants_.add_utf8(name));
  methods_.u2(constants_.add_utf8(descriptor));
  methods_.u2(attributes);
  ++method_count_;
}

void Maker::add_native(std::string_view name, std::string_view descriptor) {
  add_head(kNativeAccess, name, descriptor, 0);
}

void Maker::add_guarded(const Probe& probe) {
  const std::string native = std::string(probe.name) + "0";
  add_native(native, probe.descriptor);
  add_head(kGuardedAccess, probe.name, probe.descriptor, 1);

  const std::size_t code_size = std::size_t{10} + probe.arguments;
  const std::size_t end = code_size - 1;
  methods_.u2(code_name_);
  methods_.u4(12 + code_size + 9);
  methods_.u2(std::size_t{probe.arguments} + probe.spare.stack);
  methods_.u2(std::size_t{probe.arguments} + probe.spare.locals);
  methods_.u4(code_size);
  methods_.u1(kGetStatic);
  methods_.u2(on_);
  methods_.u1(kIfeq);
  methods_.u2(end - 3);
  const std::size_t first = probe.descriptor[1] == 'L' ? kAload0 : kIload0;
  for (std::size_t i = 0; i < probe.arguments; ++i) methods_.u1(i == 0 ? first : kIload0 + i);
  methods_.u1(kInvokeStatic);
  methods_.u2(constants_.add_method(this_, native, probe.descriptor));
  methods_.u1(kReturnLast);
  methods_.u2(0);  // handlers
  methods_.u2(1);  // attributes
  methods_.u2(frames_name_);
  methods_.u4(3);
  methods_.u2(1);
  methods_.u1(end);  // the frame there is the same
}

std::vector<std::uint8_t> Maker::make() {
  for (const Probe& probe : kProbes) add_guarded(probe);
  const std::uint16_t field_name = constants_.add_utf8("on");
  const std::uint16_t field_type = constants_.add_utf8("Z");

  Output output;
  output.u4(0xcafebabe);
  output.u2(0);
  output.u2(kVersion);
  constants_.write(output);
  output.u2(kClassAccess);
  output.u2(this_);
  output.u2(super_);
  output.u2(0);  // interfaces
  output.u2(1);  // fields
  output.u2(kFieldAccess);
  output.u2(field_name);
  output.u2(field_type);
  output.u2(0);
  output.u2(method_count_);
  output.append(methods_.view());
  output.u2(0);  // attributes
  return std::move(output.bytes());
}

}  // namespace

std::vector<std::uint8_t> probe_class() { return Maker().make(); }

}  // namespace polytrace::agent::jvm::rewriter
