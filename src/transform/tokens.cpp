// SPDX-License-Identifier: Apache-2.0
#include <xxhash.h>

#include <algorithm>

#include "transform/anonymize.hpp"

namespace polytrace::transform {
namespace {

// Primitive types, and what compilers call constructors.
constexpr std::string_view kPlainWords[] = {
    "bool",    "boolean", "byte",   "char",   "decimal", "double", "float",  "int",
    "intptr",  "long",    "object", "sbyte",  "short",   "single", "string", "uint",
    "uintptr", "ulong",   "void",   "ushort", "ctor",    "cctor",  "init",   "clinit"};

constexpr std::string_view kRuntime[] = {
    "System", "Microsoft", "Mono", "MonoMod", "Interop", "Internal", "mscorlib", "netstandard",
    "java",   "javax",     "jdk",  "sun",     "com.sun", "kotlin",   "scala"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
// What joins words to one name.
bool is_joint(char c) { return std::string_view(".:/+$`").find(c) != std::string_view::npos; }

bool is_plain(std::string_view word) {
  if (word.size() == 1 && static_cast<unsigned char>(word[0]) < 0x80) return true;
  if (word.size() <= 2 && std::ranges::all_of(word, is_digit)) return true;
  return std::ranges::find(kPlainWords, word) != std::end(kPlainWords);
}

template <class Is>
std::size_t run_length(std::string_view text, Is&& is) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

// "(wrapper managed-to-native) " marks what a runtime generated.
std::string helper_mark(std::string_view name) {
  const std::size_t end = name.find(") ");
  const bool marked = name.starts_with("(wrapper ") && end != name.npos;
  return std::string(name.substr(0, marked ? end + 2 : 0));
}

// Java's class files join with a slash.
bool same_char(char a, char b) { return a == b || (a == '/' && b == '.'); }

}  // namespace

std::vector<std::string> runtime_prefixes() { return {std::begin(kRuntime), std::end(kRuntime)}; }

std::string Tokens::token(std::string_view word) const {
  static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz";
  constexpr int kLength = 12;
  std::string keyed = options_.key;
  keyed += '\0';
  keyed += word;
  std::uint64_t hash = XXH3_64bits(keyed.data(), keyed.size());
  std::string token;
  for (int i = 0; i < kLength; ++i, hash /= kLetters.size())
    token += kLetters[hash % kLetters.size()];
  return token;
}

std::string Tokens::text(std::string_view text) const {
  if (text.empty()) return {};
  std::string out;
  if (append_descriptor(out, text)) return out;
  out = helper_mark(text);
  append_words(out, text.substr(out.size()));
  return out;
}

void Tokens::append_words(std::string& out, std::string_view text) const {
  while (!text.empty()) {
    const auto in_name = [](char c) { return is_word_char(c) || is_joint(c); };
    const std::size_t name = run_length(text, in_name);
    append_name(out, text.substr(0, name));
    text.remove_prefix(name);
    const std::size_t between = run_length(text, [&](char c) { return !in_name(c); });
    out += text.substr(0, between);
    text.remove_prefix(between);
  }
}

void Tokens::append_name(std::string& out, std::string_view name) const {
  if (is_kept(name)) {
    out += name;
    return;
  }
  while (!name.empty()) {
    const std::string_view word = name.substr(0, run_length(name, is_word_char));
    if (!word.empty()) out += is_plain(word) ? std::string(word) : token(word);
    name.remove_prefix(word.size());
    const std::size_t joints = run_length(name, is_joint);
    out += name.substr(0, joints);
    name.remove_prefix(joints);
  }
}

// "(I[Ljava/lang/String;)V" and "[Ljava.lang.String;": letters of which only some are names.
bool Tokens::append_descriptor(std::string& out, std::string_view text) const {
  if (!text.starts_with('(') && !text.starts_with('[')) return false;
  while (!text.empty()) {
    if (text[0] == 'L') {
      const std::size_t end = text.find(';');
      if (end == text.npos || run_length(text, [](char c) { return c != ' '; }) < end) return false;
      out += 'L';
      append_words(out, text.substr(1, end - 1));
      text.remove_prefix(end);
    } else if (std::string_view("()[BCDFIJSVZ").find(text[0]) == std::string_view::npos) {
      return false;
    }
    out += text[0];
    text.remove_prefix(1);
  }
  return true;
}

bool Tokens::is_kept(std::string_view name) const {
  return std::ranges::any_of(options_.keep, [name](std::string_view prefix) {
    if (prefix.ends_with('.')) prefix.remove_suffix(1);
    if (prefix.empty() || name.size() < prefix.size()) return false;
    if (!std::equal(prefix.begin(), prefix.end(), name.begin(),
                    [](char p, char n) { return same_char(n, p); }))
      return false;
    return name.size() == prefix.size() || !is_word_char(name[prefix.size()]);
  });
}

}  // namespace polytrace::transform
