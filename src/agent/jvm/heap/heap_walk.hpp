// SPDX-License-Identifier: Apache-2.0
// One walk over the heap in an environment of its own, so that its tags burden no collection
// afterwards. While it runs nothing of the VM may be called: what it finds goes into memory that
// was reserved before.
#pragma once

#include <span>
#include <vector>

#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

// Memory that is there when it is touched, and gone with its owner.
template <class T>
class Reserved {
 public:
  explicit Reserved(std::size_t most);
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;
  ~Reserved();
  bool ok() const { return items_ != nullptr; }
  bool full() const { return size_ == most_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  // REQUIRES: not full.
  void push(const T& item) { items_[size_++] = item; }
  std::span<T> all() { return {items_, size_}; }

 private:
  T* items_ = nullptr;
  std::size_t most_;
  std::size_t size_ = 0;
};

class HeapWalk {
 public:
  struct Object {
    std::uint64_t id;
    std::uint64_t size;
    std::uint32_t type;  // class number, 0: none
    std::uint32_t first_reference;
  };
  struct Reference {
    std::uint32_t from;  // indices of objects
    std::uint32_t to;
  };
  struct Root {
    std::uint32_t object;
    std::uint8_t kind;  // jvmtiHeapReferenceKind
  };

  // Ids of objects are `id_base` and what follows; those of classes are their tags.
  explicit HeapWalk(std::uint64_t id_base);

  // "" or why it could not be done.
  const char* run(JNIEnv* env);

  std::span<Object> objects() { return objects_.all().subspan(1); }
  std::span<const Root> roots() { return roots_.all(); }
  std::size_t reference_count() const { return references_.size(); }
  std::uint64_t id_of(std::uint32_t object) { return objects_[object].id; }
  std::uint32_t type_of(std::uint32_t object) { return objects_[object].type; }
  // Puts the references in order of the objects they go out from; then those of the nth object.
  void sort();
  std::span<const std::uint32_t> references_of(std::size_t n);

 private:
  static jint on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info,
                           jlong class_tag, jlong referrer_class_tag, jlong size, jlong* tag,
                           jlong* referrer_tag, jint length, void* walk);
  jint meet(jvmtiHeapReferenceKind kind, jlong class_tag, jlong size, jlong* tag,
            jlong* referrer_tag);
  std::uint32_t index_of(jlong* tag, jlong class_tag, jlong size);
  bool tag_classes(JNIEnv* env, jvmtiEnv* own);

  std::uint64_t id_base_;
  Reserved<Object> objects_;  // the first one is none
  Reserved<Reference> references_;
  Reserved<Root> roots_;
  std::vector<std::uint32_t> class_index_;  // by class number
  Reserved<std::uint32_t> sorted_;
};

}  // namespace polytrace::agent::jvm
