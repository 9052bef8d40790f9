// SPDX-License-Identifier: Apache-2.0
// Counts the events of a trace with the installed library: consumer FILE.
#include <cstdio>

#include "base/io/source.hpp"
#include "event/batch.hpp"
#include "format/format.hpp"

int main(int count, char** arguments) {
  using namespace polytrace;
  if (count != 2) return 2;
  auto source = base::open_source(arguments[1]);
  if (!source) return 1;
  auto opened = format::open(std::move(*source));
  if (!opened) return 3;
  std::size_t events = 0;
  event::Batch batch;
  for (auto more = opened->reader->next(batch); more && *more; more = opened->reader->next(batch)) {
    events += batch.events.size();
  }
  std::printf("%zu\n", events);
}
