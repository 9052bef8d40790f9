// SPDX-License-Identifier: Apache-2.0
// How callbacks record (agent/common/runtime/note.hpp) in this runtime, which samples threads by
// signals and lets some of them record while the world stands still.
#pragma once

#include "agent/common/runtime/note.hpp"

namespace polytrace::agent::mono {

// What events do while the world stands still and no memory is free. See the source.
Patience patience_of_collector();

template <class T>
void note_stopped(const T& details, base::Id subject, const Lists& lists = {}) {
  note(details, subject, lists, patience_of_collector());
}

// The recorder's, but no sample comes in between. False: nothing is being recorded.
template <class T>
bool define(const T& details, base::Id subject) {
  number_thread();
  const Recording recording;
  return agent::define(details, subject);
}

}  // namespace polytrace::agent::mono
