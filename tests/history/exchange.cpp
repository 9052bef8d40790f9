// SPDX-License-Identifier: Apache-2.0
#include "history/exchange.hpp"

#include <cmath>
#include <limits>
#include <random>

namespace polytrace::history::test {
namespace {

constexpr std::array kTypes{Type::none, Type::boolean, Type::integer,
                            Type::real, Type::string,  Type::bytes};

std::string random_octets(std::mt19937_64& engine) {
  std::string octets(engine() % 10, '\0');
  for (char& c : octets) c = static_cast<char>(engine());
  return octets;
}

double random_double(std::mt19937_64& engine) {
  switch (engine() % 4) {
    case 0: return static_cast<double>(static_cast<std::int64_t>(engine() % 2001) - 1000);
    case 1: return std::numeric_limits<double>::infinity() * (engine() % 2 == 0 ? 1 : -1);
    default: break;
  }
  const auto any = std::bit_cast<double>(engine());
  return std::isnan(any) ? std::numeric_limits<double>::quiet_NaN() : any;
}

}  // namespace

Value random_value(Type type, std::mt19937_64& engine, Texts& texts) {
  if (type == Type::any) type = kTypes[engine() % kTypes.size()];
  if (engine() % 8 == 0) return Value::null();
  switch (type) {
    case Type::none: return Value::exists();
    case Type::boolean: return Value::of(engine() % 2 == 0);
    case Type::integer: return Value::of(static_cast<std::int64_t>(engine()));
    case Type::real: return Value::of(random_double(engine));
    case Type::string: return Value::text(texts.keep(awkward_text(engine)));
    default: return Value::bytes(texts.keep(random_octets(engine)));
  }
}

}  // namespace polytrace::history::test
