// SPDX-License-Identifier: Apache-2.0
// Places that allocate, and what an allocation at each of them takes. That of an object is known
// when its class is: with the first one made there, which then defines the place. Arrays tell their
// length. An instruction that makes arrays of arrays has a place for each of its levels.
#pragma once

#include <array>
#include <atomic>
#include <string_view>

#include "agent/common/record/recorder.hpp"
#include "agent/jvm/facts/vm.hpp"

namespace polytrace::agent::jvm {

// By number: of an object's place, whether it is defined; of arrays of arrays, how many levels.
using SiteMarks = std::array<std::atomic<std::uint8_t>, format::native::kMaxArgument + 1>;
extern constinit SiteMarks g_site_marks;

// A new recording gives the numbers again.
void forget_sites();

// A `new` of the class (java.lang.String) in code of that loader; defined when it is used.
void add_object_site(const Site& site, std::uint64_t loader, std::string_view class_name);
// Arrays; `name` is the outermost one's as in class files, and so many numbers from the site's on
// belong to it. False: none of them may be used.
bool define_array_sites(const Site& site, std::string_view name, std::uint8_t levels);

// On the thread that made the object, in the probe. Java code may run, of the JDK's.
void define_object_site(JNIEnv* env, std::uint32_t number);
inline void meet_site(JNIEnv* env, std::uint32_t number) {
  if (g_site_marks[number & format::native::kMaxArgument].load(std::memory_order_acquire) == 0)
      [[unlikely]]
    define_object_site(env, number);
}
// Records an array and those in it, all of them just made at once.
void record_grid(JNIEnv* env, jobject array, std::uint32_t number);

}  // namespace polytrace::agent::jvm
