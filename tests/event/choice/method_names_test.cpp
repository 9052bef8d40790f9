// SPDX-License-Identifier: Apache-2.0
#include "event/choice/method_names.hpp"

#include <gtest/gtest.h>

namespace polytrace::event {
namespace {

TEST(method_names, descriptors_of_the_jvm_read_as_java) {
  EXPECT_EQ(parameters_of("()V"), "()");
  EXPECT_EQ(parameters_of("(I[[JLjava/util/Map$Entry;[Ljava/lang/String;)Z"),
            "(int,long[][],java.util.Map$Entry,java.lang.String[])");
}

TEST(method_names, other_signatures_are_as_told) {
  EXPECT_EQ(parameters_of("(System.Int32, ref System.String)"),
            "(System.Int32, ref System.String)");
  EXPECT_EQ(parameters_of("()"), "()");
}

TEST(method_names, what_is_no_signature_tells_nothing) {
  for (const char* text : {"", "V", "(", "(I", "(Ljava/lang/String)V", "([)V", "(Q)V"})
    EXPECT_EQ(parameters_of(text), "") << text;
}

TEST(method_names, a_whole_name_has_what_the_name_does_not_tell) {
  EXPECT_EQ(whole_method_name("com.acme.Shop", "main", "([Ljava/lang/String;)V"),
            "com.acme.Shop.main (java.lang.String[])");
  EXPECT_EQ(whole_method_name("Acme.Shop", "Acme.Shop::Main", "()"), "Acme.Shop::Main ()");
  EXPECT_EQ(whole_method_name("Acme.Shop", "Acme.Shop:Main (int)", "(I)V"), "Acme.Shop:Main (int)");
  EXPECT_EQ(whole_method_name("", "main", ""), "main");
}

}  // namespace
}  // namespace polytrace::event
