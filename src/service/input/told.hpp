// SPDX-License-Identifier: Apache-2.0
// What reading all of a trace gives, from its index without reading it. Any thread.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "service/input/overview.hpp"
#include "service/input/pass.hpp"

namespace polytrace::store {
class Store;
}

namespace polytrace::service {

// Of a source that could be read to its end; what became of the rest is among the notices.
Passed told_pass(const store::Store& store);

// Nothing where the trace has to be read for it. Errors: those of frames.
base::result<std::optional<Overview>> told_overview(const store::Store& store);

}  // namespace polytrace::service
