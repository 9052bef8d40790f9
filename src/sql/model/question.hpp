// SPDX-License-Identifier: Apache-2.0
// What is asked in SQL, who gets the answers, and an engine as who asks sees it.
#pragma once

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sql/model/table.hpp"

namespace polytrace::sql {

struct Limits {
  std::chrono::milliseconds time{60'000};         // of a question
  std::uint64_t memory = std::uint64_t{1} << 30;  // bytes of all connections of the process
  bool read_only = false;                         // no temporary tables either
};

struct Parameter {
  std::string name;  // without its colon
  std::string value;
};

struct Question {
  std::string_view sql;  // one statement or several
  std::span<const Parameter> parameters{};
  const std::atomic<bool>* stop = nullptr;  // outlives the question
};

struct AnswerColumn {
  std::string name{};
  std::string_view type{};  // "INTEGER", "REAL", "TEXT"; empty: it differs by row
  std::string unit{};       // "ns", "bytes", ...; empty: none, or not known
};

// Gets what statements answer. One thread.
class Answers {
 public:
  virtual ~Answers() = default;
  // A statement with rows begins. Errors end the question.
  virtual base::result<void> begin(const std::vector<AnswerColumn>& columns) = 0;
  // False: no more of them are wanted. Texts live until it returns.
  virtual bool row(std::span<const Value> cells) = 0;
};

struct Ran {
  bool interrupted = false;     // by Question::stop
  std::uint64_t rows_read = 0;  // that tables gave
};

// One thread at a time.
class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  // Statements one after the other, until one fails. Errors: the codes of queries (with
  // the place in the text), limit_exceeded; those of the index.
  virtual base::result<Ran> run(const Question& question, Answers& answers) = 0;
  // How the statement would be answered, in the engine's own words.
  virtual std::string_view explain_words() const = 0;
};

// A parameter is a number where it looks like one. Its text lives as long as the parameter's.
Value parameter_value(const std::string& text);

}  // namespace polytrace::sql
