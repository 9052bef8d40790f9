// SPDX-License-Identifier: Apache-2.0
#include "event/choice/method_names.hpp"

#include <gtest/gtest.h>

namespace polytrace::event {
namespace {

TEST(MethodNames, DescriptorsOfTheJvmReadAsJava) {
  EXPECT_EQ(parameters_of("()V"), "()");
  EXPECT_EQ(parameters_of("(I[[JLjava/util/Map$Entry;[Ljava/lang/String;)Z"),
            "(int,long[][],java.util.Map$Entry,java.lang.String[])");
}

TEST(MethodNames, OtherSignaturesAreAsTold) {
  EXPECT_EQ(parameters_of("(System.Int32, ref System.String)"),
            "(System.Int32, ref System.String)");
  EXPECT_EQ(parameters_of("()"), "()");
}

TEST(MethodNames, WhatIsNoSignatureTellsNothing) {
  for (const char* text : {"", "V", "(", "(I", "(Ljava/lang/String)V", "([)V", "(Q)V"})
    EXPECT_EQ(parameters_of(text), "") << text;
}

TEST(MethodNames, AWholeNameHasWhatTheNameDoesNotTell) {
  EXPECT_EQ(whole_method_name("com.acme.Shop", "main", "([Ljava/lang/String;)V"),
            "com.acme.Shop.main (java.lang.String[])");
  EXPECT_EQ(whole_method_name("Acme.Shop", "Acme.Shop::Main", "()"), "Acme.Shop::Main ()");
  EXPECT_EQ(whole_method_name("Acme.Shop", "Acme.Shop:Main (int)", "(I)V"), "Acme.Shop:Main (int)");
  EXPECT_EQ(whole_method_name("", "main", ""), "main");
}

}  // namespace
}  // namespace polytrace::event
