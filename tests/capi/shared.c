// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asked.h"

pt_text text_of(const char* text) {
  pt_text made = {text, strlen(text)};
  return made;
}

void hold(int is_so, const char* what) {
  if (is_so) return;
  fprintf(stderr, "does not hold: %s\n", what);
  exit(1);
}

void want(pt_status status, pt_status wanted, pt_error** error, const char* code) {
  const pt_text text = *error != NULL ? pt_error_text(*error) : text_of("no error");
  const pt_text got = *error != NULL ? pt_error_code(*error) : text_of("");
  const int same = got.size == strlen(code) && memcmp(got.at, code, got.size) == 0;
  if (status != wanted || !same) {
    fprintf(stderr, "status %d (%.*s: %.*s), wanted %d (%s)\n", (int)status, (int)got.size, got.at,
            (int)text.size, text.at, (int)wanted, code);
    exit(1);
  }
  pt_error_release(*error);
  *error = NULL;
}

pt_trace* open_trace(const char* path) {
  pt_options options;
  pt_options_init(&options, sizeof options);
  options.index_mode = PT_INDEX_TEMPORARY;
  pt_trace* trace = NULL;
  pt_error* error = NULL;
  const pt_status status = pt_open(path, &options, &trace, &error);
  hold((status == PT_OK || status == PT_DAMAGED) && trace != NULL, "the trace opens");
  pt_error_release(error);
  return trace;
}

pt_query* prepare(pt_trace* trace, const char* sql) {
  pt_query* query = NULL;
  pt_error* error = NULL;
  const pt_status status = pt_prepare(trace, text_of(sql), NULL, &query, NULL, &error);
  want(status, PT_OK, &error, "");
  hold(query != NULL, sql);
  return query;
}

pt_columns next_part(pt_query* query, size_t most, pt_status wanted, const char* code) {
  pt_columns columns = {sizeof columns, 0, 0, NULL};
  pt_error* error = NULL;
  const pt_status status = pt_query_columns(query, most, &columns, &error);
  want(status, wanted, &error, code);
  return columns;
}

int64_t rows_of(pt_query* query) {
  int64_t rows = 0;
  for (;;) {
    const pt_columns part = next_part(query, 0, PT_OK, "");
    if (part.rows == 0) return rows;
    rows += (int64_t)part.rows;
  }
}

int64_t rows_left(struct ArrowArrayStream* stream) {
  struct ArrowArray batch;
  int64_t rows = 0;
  for (;;) {
    hold(stream->get_next(stream, &batch) == 0, "a batch");
    if (batch.release == NULL) return rows;
    rows += batch.length;
    batch.release(&batch);
  }
}

int64_t one_number(pt_query* query) {
  const pt_columns part = next_part(query, 0, PT_OK, "");
  hold(part.rows == 1 && part.count == 1 && part.columns[0].type == PT_I64, "one number");
  const int64_t number = ((const int64_t*)part.columns[0].values)[0];
  hold(next_part(query, 0, PT_OK, "").rows == 0, "one row");
  return number;
}

int64_t number_of(pt_trace* trace, const char* sql) {
  pt_query* query = prepare(trace, sql);
  const int64_t number = one_number(query);
  pt_query_release(query);
  return number;
}

struct stopping {
  pt_trace* trace;
  pthread_t thread;
  pthread_mutex_t mutex;
  int done;
};

static void* stop_until_done(void* own) {
  stopping* all = own;
  for (;;) {
    pthread_mutex_lock(&all->mutex);
    const int done = all->done;
    pthread_mutex_unlock(&all->mutex);
    if (done) return NULL;
    pt_stop(all->trace);
  }
}

stopping* stop_begun(pt_trace* trace) {
  stopping* all = calloc(1, sizeof *all);
  hold(all != NULL, "memory");
  all->trace = trace;
  pthread_mutex_init(&all->mutex, NULL);
  hold(pthread_create(&all->thread, NULL, stop_until_done, all) == 0, "a thread");
  return all;
}

void stop_ended(stopping* all) {
  pthread_mutex_lock(&all->mutex);
  all->done = 1;
  pthread_mutex_unlock(&all->mutex);
  pthread_join(all->thread, NULL);
  pthread_mutex_destroy(&all->mutex);
  free(all);
}
