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

constexpr std::array<ServerMode, 3> kFile = {standalone, standalone, standalone};
constexpr std::array<ServerMode, 3> kAttached = {enabled, controlled, controlled};

constexpr std::array kTable = {
    // A file gets what the option says, whatever a client could read.
    Row{xml, kFile, kSilent, xml}, Row{xml, kFile, kSaysBoth, xml}, Row{tbf, kFile, kSilent, tbf},
    Row{tbf, kFile, kSaysXml, tbf}, Row{native, kFile, kSilent, native},
    // Under format=xml every client gets XML.
    Row{xml, kAttached, kSilent, xml}, Row{xml, kAttached, kSaysXml, xml},
    Row{xml, kAttached, kSaysTbf, xml}, Row{xml, kAttached, kSaysNative, xml},
    Row{xml, kAttached, kSaysBoth, xml},
    // Under format=binary one that has announced it gets TBF, all others XML.
    Row{tbf, kAttached, kSilent, xml}, Row{tbf, kAttached, kSaysXml, xml},
    Row{tbf, kAttached, kSaysTbf, tbf}, Row{tbf, kAttached, kSaysBoth, tbf},
    Row{tbf, kAttached, kSaysNative, native},
    // Under format=native old clients get XML: what they call binary was not allowed.
    Row{native, kAttached, kSilent, xml}, Row{native, kAttached, kSaysXml, xml},
    Row{native, kAttached, kSaysTbf, xml}, Row{native, kAttached, kSaysNative, native},
    Row{native, kAttached, kSaysBoth, native}};

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
  StreamFormat format = xml;
  EXPECT_TRUE(format_named("BiNaRy", format));
  EXPECT_EQ(format, tbf);
  EXPECT_TRUE(format_named("xml", format));
  EXPECT_EQ(format, xml);
  EXPECT_FALSE(format_named("tbf2", format));
  EXPECT_FALSE(format_named("", format));
  EXPECT_EQ(converter_name(xml), "trcxml");
  EXPECT_EQ(converter_name(tbf), "tbf");
}

}  // namespace
}  // namespace polytrace::agent::control
