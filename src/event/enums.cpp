// SPDX-License-Identifier: Apache-2.0
#include "event/enums.hpp"

namespace polytrace::event {

#define VALUE(name) #name,
#define ENUM(Type, ...)                                    \
  std::span<const std::string_view> names(Type) {          \
    static constexpr std::string_view kAll[]{__VA_ARGS__}; \
    return kAll;                                           \
  }
#include "event/enums.def"
#undef ENUM
#undef VALUE

}  // namespace polytrace::event
