// SPDX-License-Identifier: Apache-2.0
// The binary interface between a Java VM and native code (JNI and the tool interface), so that no
// JDK is needed to build the agent. Names are those of the interface's description; which function
// stands where is data: jni.def, java_vm.def, jvmti.def. A test compares all of it with the headers
// of each JDK at hand.
#pragma once

#include <cstdint>

namespace polytrace::agent::jvm {

struct JNIEnv;
struct JavaVM;
struct jvmtiEnv;

// References to objects are pointers to what nobody may look into.
struct ObjectBody {};
struct ClassBody : ObjectBody {};
struct StringBody : ObjectBody {};
struct ThrowableBody : ObjectBody {};
struct ArrayBody : ObjectBody {};
struct ObjectArrayBody : ArrayBody {};
struct ByteArrayBody : ArrayBody {};
struct LongArrayBody : ArrayBody {};
using jobject = ObjectBody*;
using jclass = ClassBody*;
using jstring = StringBody*;
using jthrowable = ThrowableBody*;
using jarray = ArrayBody*;
using jobjectArray = ObjectArrayBody*;
using jbyteArray = ByteArrayBody*;
using jlongArray = LongArrayBody*;
using jmethodID = struct MethodBody*;
using jfieldID = struct FieldBody*;

enum jvmtiError : std::uint32_t {};
enum jvmtiEvent : std::uint32_t {};
enum jvmtiEventMode : std::uint32_t {};
enum jvmtiHeapReferenceKind : std::uint32_t {};
enum jvmtiParamKind : std::uint32_t {};
enum jvmtiParamTypes : std::uint32_t {};
union jvmtiHeapReferenceInfo;

#define TYPE(name, ...) using name = __VA_ARGS__;
#include "agent/jvm/abi/types.def"
#undef TYPE

#define CONSTANT(type, name, value) inline constexpr type name{value};
#include "agent/jvm/abi/constants.def"
#undef CONSTANT

#define FIELD(type, name) type name;
#define OTHERS(count, name) void* name[count];
#define STRUCT(name, fields) \
  struct name {              \
    fields                   \
  };
#include "agent/jvm/abi/structs.def"
#undef STRUCT
#undef OTHERS
#undef FIELD

union jvalue {
  jboolean z;
  jint i;
  jlong j;
  double d;
  jobject l;
};

// A table of functions each: what is given is converted to what the function takes.
#define FUNCTION(slot, result, name, ...)                                   \
  template <class... Given>                                                 \
  result name(Given... given) {                                             \
    using Function = result (*)(decltype(this) __VA_OPT__(, ) __VA_ARGS__); \
    return reinterpret_cast<Function>(functions[slot])(this, given...);     \
  }
struct JNIEnv {
  void* const* functions;
#include "agent/jvm/abi/jni.def"
};
struct JavaVM {
  void* const* functions;
#include "agent/jvm/abi/java_vm.def"
};
#undef FUNCTION

}  // namespace polytrace::agent::jvm
