// SPDX-License-Identifier: Apache-2.0
// Events as they are read, without an index.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"

static pt_trace* open_events(const char* path, int follow) {
  pt_options options;
  pt_options_init(&options, sizeof options);
  options.index_mode = PT_INDEX_NONE;
  options.follow = follow;
  pt_trace* trace = NULL;
  pt_error* error = NULL;
  want(pt_open(path, &options, &trace, &error), PT_OK, &error, "");
  return trace;
}

static pt_query* events_of(pt_trace* trace, const pt_scan* scan) {
  pt_query* query = NULL;
  pt_error* error = NULL;
  want(pt_table_query(trace, "event", scan, &query, &error), PT_OK, &error, "");
  return query;
}

static int64_t all_events(const char* path) {
  pt_trace* trace = open_trace(path);
  const int64_t events = number_of(trace, "SELECT count(*) FROM event");
  pt_release(trace);
  return events;
}

static void check_whole(const char* path, int64_t events) {
  pt_trace* trace = open_events(path, 0);
  pt_query* query = events_of(trace, NULL);
  pt_query* again = events_of(trace, NULL);
  struct ArrowArrayStream stream;
  hold(pt_table_stream(trace, "event", NULL, &stream, NULL) == PT_OK, "a stream");
  pt_release(trace);
  hold(rows_of(query) == events && rows_of(query) == events, "all of them, each run");
  hold(rows_of(again) == events && rows_left(&stream) == events, "side by side");
  stream.release(&stream);
  pt_query_release(query);
  pt_query_release(again);
}

static void check_chosen(const char* path, int64_t events) {
  pt_trace* trace = open_events(path, 0);
  pt_scan scan;
  pt_scan_init(&scan, sizeof scan);
  scan.columns = "ts,utid,kind";
  pt_query* query = events_of(trace, &scan);
  const pt_columns part = next_part(query, 1000, PT_OK, "");
  hold(part.count == 3 && part.rows == 1000, "these columns, so many rows");
  const int64_t middle = ((const int64_t*)part.columns[0].values)[500];
  const int64_t utid = ((const int64_t*)part.columns[1].values)[500];
  hold(pt_bind_i64(query, "1", 1) == PT_USAGE, "no parameters");
  pt_query_release(query);
  scan.from = middle;
  query = events_of(trace, &scan);
  const int64_t from = rows_of(query);
  pt_query_release(query);
  scan.from = INT64_MIN;
  scan.to = middle;
  query = events_of(trace, &scan);
  hold(from > 0 && from < events && rows_of(query) + from == events, "two parts are the whole");
  pt_query_release(query);
  scan.threads = &utid;
  scan.thread_count = 1;
  query = events_of(trace, &scan);
  const pt_columns own = next_part(query, 0, PT_OK, "");
  for (size_t i = 0; i < own.rows; ++i)
    hold(((const int64_t*)own.columns[1].values)[i] == utid, "of one thread");
  hold(own.rows > 0, "which has some");
  pt_query_release(query);
  pt_release(trace);
}

static void check_refusals(const char* path) {
  pt_trace* trace = open_events(path, 0);
  pt_query* query = NULL;
  pt_error* error = NULL;
  pt_text json;
  pt_scan scan;
  pt_scan_init(&scan, sizeof scan);
  want(pt_prepare(trace, text_of("SELECT 1"), NULL, &query, NULL, &error), PT_USAGE, &error,
       "usage");
  want(pt_table_query(trace, "slice", NULL, &query, &error), PT_USAGE, &error, "query-wrong");
  scan.columns = "ts,nothing";
  want(pt_table_query(trace, "event", &scan, &query, &error), PT_USAGE, &error, "query-wrong");
  pt_scan_init(&scan, sizeof scan);
  scan.by_time = 1;
  want(pt_table_query(trace, "event", &scan, &query, &error), PT_USAGE, &error, "usage");
  hold(query == NULL, "no query");
  want(pt_report(trace, "calls", NULL, &json, &error), PT_OK, &error, "");
  pt_text_release(json);
  int changed = 1;
  want(pt_refresh(trace, &changed, &error), PT_OK, &error, "");
  hold(changed == 0, "a stream never changes");
  pt_release(trace);
  pt_options options;
  pt_options_init(&options, sizeof options);
  options.follow = 1;
  want(pt_open(path, &options, &trace, &error), PT_USAGE, &error, "usage");
  options.index_mode = PT_INDEX_NONE;
  want(pt_open("/nowhere/at.all", &options, &trace, &error), PT_FAILED, &error, "open-failed");
  trace = open_events("/dev/null", 0);
  query = events_of(trace, NULL);
  next_part(query, 0, PT_UNSUPPORTED, "not-recognised");
  pt_query_release(query);
  pt_release(trace);
}

