// SPDX-License-Identifier: Apache-2.0
#include "slice/compiled_names.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace polytrace::slice {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

// "<Main>b__5_0" in its parts: "Main" and "b__5_0".
struct CompilerName {
  std::string_view of;
  std::string_view what;
};

// Both are empty where `name` was not made by a compiler.
CompilerName made(std::string_view name) {
  if (!name.starts_with('<')) return {};
  std::size_t depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && --depth == 0) return {name.substr(1, i - 1), name.substr(i + 1)};
  }
  return {};
}

// "c__DisplayClass5_1<int>" -> "5": the digits behind the word.
std::string_view number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == kNone) return {};
  text.remove_prefix(at + word.size());
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

constexpr std::string_view kSeparators = "/.+";  // of a class and what is in it

// Not so "<Module>" and "<UNKNOWN>".
bool begins_with_made(std::string_view type) {
  const std::string_view what = made(type).what;
  return !what.empty() && kSeparators.find(what.front()) == kNone;
}

// Where the first class in `type` begins that a compiler made; the end without one. Arguments of
// generic types are no part of its name.
std::size_t first_made(std::string_view type) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const bool begins = i == 0 || kSeparators.find(type[i - 1]) != kNone;
    if (type[i] == '<' && depth == 0 && begins && begins_with_made(type.substr(i))) return i;
    if (type[i] == '<') ++depth;
    if (type[i] == '>' && depth != 0) --depth;
  }
  return type.size();
}

// Of the classes that begin at `at`, the last.
CompilerName last_made(std::string_view type, std::size_t at) {
  CompilerName last;
  while (at < type.size()) {
    const CompilerName next = made(type.substr(at));
    if (next.what.empty()) return last;
    last = next;
    at = type.size() - next.what.size();
    at += first_made(next.what);
  }
  return last;
}

std::string in_source(CompilerName method, CompilerName type);

// "Main", or "<Main>b__0_0" of what is in a lambda itself.
std::string owner(std::string_view of) {
  const CompilerName inner = made(of);
  return inner.what.empty() ? std::string(of) : in_source(inner, {});
}

std::string lambda(CompilerName method, CompilerName type, std::size_t number_at) {
  std::string number(method.what.substr(number_at));
  number.resize(std::min(number.find_first_not_of("0123456789_"), number.size()));
  std::string_view scope = number_behind(type.what, "AnonStorey");
  if (scope.empty() && number.find('_') == kNone) scope = number_behind(type.what, "DisplayClass");
  std::string out = owner(method.of.empty() ? type.of : method.of) + ".lambda ";
  if (!scope.empty()) out.append(scope).append(1, '_');
  return out + number;
}

// Empty where it is none of the kinds that are known.
std::string in_source(CompilerName method, CompilerName type) {
  if (method.what.starts_with("b__") || method.what.starts_with("m__")) {
    if (method.of.empty() && type.of.empty()) return {};
    return lambda(method, type, 3);
  }
  if (method.what.starts_with("g__")) {
    const std::string_view name = method.what.substr(3);
    return owner(method.of) + '.' + std::string(name.substr(0, name.find('|')));
  }
  return method.what == "$" ? std::string(method.of) : std::string();
}

// d: iterators and asynchronous methods of Roslyn; the others of mcs.
bool is_state_machine(std::string_view what) {
  constexpr std::array<std::string_view, 3> kKinds = {"d__", "c__Iterator", "c__async"};
  return what == "d" ||
         std::ranges::any_of(kKinds, [&](auto kind) { return what.starts_with(kind); });
}

}  // namespace

std::string as_in_source(std::string name) {
  if (name.find('<') == kNone) return name;
  const std::string_view whole = name;
  const std::size_t colon = whole.find(':', 1);
  if (colon == kNone || whole.starts_with('(')) return name;
  const std::size_t begin = whole.find_first_not_of(':', colon);
  if (begin == kNone) return name;
  const std::string_view type = whole.substr(0, colon);
  const std::size_t end = std::min(whole.find(" (", begin), whole.size());
  const std::string_view method = whole.substr(begin, end - begin);
  const std::size_t inner = first_made(type);
  const CompilerName of = last_made(type, inner);
  std::string source;
  if (method == "MoveNext" && is_state_machine(of.what)) source = owner(of.of) + ".body";
  else source = in_source(made(method), of);
  if (source.empty()) return name;
  std::string out(type.substr(0, inner == 0 ? 0 : std::min(inner - 1, type.size())));
  if (inner == type.size()) out = type;
  out.append(whole.substr(colon, begin - colon)).append(source);
  if (!source.ends_with(".body")) out.append(whole.substr(end));
  return out;
}

}  // namespace polytrace::slice
