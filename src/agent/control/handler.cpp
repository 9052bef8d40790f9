// SPDX-License-Identifier: Apache-2.0
#include "agent/control/handler.hpp"

namespace polytrace::agent::control {

Reply Handler::start(const StartRequest&) { return {}; }
Reply Handler::stop() { return {}; }
Reply Handler::pause() { return {}; }
Reply Handler::resume() { return {}; }
Reply Handler::set_filters(const std::vector<std::string>&) { return {}; }
Reply Handler::set_option(std::string_view, std::string_view) { return {}; }
Reply Handler::heap_dump(std::string_view) { return {}; }
Reply Handler::run_gc() { return {}; }
Reply Handler::flush() { return {}; }
Reply Handler::annotate(std::string_view) { return {}; }
StreamState Handler::stream() { return {}; }
std::size_t Handler::read_stream(std::uint64_t, std::span<std::uint8_t>) { return 0; }

}  // namespace polytrace::agent::control