static void check_damaged(const char* path, int64_t events) {
  pt_trace* trace = open_events(path, 0);
  pt_query* query = events_of(trace, NULL);
  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  hold((int64_t)next_part(query, 0, PT_OK, "").rows == events, "what could be read");
  hold(next_part(query, 0, PT_DAMAGED, "frame-truncated").rows == 0, "then what could not");
  hold(pt_query_stream(query, &stream, NULL) == PT_OK, "a stream");
  hold(stream.get_next(&stream, &batch) == 0 && batch.length == events, "of the same");
  batch.release(&batch);
  hold(stream.get_next(&stream, &batch) == EBADMSG, "says it, too");
  hold(strncmp(stream.get_last_error(&stream), "frame-truncated: ", 17) == 0, "by its code");
  stream.release(&stream);
  pt_query_release(query);
  pt_release(trace);
}

static char* bytes_of(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  hold(file != NULL && fseek(file, 0, SEEK_END) == 0, path);
  *size = (size_t)ftell(file);
  char* bytes = malloc(*size);
  rewind(file);
  hold(bytes != NULL && fread(bytes, 1, *size, file) == *size, path);
  fclose(file);
  return bytes;
}

static void put(int to, const char* bytes, size_t size) {
  hold(write(to, bytes, size) == (ssize_t)size, "bytes are written");
}

// Nobody writes to it: only pt_stop() ends that.
static void check_pipe(void) {
  int ends[2];
  char path[64];
  pt_error* error = NULL;
  pt_text json;
  hold(pipe(ends) == 0, "a pipe");
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  pt_trace* trace = open_events(path, 0);
  pt_query* query = events_of(trace, NULL);
  stopping* all = stop_begun(trace);
  next_part(query, 0, PT_STOPPED, "stopped");
  stop_ended(all);
  next_part(query, 0, PT_USAGE, "usage");
  want(pt_info(trace, &json, &error), PT_USAGE, &error, "usage");
  pt_query_release(query);
  pt_release(trace);
  close(ends[0]);
  close(ends[1]);
}

// It grows while it is read; what is there comes before what may come.
static void check_growing(const char* whole, int64_t events) {
  char path[] = "/tmp/polytrace-growing.XXXXXX";
  const int file = mkstemp(path);
  size_t size = 0;
  char* bytes = bytes_of(whole, &size);
  hold(file >= 0, path);
  put(file, bytes, size / 2);
  pt_trace* trace = open_events(path, 1);
  pt_query* query = events_of(trace, NULL);
  int64_t rows = (int64_t)next_part(query, 0, PT_OK, "").rows;
  hold(rows > 0 && rows < events, "a part of it");
  put(file, bytes + size / 2, size - size / 2);
  while (rows < events) rows += (int64_t)next_part(query, 0, PT_OK, "").rows;
  stopping* all = stop_begun(trace);
  hold(next_part(query, 0, PT_OK, "").rows == 0 && rows == events, "pt_stop() is its end");
  stop_ended(all);
  pt_query_release(query);
  pt_release(trace);
  close(file);
  unlink(path);
  free(bytes);
}

void check_events(const char* whole, const char* damaged) {
  const int64_t events = all_events(whole);
  check_whole(whole, events);
  check_chosen(whole, events);
  check_refusals(whole);
  check_damaged(damaged, all_events(damaged));
  check_pipe();
  check_growing(whole, events);
}
