// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/table/names_alike.hpp"

namespace polytrace::analysis {
namespace {

TEST(names_alike, one_spelling_for_all_runtimes) {
  for (const char* name : {"com.acme.Shop.main", "Acme.Shop:Main (string[])", "Acme.Shop::Main",
                           "acme/Shop.main", "Acme.Shop:Main"})
    EXPECT_EQ(alike(name, NameKind::method), "acme.shop.main") << name;
  EXPECT_EQ(alike("Order:.ctor (int)", NameKind::method), "order.init");
  EXPECT_EQ(alike("Order.<init>", NameKind::method), "order.init");
  EXPECT_EQ(alike("Shop::.cctor", NameKind::method), "shop.clinit");
  EXPECT_EQ(alike("Shop.<clinit>", NameKind::method), "shop.clinit");
  EXPECT_EQ(alike("List`1<System.Collections.Pair<int,int>>:Add (T)", NameKind::method),
            "list.add");
  EXPECT_EQ(alike("Outer$Inner", NameKind::type), "outer.inner");
  EXPECT_EQ(alike("Outer+Inner", NameKind::type), "outer.inner");
  EXPECT_EQ(alike("byte[]", NameKind::type), "byte[]");
  EXPECT_EQ(alike("com.Shop", NameKind::type), "com.shop");  // a package is left
  EXPECT_EQ(alike("Any:Text", NameKind::plain), "Any:Text");
  for (const char* odd : {"", "<", "`", ":", "a<b", "<init", "(x", "a::"}) {
    alike(odd, NameKind::method);  // ends
    alike(odd, NameKind::type);
  }
}

}  // namespace
}  // namespace polytrace::analysis
