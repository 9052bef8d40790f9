// SPDX-License-Identifier: Apache-2.0
#include "agent/jvm/heap/heap_walk.hpp"

#include <sys/mman.h>

#include "agent/jvm/facts/classes.hpp"
#include "agent/jvm/facts/registry.hpp"

namespace polytrace::agent::jvm {

namespace {

// Addresses, not memory.
constexpr std::size_t kMostObjects = std::size_t{1} << 30;
constexpr std::size_t kMostReferences = (std::size_t{1} << 32) - 1;
constexpr std::size_t kMostRoots = std::size_t{1} << 28;
constexpr jint kClassRefs = 65'000;

}  // namespace

template <class T>
Reserved<T>::Reserved(std::size_t most) : most_(most) {
  void* const at = mmap(nullptr, most * sizeof(T), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at != MAP_FAILED) items_ = static_cast<T*>(at);
}

template <class T>
Reserved<T>::~Reserved() {
  if (items_ != nullptr) munmap(items_, most_ * sizeof(T));
}

HeapWalk::HeapWalk(std::uint64_t id_base)
    : id_base_(id_base),
      objects_(kMostObjects),
      references_(kMostReferences),
      roots_(kMostRoots),
      sorted_(kMostReferences) {}

bool HeapWalk::tag_classes(JNIEnv* env, jvmtiEnv* own) {
  const LocalFrame frame(env, kClassRefs);
  jint count = 0;
  TiMemory<jclass> loaded;
  if (!jvm::ok(vm().ti->GetLoadedClasses(&count, loaded.out()))) return false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const std::uint32_t number = number_of_class(env, loaded[i]);
    if (number != 0) own->SetTag(loaded[i], make_tag(TagKind::class_, number));
  }
  class_index_.assign(Registry::the().classes() + 1, 0);
  return true;
}

const char* HeapWalk::run(JNIEnv* env) {
  if (!objects_.ok() || !references_.ok() || !roots_.ok() || !sorted_.ok()) return "no memory";
  objects_.push({});
  void* found = nullptr;
  if (vm().java->GetEnv(&found, JVMTI_VERSION_1_2) != JNI_OK) return "no second environment";
  auto* const own = static_cast<jvmtiEnv*>(found);
  jvmtiCapabilities wanted{};
  wanted.add(can_tag_objects);
  const char* fault = "the VM cannot tag objects";
  if (jvm::ok(own->AddCapabilities(&wanted)) && tag_classes(env, own)) {
    jvmtiHeapCallbacks callbacks{};
    callbacks.heap_reference_callback = on_reference;
    const bool done = jvm::ok(own->FollowReferences(0, nullptr, nullptr, &callbacks, this));
    fault = !done                                   ? "the VM refuses to walk"
            : objects_.full() || references_.full() ? "too many objects"
                                                    : "";
  }
  own->DisposeEnvironment();
  return fault;
}

jint HeapWalk::on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo*,
                            jlong class_tag, jlong, jlong size, jlong* tag, jlong* referrer_tag,
                            jint, void* walk) {
  return static_cast<HeapWalk*>(walk)->meet(kind, class_tag, size, tag, referrer_tag);
}

jint HeapWalk::meet(jvmtiHeapReferenceKind kind, jlong class_tag, jlong size, jlong* tag,
                    jlong* referrer_tag) {
  const std::uint32_t to = index_of(tag, class_tag, size);
  if (to == 0) return JVMTI_VISIT_ABORT;
  if (referrer_tag == nullptr) {
    if (!roots_.full()) roots_.push({to, static_cast<std::uint8_t>(kind)});
    return JVMTI_VISIT_OBJECTS;
  }
  const std::uint32_t from = index_of(referrer_tag, 0, 0);
  if (from == 0 || references_.full()) return JVMTI_VISIT_ABORT;
  references_.push({from, to});
  return JVMTI_VISIT_OBJECTS;
}

// The tag of an object is its index; of a class, its number, known before.
std::uint32_t HeapWalk::index_of(jlong* tag, jlong class_tag, jlong size) {
  const bool is_class = kind_of(*tag) == TagKind::class_;
  const std::uint64_t number = number_of(*tag);
  if (!is_class && number != 0) return static_cast<std::uint32_t>(number);
  if (is_class && number < class_index_.size() && class_index_[number] != 0)
    return class_index_[number];
  if (objects_.full()) return 0;
  const auto index = static_cast<std::uint32_t>(objects_.size());
  const std::uint64_t id = is_class ? static_cast<std::uint64_t>(*tag) : id_base_ + index;
  objects_.push(
      {id, static_cast<std::uint64_t>(size), static_cast<std::uint32_t>(number_of(class_tag)), 0});
  if (!is_class) *tag = make_tag(TagKind::object, index);
  else if (number < class_index_.size()) class_index_[number] = index;
  return index;
}

void HeapWalk::sort() {
  std::uint32_t at = 0;
  for (const Reference& reference : references_.all()) ++objects_[reference.from].first_reference;
  for (Object& object : objects_.all()) {
    const std::uint32_t count = object.first_reference;
    object.first_reference = at;
    at += count;
  }
  for (const Reference& reference : references_.all())
    sorted_[objects_[reference.from].first_reference++] = reference.to;
}

// Each first_reference has moved on to the next object's.
std::span<const std::uint32_t> HeapWalk::references_of(std::size_t n) {
  const std::uint32_t begin = objects_[n].first_reference;
  return {&sorted_[begin], objects_[n + 1].first_reference - begin};
}

template class Reserved<HeapWalk::Object>;
template class Reserved<HeapWalk::Reference>;
template class Reserved<HeapWalk::Root>;
template class Reserved<std::uint32_t>;

}  // namespace polytrace::agent::jvm
