// SPDX-License-Identifier: Apache-2.0
// The whole table: option of the agent x what the client announced x mode of the server.
#include "agent/control/protocol/negotiation.hpp"

#include <gtest/gtest.h>

#include <array>

namespace polytrace::agent::control {
namespace {

using enum StreamFormat;
using enum ServerMode;

constexpr Accepted kSilent{}, kSaysXml{}, kSaysTbf{true, false}, kSaysNative{false, true},
    kSaysBoth{true, true};

struct Row {
  FormatOption option;
  std::array<ServerMode, 3> modes;  // the last one repeats where there are fewer
  Accepted client;
  StreamFormat expected;
};

constexpr std::array<ServerMode, 3> kFile = {kStandalone, kStandalone, kStandalone};
constexpr std::array<ServerMode, 3> kAttached = {kEnabled, kControlled, kControlled};

constexpr std::array kTable = {
    // A file gets what the option says, whatever a client could read.
    Row{kXml, kFile, kSilent, kXml}, Row{kXml, kFile, kSaysBoth, kXml},
    Row{kTbf, kFile, kSilent, kTbf}, Row{kTbf, kFile, kSaysXml, kTbf},
    Row{kNative, kFile, kSilent, kNative},
    // Under format=xml every client gets XML.
    Row{kXml, kAttached, kSilent, kXml}, Row{kXml, kAttached, kSaysXml, kXml},
    Row{kXml, kAttached, kSaysTbf, kXml}, Row{kXml, kAttached, kSaysNative, kXml},
    Row{kXml, kAttached, kSaysBoth, kXml},
    // Under format=binary one that has announced it gets TBF, all others XML.
    Row{kTbf, kAttached, kSilent, kXml}, Row{kTbf, kAttached, kSaysXml, kXml},
    Row{kTbf, kAttached, kSaysTbf, kTbf}, Row{kTbf, kAttached, kSaysBoth, kTbf},
    Row{kTbf, kAttached, kSaysNative, kNative},
    // Under format=native old clients get XML: what they call binary was not allowed.
    Row{kNative, kAttached, kSilent, kXml}, Row{kNative, kAttached, kSaysXml, kXml},
    Row{kNative, kAttached, kSaysTbf, kXml}, Row{kNative, kAttached, kSaysNative, kNative},
    Row{kNative, kAttached, kSaysBoth, kNative}};

TEST(control_negotiation, table) {
  for (const Row& row : kTable) {
    for (const ServerMode mode : row.modes) {
      EXPECT_EQ(negotiate(row.option, mode, row.client), row.expected)
          << "format=" << name_of(row.option) << ", mode " << static_cast<int>(mode)
          << ", accepts tbf " << row.client.tbf << " native " << row.client.native;
    }
  }
}

TEST(control_negotiation, names) {
  StreamFormat format = kXml;
  EXPECT_TRUE(format_named("BiNaRy", format));
  EXPECT_EQ(format, kTbf);
  EXPECT_TRUE(format_named("xml", format));
  EXPECT_EQ(format, kXml);
  EXPECT_FALSE(format_named("tbf2", format));
  EXPECT_FALSE(format_named("", format));
  EXPECT_EQ(converter_name(kXml), "trcxml");
  EXPECT_EQ(converter_name(kTbf), "tbf");
}

}  // namespace
}  // namespace polytrace::agent::control
