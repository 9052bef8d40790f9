// SPDX-License-Identifier: Apache-2.0
// The methods in which a program spent most of its time: hot_methods FILE [ROWS]
//
//   cc hot_methods.c $(pkg-config --cflags --libs polytrace) -o hot_methods
#include <inttypes.h>
#include <polytrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kQuery[] =
    "SELECT name, calls, self_ns FROM methods(NULL, NULL, NULL) "
    "ORDER BY self_ns DESC, name LIMIT :rows";

// Tells an error and releases it.
static void tell(pt_error* error) {
  if (error == NULL) return;
  const pt_text text = pt_error_text(error);
  fprintf(stderr, "%.*s\n", (int)text.size, text.at);
  pt_error_release(error);
}

static void print_rows(const pt_columns* part) {
  const pt_column* name = &part->columns[0];
  const int64_t* calls = part->columns[1].values;
  const int64_t* self_ns = part->columns[2].values;
  for (size_t row = 0; row < part->rows; ++row) {
    const int32_t from = name->offsets[row], to = name->offsets[row + 1];
    printf("%12" PRId64 " ns %8" PRId64 " calls  %.*s\n", self_ns[row], calls[row],
           (int)(to - from), (const char*)name->values + from);
  }
}

static pt_status ask(pt_trace* trace, int64_t rows, pt_error** error) {
  const pt_text sql = {kQuery, strlen(kQuery)};
  pt_query* query;
  pt_status status = pt_prepare(trace, sql, NULL, &query, NULL, error);
  if (status != PT_OK) return status;
  pt_bind_i64(query, "rows", rows);
  pt_columns part = {sizeof part, 0, 0, NULL};
  while ((status = pt_query_columns(query, 0, &part, error)) == PT_OK && part.rows != 0)
    print_rows(&part);
  pt_query_release(query);
  return status;
}

int main(int count, char** words) {
  if (count < 2) return PT_USAGE;
  pt_trace* trace;
  pt_error* error = NULL;
  pt_status status = pt_open(words[1], NULL, &trace, &error);
  tell(error);  // of a damaged trace, too, which can be asked all the same
  if (trace == NULL) return (int)status;
  error = NULL;
  const pt_status asked = ask(trace, count > 2 ? atoll(words[2]) : 10, &error);
  tell(error);
  pt_release(trace);
  return (int)(asked != PT_OK ? asked : status);
}
