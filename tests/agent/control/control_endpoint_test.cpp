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

// "" where there is no error.
template <class T>
std::string why(const base::result<T>& result) {
  return result ? std::string() : result.error().detail;
}

TEST_F(control_server, nothing_listens_by_default) {
  ServerConfig nothing;
  nothing.folder = folder_.file("meeting");
  open(nothing);
  EXPECT_EQ(server_->socket_path(), "");
  EXPECT_EQ(server_->token_path(), "");
  EXPECT_FALSE(std::filesystem::exists(nothing.folder));
}

TEST_F(control_server, the_socket_is_private_and_can_be_found) {
  ServerConfig own = config();
  own.folder.clear();
  ASSERT_EQ(setenv("XDG_RUNTIME_DIR", folder_.file("").c_str(), 1), 0);
  open(own);
  const std::filesystem::path path = server_->socket_path();
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(path.parent_path()), 0700U);
  EXPECT_EQ(mode_of(path.parent_path().parent_path()), 0700U);
  Client client;
  ASSERT_TRUE(client.connect_process(getpid()));
  EXPECT_EQ(greet(client, {}).process, static_cast<std::uint64_t>(getpid()));
  unsetenv("XDG_RUNTIME_DIR");
}

TEST_F(control_server, open_folders_and_links_are_refused) {
  const std::string open_folder = folder_.file("open");
  ASSERT_EQ(mkdir(open_folder.c_str(), 0700), 0);
  ASSERT_EQ(chmod(open_folder.c_str(), 0755), 0);
  EXPECT_THAT(why(make_private_folder(open_folder)), HasSubstr("only this user"));
  std::filesystem::create_directory_symlink(folder_.file("elsewhere"), folder_.file("link"));
  EXPECT_FALSE(make_private_folder(folder_.file("link")));
  ServerConfig bad = config();
  bad.folder = open_folder;
  Server server(handler_, bad);
  EXPECT_FALSE(server.open());
}

TEST_F(control_server, a_file_in_the_sockets_place_is_kept) {
  const std::string path = folder_.write("file", "precious");
  EXPECT_FALSE(listen_unix(path));
  EXPECT_EQ(test::content_of(path), "precious");
  EXPECT_THAT(why(listen_unix(folder_.file(std::string(200, 'x')))), HasSubstr("107"));
}

TEST_F(control_server, tcp_needs_the_token) {
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
  for (const std::string& wrong : {std::string(), std::string(32, '0'), token.substr(1)}) {
    Client client;
    ASSERT_TRUE(client.connect_port(server_->tcp_port()));
    EXPECT_FALSE(client.greet({{}, true, wrong})) << wrong;
  }
  Client silent;
  ASSERT_TRUE(silent.connect_port(server_->tcp_port()));
  EXPECT_EQ(drain(silent), "");
  Client client;
  ASSERT_TRUE(client.connect_port(server_->tcp_port()));
  const auto welcome = client.greet({{false, true}, true, token});
  ASSERT_TRUE(welcome) << welcome.error().detail;
  EXPECT_EQ(welcome->right, Right::control);
}

TEST_F(control_server, a_token_file_must_be_private) {
  ServerConfig tcp = config();
  tcp.listen_tcp = true;
  tcp.token_file = folder_.write("token", "0123456789abcdef\n");
  for (const mode_t mode : {0644U, 0660U}) {
    ASSERT_EQ(chmod(tcp.token_file.c_str(), mode), 0);
    Server server(handler_, tcp);
    EXPECT_THAT(why(server.open()), HasSubstr("0600"));
  }
  ASSERT_EQ(chmod(tcp.token_file.c_str(), 0600), 0);
  open(tcp);
  Client client;
  ASSERT_TRUE(client.connect_port(server_->tcp_port()));
  EXPECT_TRUE(client.greet({{}, false, "0123456789abcdef"}));
}

TEST_F(control_server, the_agent_dials_a_collector) {
  const std::string path = folder_.file("collector");
  const auto listener = listen_unix(path);
  ASSERT_TRUE(listener) << listener.error().detail;
  ServerConfig dialing = config();
  dialing.listen_unix = false;
  dialing.connect = path;
  open(dialing);
  // The connection is there: open() has made it.
  Client collector(Descriptor(accept4(listener->get(), nullptr, nullptr, SOCK_NONBLOCK)));
  handler_.record("STREAM");
  EXPECT_EQ(greet(collector, {false, true}).right, Right::control);
  give_credit(collector, 100);
  EXPECT_EQ(take(collector, 6), "STREAM");
}

TEST(control_endpoint, secrets) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
  EXPECT_FALSE(same_secret("", "a"));
}

TEST(control_endpoint, option_of_the_agent) {
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

TEST(control_endpoint, processes_that_are_not_there) {
  EXPECT_EQ(start_time_of(0), 0U);
  Client client;
  EXPECT_THAT(why(client.connect_process(0x7ffffff0)), HasSubstr("no process"));
}

}  // namespace
}  // namespace polytrace::agent::control
