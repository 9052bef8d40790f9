// SPDX-License-Identifier: Apache-2.0
#include "agent/coreclr/code/metadata.hpp"

#include <array>
#include <cstdio>

#include "agent/coreclr/names/type_name.hpp"
#include "agent/coreclr/names/utf8.hpp"

namespace polytrace::agent::coreclr {
namespace {

namespace import {
#define METHOD(slot, name, ...) inline constexpr Method<slot, __VA_ARGS__> k##name;
#include "agent/coreclr/code/metadata.def"
#undef METHOD
}  // namespace import

constexpr Guid kImport = guid("FCE5EFA0-8BBA-4F8E-A036-8F2022B08466");

constexpr std::uint32_t kTable = 0xff000000;  // of a token
constexpr std::uint32_t kTypeRef = 0x01000000;
constexpr std::uint32_t kTypeDef = 0x02000000;
constexpr std::uint32_t kVisibility = 7;    // of a type's flags
constexpr std::uint32_t kNested = 2;        // from here on
constexpr unsigned kDeepestReference = 16;  // types in types

// Names of metadata have at most 1023 bytes.
struct Name {
  static constexpr std::uint32_t kRoom = 1024;
  std::array<char16_t, kRoom> letters{};
  std::uint32_t size = 0;  // with the zero behind it

  std::string text() const {
    const std::uint32_t most = size < kRoom ? size : kRoom;
    return utf8({letters.data(), most == 0 ? 0 : most - 1});
  }
};

bool is_done(HResult result) { return result >= 0; }

}  // namespace

Metadata::Metadata(RuntimeId module) {
  ask(info::kGetModuleMetaData, module, 0, kImport, import_.place());
}

std::string Metadata::name_of(std::uint32_t token) const {
  if ((token & kTable) == kTypeDef) return definition(token, 0);
  if ((token & kTable) == kTypeRef) return reference(token, 0);
  return {};
}

std::string Metadata::definition(std::uint32_t token, unsigned depth) const {
  Name name;
  std::uint32_t flags = 0;
  if (!import_ || depth > kDeepestReference ||
      !is_done(call(import_.get(), import::kGetTypeDefProps, token, name.letters.data(),
                    Name::kRoom, &name.size, &flags, nullptr)))
    return {};
  std::uint32_t outer = 0;
  if ((flags & kVisibility) < kNested ||
      !is_done(call(import_.get(), import::kGetNestedClassProps, token, &outer)))
    return name.text();
  return definition(outer, depth + 1) + '/' + name.text();
}

std::string Metadata::reference(std::uint32_t token, unsigned depth) const {
  Name name;
  std::uint32_t scope = 0;
  if (!import_ || depth > kDeepestReference ||
      !is_done(call(import_.get(), import::kGetTypeRefProps, token, &scope, name.letters.data(),
                    Name::kRoom, &name.size)))
    return {};
  if ((scope & kTable) != kTypeRef) return name.text();
  return reference(scope, depth + 1) + '/' + name.text();
}

Metadata::MethodFacts Metadata::method(std::uint32_t token) const {
  MethodFacts facts;
  Name name;
  const std::uint8_t* signature = nullptr;
  std::uint32_t size = 0;
  if (!import_ ||
      !is_done(call(import_.get(), import::kGetMethodProps, token, &facts.type, name.letters.data(),
                    Name::kRoom, &name.size, nullptr, &signature, &size, nullptr, nullptr))) {
    facts.name = kUnknownName;
    return facts;
  }
  facts.name = name.text();
  facts.text = method_text({signature, size}, *this);
  return facts;
}

std::string Metadata::version_id() const {
  Guid id{};
  if (!import_ || !is_done(call(import_.get(), import::kGetScopeProps, nullptr, 0, nullptr, &id)))
    return {};
  char text[40];
  const std::uint8_t* rest = id.rest;
  std::snprintf(text, sizeof text, "%08X-%04X-%04X-%02X%02X-%02X%02X%02X%02X%02X%02X", id.first,
                unsigned{id.second}, unsigned{id.third}, rest[0], rest[1], rest[2], rest[3],
                rest[4], rest[5], rest[6], rest[7]);
  return text;
}

}  // namespace polytrace::agent::coreclr
