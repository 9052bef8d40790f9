// SPDX-License-Identifier: Apache-2.0
// polytrace.h as C++ reads it, twice.
#include "polytrace.h"
// A second time it declares nothing.
#include "polytrace.h"

static_assert(sizeof(pt_text) == 2 * sizeof(void*));
static_assert(PT_OK == 0 && PT_STOPPED == 130);
