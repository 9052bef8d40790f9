// SPDX-License-Identifier: Apache-2.0
// Events by their kinds, counted as a trace is read, without an index: kinds FILE [COPY]
// FILE may be -, standard input. COPY is written first, in the format of its ending.
//
//   cc kinds.c $(pkg-config --cflags --libs polytrace) -o kinds
#include <inttypes.h>
#include <polytrace.h>
#include <stdio.h>
#include <string.h>

enum { kMostKinds = 256 };

typedef struct {
  char name[32];
  uint64_t events;
} kind_count;

static kind_count kinds[kMostKinds];

static void count(const char* name, size_t size) {
  for (size_t i = 0; i < kMostKinds; ++i) {
    if (kinds[i].events == 0) memcpy(kinds[i].name, name, size < 31 ? size : 31);
    if (strlen(kinds[i].name) != size || memcmp(kinds[i].name, name, size) != 0) continue;
    ++kinds[i].events;
    return;
  }
}

// Tells an error and releases it.
static pt_status tell(pt_status status, pt_error* error) {
  if (error == NULL) return status;
  const pt_text text = pt_error_text(error);
  fprintf(stderr, "%.*s\n", (int)text.size, text.at);
  pt_error_release(error);
  return status;
}

static pt_status count_all(pt_trace* trace) {
  pt_scan scan;
  pt_scan_init(&scan, sizeof scan);
  scan.columns = "kind";
  pt_query* query;
  pt_error* error;
  pt_status status = pt_table_query(trace, "event", &scan, &query, &error);
  if (status != PT_OK) return tell(status, error);
  pt_columns part = {sizeof part, 0, 0, NULL};
  while ((status = pt_query_columns(query, 0, &part, &error)) == PT_OK && part.rows != 0) {
    const pt_column* kind = &part.columns[0];
    for (size_t row = 0; row < part.rows; ++row)
      count((const char*)kind->values + kind->offsets[row],
            (size_t)(kind->offsets[row + 1] - kind->offsets[row]));
  }
  pt_query_release(query);
  return tell(status, error);
}

static pt_status copy(const char* from, const char* to) {
  pt_text json;
  pt_error* error;
  const pt_status status = pt_convert(from, to, "{\"force\": true}", NULL, NULL, &json, &error);
  pt_text_release(json);  // says what the format of the copy could not hold
  return tell(status, error);
}

int main(int argc, char** words) {
  if (argc < 2) return PT_USAGE;
  pt_options options;
  pt_options_init(&options, sizeof options);
  options.index_mode = PT_INDEX_NONE;
  pt_trace* trace;
  pt_error* error;
  if (argc > 2) copy(words[1], words[2]);
  pt_status status = pt_open(words[1], &options, &trace, &error);
  tell(status, error);
  if (trace == NULL) return (int)status;
  status = count_all(trace);
  pt_release(trace);
  for (size_t i = 0; i < kMostKinds && kinds[i].events != 0; ++i)
    printf("%-20s %10" PRIu64 "\n", kinds[i].name, kinds[i].events);
  return (int)status;
}
