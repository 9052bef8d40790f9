// SPDX-License-Identifier: Apache-2.0
// Whatever XML was read: written as XML it reads without a notice that costs anything and is the
// same when written again, and so it is by way of TBF.
#include "format/tptp/message_conversion.hpp"
#include "support/require.hpp"

using namespace polytrace::format::tptp;
using polytrace::fuzz::bytes_of;
using polytrace::fuzz::require;
namespace base = polytrace::base;

namespace {

using Bytes = std::vector<std::byte>;

Bytes converted(const Bytes& from, Spelling target) {
  Bytes to;
  const auto done = convert_messages(base::memory_source(from), base::memory_sink(to), target);
  require(done.has_value() && done->notices.exit_code() == 0);
  return to;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes xml;
  const auto done = convert_messages(base::memory_source(bytes_of(data, size)),
                                     base::memory_sink(xml), Spelling::xml);
  if (!done) return 0;
  require(converted(xml, Spelling::xml) == xml);
  require(converted(converted(xml, Spelling::tbf), Spelling::xml) == xml);
  return 0;
}
