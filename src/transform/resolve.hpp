// SPDX-License-Identifier: Apache-2.0
// Between a reader and a writer that cannot take definitions as they come: both of one trace, of
// which all definitions are known. One thread at a time.
#pragma once

#include <memory>

#include "event/writer.hpp"
#include "transform/definitions.hpp"

namespace polytrace::transform {

// Hands events on, methods with whole names (event/choice/method_names.hpp), the names of threads
// behind their begins.
std::unique_ptr<event::Writer> name_apart(std::unique_ptr<event::Writer> to,
                                          std::shared_ptr<const Definitions> definitions);

// Hands events on with every definition before its first use and whole, vtables' classes in their
// place. Else nothing is different, nothing is lost.
std::unique_ptr<event::Writer> resolve(std::unique_ptr<event::Writer> to,
                                       std::shared_ptr<const Definitions> definitions);

}  // namespace polytrace::transform
