// SPDX-License-Identifier: Apache-2.0
#include "server/answers/ask.hpp"

namespace polytrace::server {
namespace {

constexpr std::size_t kMostNames = 10'000;

struct Wanted {
  std::vector<std::uint32_t> methods{};
  std::vector<std::uint32_t> classes{};
};

Wanted read_wanted(Members members) {
  Wanted wanted{members.indexes("methods"), members.indexes("classes")};
  if (wanted.methods.size() + wanted.classes.size() > kMostNames)
    members.complain("methods", "has, with the classes, more than 10,000");
  return wanted;
}

void write_method(base::JsonWriter& json, const service::IndexedTrace& trace,
                  std::uint32_t method) {
  const std::string& name = trace.method_name(method);
  json.begin_object();
  json.member("id", method);
  json.member("name", name);
  json.member("package", service::package_of(name));
  json.member("helper", trace.is_helper(method));
  json.end_object();
}

}  // namespace

Answered answer_names(Ask& ask) {
  const Wanted wanted = read_wanted(ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  AnswerJson answer("names", From::index);
  base::JsonWriter& json = answer.json();
  json.key("methods");
  json.begin_array();
  for (const std::uint32_t method : wanted.methods) write_method(json, ask.trace(), method);
  json.end_array();
  json.key("classes");
  json.begin_array();
  for (const std::uint32_t number : wanted.classes) {
    json.begin_object();
    json.member("id", number);
    json.member("name", ask.trace().class_name(number));
    json.end_object();
  }
  json.end_array();
  return answer.take(false);
}

}  // namespace polytrace::server
