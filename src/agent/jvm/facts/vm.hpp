// SPDX-License-Identifier: Apache-2.0
// The virtual machine this library is loaded into: its interfaces, what they can do, and small
// owners for what they hand out. Set once before any other thread of ours runs.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/jvm/abi/jvmti.hpp"

namespace polytrace::agent::jvm {

struct Vm {
  JavaVM* java = nullptr;
  jvmtiEnv* ti = nullptr;
  bool at_start = false;      // loaded with the VM: exported natives are found by name
  std::uint32_t version = 0;  // 8, 11, 17 ...

  // What was asked for and granted.
  bool can_retransform = false;
  bool can_tag = false;
  bool can_sample_allocations = false;
  bool can_tell_frees = false;
  bool can_tell_collections = false;
  bool can_tell_monitors = false;
  bool can_tell_owners = false;  // of monitors
  bool can_tell_exceptions = false;
  bool can_tell_virtual_threads = false;
};
Vm& vm();

inline bool ok(jvmtiError error) { return error == JVMTI_ERROR_NONE; }

// Memory that JVMTI allocated.
template <class T>
class TiMemory {
 public:
  TiMemory() = default;
  TiMemory(const TiMemory&) = delete;
  TiMemory& operator=(const TiMemory&) = delete;
  ~TiMemory() {
    if (memory_ != nullptr) vm().ti->Deallocate(reinterpret_cast<unsigned char*>(memory_));
  }
  T** out() { return &memory_; }
  T* get() const { return memory_; }
  T& operator[](std::size_t i) const { return memory_[i]; }

 private:
  T* memory_ = nullptr;
};

class TiText : public TiMemory<char> {
 public:
  std::string_view view() const { return get() == nullptr ? "" : get(); }
};

// A local reference.
template <class T = jobject>
class Local {
 public:
  Local(JNIEnv* env, T object) : env_(env), object_(object) {}
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  ~Local() {
    if (object_ != nullptr) env_->DeleteLocalRef(object_);
  }
  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  JNIEnv* env_;
  T object_;
};

// Local references of a scope, many at once.
class LocalFrame {
 public:
  LocalFrame(JNIEnv* env, jint capacity) : env_(env), ok_(env->PushLocalFrame(capacity) == 0) {
    if (!ok_) env->ExceptionClear();
  }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;
  ~LocalFrame() {
    if (ok_) env_->PopLocalFrame(nullptr);
  }

 private:
  JNIEnv* env_;
  bool ok_;
};

void set_event(jvmtiEvent event, bool on);
// An extension event by its name. False where this VM has none.
bool set_extension_event(std::string_view name, jvmtiExtensionEvent callback);

// Prints a sentence on stderr, behind the agent's name.
void say(std::string_view sentence);

// What an object is to us, in the high byte of its tag; the rest is its number.
enum class TagKind : std::uint8_t { object = 0, class_ = 1, thread = 2, loader = 3 };
inline constexpr unsigned kTagShift = 56;
constexpr jlong make_tag(TagKind kind, std::uint64_t number) {
  return static_cast<jlong>(static_cast<std::uint64_t>(kind) << kTagShift | number);
}
constexpr TagKind kind_of(jlong tag) {
  return static_cast<TagKind>(static_cast<std::uint64_t>(tag) >> kTagShift);
}
constexpr std::uint64_t number_of(jlong tag) {
  return static_cast<std::uint64_t>(tag) & ((std::uint64_t{1} << kTagShift) - 1);
}
// Of an object that is neither, the number's high part tells how many collections had begun when
// it was made, as far as that goes; the rest is its id.
inline constexpr unsigned kBirthShift = 38;
inline constexpr std::uint64_t kMostBirth = (std::uint64_t{1} << (kTagShift - kBirthShift)) - 1;
constexpr std::uint64_t birth_of(jlong tag) { return number_of(tag) >> kBirthShift; }
constexpr std::uint64_t id_of(jlong tag) {
  const std::uint64_t birth = kMostBirth << kBirthShift;
  return kind_of(tag) == TagKind::object ? static_cast<std::uint64_t>(tag) & ~birth
                                         : static_cast<std::uint64_t>(tag);
}
// Tags an object that was just made; 0: it cannot be.
jlong tag_new(jobject object, std::uint64_t collections);
// The number that the next object of that kind will get.
std::uint64_t next_number(TagKind kind);
// 0: none.
jlong tag_of(jobject object);
// The object's tag; where it has none of that kind, one with the next number. Any kind serves for
// an object, which may be a class or thread as well.
jlong tagged(jobject object, TagKind kind, bool& is_new);

}  // namespace polytrace::agent::jvm
