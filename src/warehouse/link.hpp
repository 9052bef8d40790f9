// SPDX-License-Identifier: Apache-2.0
// A ClickHouse server over HTTP. One connection, kept open between questions; one thread at a time.
// Errors say the address, the HTTP status and the first line of the server's answer, never a
// password. Nothing is tried twice: that is the caller's, who knows what may be sent again.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/types.hpp"

namespace polytrace::warehouse {

// Where a store is: http://host:8123[/database].
struct Address {
  std::string server;    // scheme, host and port: "http://127.0.0.1:8123"
  std::string host;      // without brackets
  std::string database;  // empty: not told
};

// Error: address_wrong. A user or a password in it is refused: addresses are shown and logged.
base::result<Address> parse_address(std::string_view text);

// Whether a host is this machine, so that what is sent there passes no network: localhost, ::1, or
// an address within 127.0.0.0/8. Other names that begin so are somebody else's.
bool is_this_machine(std::string_view host);

// Databases, tables and columns are written into statements as they are: letters, digits and _,
// not beginning with a digit.
bool is_plain_name(std::string_view name);

struct LinkOptions {
  std::string address;        // http://host:8123[/database], or https
  std::string user;           // empty: the server's default
  std::string password_file;  // its first line; empty: no password
  std::string database;       // empty: that of the address, else "default"
  std::chrono::milliseconds connect_within{5'000};
  std::chrono::milliseconds answer_within{60'000};     // the whole request
  std::uint64_t most_answer = std::uint64_t{1} << 30;  // bytes of an answer that is held whole
  // Once true, answers are not waited for any more. Null, or it outlives the link.
  const std::atomic<bool>* stop = nullptr;
};

// Settings of one question, such as {"max_execution_time", "30"}. A user who may change none
// (readonly = 1) is asked without them: its own profile holds the limits.
using Settings = std::vector<std::pair<std::string, std::string>>;

// What a question asks for by id.
struct Ids {
  std::string_view type;  // ClickHouse's: "UInt64"
  base::Bytes bytes;      // in RowBinary; outlives the question
};

// Why a server said no.
struct Refusal {
  int status = 0;             // HTTP; 0: it did not answer
  int code = 0;               // ClickHouse's, 0: it told none
  bool is_unreached = false;  // no connection was made: nothing was begun
};

class Link {
 public:
  // Reads the password, parses the address; connects to nothing.
  static base::result<Link> open(LinkOptions options);
  Link(Link&&) noexcept;
  Link& operator=(Link&&) noexcept;
  ~Link();

  // A statement that answers nothing: DDL, INSERT ... SELECT. Statements name the database of their
  // tables themselves (database()): it need not exist yet.
  base::result<void> run(std::string_view sql, const Settings& settings = {});
  // `rows` in RowBinary for exactly `columns` ("a, b, c"; rows.hpp, column_names). A server stores
  // what is of one partition and at most its max_insert_block_size rows whole or not at all.
  base::result<void> insert(std::string_view table, std::string_view columns, base::Bytes rows);
  // The answer in RowBinary, whole: an error where it is larger than most_answer. `sql` is a SELECT
  // without FORMAT. Where `ids` are told it may say "IN ids": they go along as bytes, which takes a
  // server a tenth of what as many literals in the statement would.
  base::result<std::vector<std::byte>> ask(std::string_view sql, const Settings& settings = {},
                                           const Ids& ids = {});

  const std::string& address() const;  // without database, user or password
  const std::string& database() const;
  // Of the last call that failed.
  const Refusal& refusal() const;

 private:
  struct State;
  explicit Link(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace polytrace::warehouse
