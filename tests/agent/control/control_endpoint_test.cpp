// SPDX-License-Identifier: Apache-2.0
// Where agent and clients meet, and who is let in.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include "agent/control_house.hpp"

namespace polytrace::agent::control {
namespace {

using ::testing::HasSubstr;

mode_t mode_of(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
}

TEST_F(ControlServer, NothingListensByDefault) {
  ServerConfig nothing;
  nothing.folder = folder_.file("meeting");
  open(nothing);
  EXPECT_EQ(server_->socket_path(), "");
  EXPECT_EQ(server_->token_path(), "");
  EXPECT_FALSE(std::filesystem::exists(nothing.folder));
}

TEST_F(ControlServer, TheSocketIsPrivateAndCanBeFound) {
  ServerConfig own = config();
  own.folder.clear();
  ASSERT_EQ(setenv("XDG_RUNTIME_DIR", folder_.file("").c_str(), 1), 0);
  open(own);
  const std::filesystem::path path = server_->socket_path();
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(path.parent_path()), 0700U);
  EXPECT_EQ(mode_of(path.parent_path().parent_path()), 0700U);
  Client client;
  std::string why;
  ASSERT_TRUE(client.connect_process(getpid(), why)) << why;
  EXPECT_EQ(greet(client, {}).process, static_cast<std::uint64_t>(getpid()));
  unsetenv("XDG_RUNTIME_DIR");
}

TEST_F(ControlServer, OpenFoldersAndLinksAreRefused) {
  std::string why;
  const std::string open_folder = folder_.file("open");
  ASSERT_EQ(mkdir(open_folder.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open_folder.c_str(), 0755), 0);
  EXPECT_FALSE(make_private_folder(open_folder, why));
  EXPECT_THAT(why, HasSubstr("only this user"));
  std::filesystem::create_directory_symlink(folder_.file("elsewhere"), folder_.file("link"));
  EXPECT_FALSE(make_private_folder(folder_.file("link"), why));
  ServerConfig bad = config();
  bad.folder = open_folder;
  Server server(handler_, bad);
  EXPECT_FALSE(server.open(why));
}

TEST_F(ControlServer, AFileInTheSocketsPlaceIsKept) {
  std::string why;
  const std::string path = folder_.write("file", "precious");
  EXPECT_FALSE(listen_unix(path, why));
  EXPECT_EQ(test::content_of(path), "precious");
  EXPECT_FALSE(listen_unix(folder_.file(std::string(200, 'x')), why));
  EXPECT_THAT(why, HasSubstr("107"));
}

TEST_F(ControlServer, TcpNeedsTheToken) {
  ServerConfig tcp = config();
  tcp.listen_tcp = true;
  tcp.listen_unix = false;
  tcp.silence_ms = 20;
  open(tcp);
  EXPECT_EQ(mode_of(server_->token_path()), 0600U);
  const std::string token = read_token_file(server_->token_path());
  EXPECT_EQ(token.size(), 32U);
  handler_.record("secret", true);
  Frame frame;
  std::string why;
  Welcome welcome;
  for (const std::string& wrong : {std::string(), std::string(32, '0'), token.substr(1)}) {
    Client client;
    ASSERT_TRUE(client.connect_port(server_->tcp_port(), why)) << why;
    EXPECT_FALSE(client.greet({{}, true, wrong}, welcome, why)) << wrong;
  }
  Client silent;
  ASSERT_TRUE(silent.connect_port(server_->tcp_port(), why)) << why;
  EXPECT_EQ(drain(silent), "");
  Client client;
  ASSERT_TRUE(client.connect_port(server_->tcp_port(), why)) << why;
  EXPECT_TRUE(client.greet({{false, true}, true, token}, welcome, why)) << why;
  EXPECT_EQ(welcome.right, Right::kControl);
}

TEST_F(ControlServer, ATokenFileMustBePrivate) {
  ServerConfig tcp = config();
  tcp.listen_tcp = true;
  tcp.token_file = folder_.write("token", "0123456789abcdef\n");
  std::string why;
  for (const mode_t mode : {0644U, 0660U}) {
    ASSERT_EQ(chmod(tcp.token_file.c_str(), mode), 0);
    Server server(handler_, tcp);
    EXPECT_FALSE(server.open(why));
    EXPECT_THAT(why, HasSubstr("0600"));
  }
  ASSERT_EQ(chmod(tcp.token_file.c_str(), 0600), 0);
  open(tcp);
  Client client;
  Welcome welcome;
  ASSERT_TRUE(client.connect_port(server_->tcp_port(), why)) << why;
  EXPECT_TRUE(client.greet({{}, false, "0123456789abcdef"}, welcome, why)) << why;
}

TEST_F(ControlServer, TheAgentDialsACollector) {
  std::string why;
  const std::string path = folder_.file("collector");
  const Descriptor listener = listen_unix(path, why);
  ASSERT_TRUE(listener) << why;
  ServerConfig dialing = config();
  dialing.listen_unix = false;
  dialing.connect = path;
  open(dialing);
  // The connection is there: open() has made it.
  Client collector(Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK)));
  handler_.record("STREAM");
  EXPECT_EQ(greet(collector, {false, true}).right, Right::kControl);
  give_credit(collector, 100);
  EXPECT_EQ(take(collector, 6), "STREAM");
  ServerConfig nobody = dialing;
  nobody.connect = folder_.file("nobody");
  Server server(handler_, nobody);
  EXPECT_FALSE(server.open(why));
  EXPECT_THAT(why, HasSubstr("nobody answers"));
}

TEST(ControlEndpoint, Secrets) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
  EXPECT_FALSE(same_secret("", "a"));
}

TEST(ControlEndpoint, OptionOfTheAgent) {
  ServerConfig config;
  EXPECT_TRUE(parse_control_option("none", config));
  EXPECT_FALSE(config.listen_unix || config.listen_tcp);
  EXPECT_TRUE(parse_control_option("tcp:127.0.0.1:7000", config));
  EXPECT_TRUE(config.listen_tcp);
  EXPECT_EQ(config.tcp_port, 7000);
  EXPECT_TRUE(parse_control_option("tcp:127.0.0.1", config));
  EXPECT_EQ(config.tcp_port, 0);
  EXPECT_TRUE(parse_control_option("unix", config));
  EXPECT_TRUE(config.listen_unix);
  for (const std::string_view wrong :
       {"", "tcp", "tcp:0.0.0.0:1", "tcp:127.0.0.1:", "tcp:127.0.0.1:x", "tcp:127.0.0.1:65536",
        "tcp:127.0.0.11", "unix:", "abstract"})
    EXPECT_FALSE(parse_control_option(wrong, config)) << wrong;
}

TEST(ControlEndpoint, ProcessesThatAreNotThere) {
  EXPECT_EQ(start_time_of(0), 0U);
  Client client;
  std::string why;
  EXPECT_FALSE(client.connect_process(0x7ffffff0, why));
  EXPECT_THAT(why, HasSubstr("no process"));
}

}  // namespace
}  // namespace polytrace::agent::control
