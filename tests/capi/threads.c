// SPDX-License-Identifier: Apache-2.0
// What the header says of threads, done by many at once: threads FILE. Made for ThreadSanitizer;
// elsewhere it shows that nobody waits for ever.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"

enum { kThreads = 4, kRounds = 5 };

typedef struct {
  const char* path;
  pt_trace* trace;  // that all share
  int64_t events;
} shared;

static void run_all(void* (*work)(void*), shared* all) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    hold(pthread_create(&threads[i], NULL, work, all) == 0, "a thread");
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

// Objects of other traces never interfere, also of one file.
static void* open_one(void* own) {
  const shared* all = own;
  pt_trace* trace = open_trace(all->path);
  hold(number_of(trace, "SELECT count(*) FROM event") == all->events, "each has its own");
  pt_release(trace);
  return NULL;
}

static int64_t events_by_query(pt_trace* trace) {
  pt_query* query = prepare(trace, "SELECT id FROM event");
  const int64_t rows = rows_of(query);
  pt_query_release(query);
  return rows;
}

static int64_t events_by_stream(pt_trace* trace) {
  struct ArrowArrayStream stream;
  hold(pt_table_stream(trace, "event", NULL, &stream, NULL) == PT_OK, "a stream");
  const int64_t rows = rows_left(&stream);
  stream.release(&stream);
  return rows;
}

// Queries of one trace take turns; functions that are marked T come in between.
static void* ask_shared(void* own) {
  const shared* all = own;
  for (int round = 0; round < kRounds; ++round) {
    int changed = 1;
    pt_text json;
    hold(events_by_query(all->trace) == all->events, "all rows");
    hold(pt_refresh(all->trace, &changed, NULL) == PT_OK && !changed, "nothing changed");
    hold(events_by_stream(all->trace) == all->events, "all rows, as a stream");
    hold(pt_info(all->trace, &json, NULL) == PT_OK && strlen(json.at) == json.size, "info");
    hold(pt_report(all->trace, "calls", NULL, &json, NULL) == PT_OK, "a report");
    pt_text_release(json);
  }
  return NULL;
}

// What is stopped says so, and goes on when asked again.
static void* ask_stopped(void* own) {
  const shared* all = own;
  for (int round = 0; round < kRounds; ++round) {
    pt_query* query = prepare(all->trace, "SELECT id FROM event");
    pt_columns part = {sizeof part, 0, 0, NULL};
    const pt_status status = pt_query_columns(query, 0, &part, NULL);
    hold(status == PT_OK || status == PT_STOPPED, "rows, or stopped");
    pt_query_release(query);
  }
  return NULL;
}

static void* ask_events(void* own) {
  const shared* all = own;
  hold(events_by_stream(all->trace) == all->events, "all events as they are read");
  return NULL;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  shared all = {words[1], open_trace(words[1]), 0};
  all.events = number_of(all.trace, "SELECT count(*) FROM event");
  run_all(open_one, &all);
  run_all(ask_shared, &all);
  stopping* stopper = stop_begun(all.trace);
  run_all(ask_stopped, &all);
  stop_ended(stopper);
  hold(events_by_query(all.trace) == all.events, "what begins later runs");
  pt_release(all.trace);
  pt_options options;
  pt_options_init(&options, sizeof options);
  options.index_mode = PT_INDEX_NONE;
  hold(pt_open(all.path, &options, &all.trace, NULL) == PT_OK, "without an index");
  run_all(ask_events, &all);
  pt_release(all.trace);
  printf("all holds\n");
  return 0;
}
