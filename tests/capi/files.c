// SPDX-License-Identifier: Apache-2.0
// Files that are written, and files that change.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"

static const char* path_in(const char* folder, const char* name) {
  static char path[8192];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static int is_there(const char* path) { return access(path, F_OK) == 0; }

static void copy(const char* from, const char* to) {
  FILE* source = fopen(from, "rb");
  FILE* target = fopen(to, "wb");
  char bytes[4096];
  hold(source != NULL && target != NULL, to);
  for (size_t got; (got = fread(bytes, 1, sizeof bytes, source)) != 0;)
    hold(fwrite(bytes, 1, got, target) == got, to);
  fclose(source);
  hold(fclose(target) == 0, to);
}

// Whether the document has that; releases it.
static int tells(pt_text json, const char* part) {
  const int found = json.at != NULL && strstr(json.at, part) != NULL;
  pt_text_release(json);
  return found;
}

static int stop_at_once(void* user, uint64_t done, uint64_t total) {
  (void)done, (void)total;
  ++*(int*)user;
  return 1;
}

static void check_convert(const char* whole, const char* damaged, const char* folder) {
  const char* to = path_in(folder, "out.trcbin");
  pt_text json;
  pt_error* error = NULL;
  want(pt_convert(whole, to, NULL, NULL, NULL, &json, &error), PT_OK, &error, "");
  hold(is_there(to) && tells(json, "\"written\": true"), "by its ending");
  want(pt_convert(whole, to, NULL, NULL, NULL, &json, &error), PT_FAILED, &error, "output-exists");
  hold(json.at == NULL, "no document");
  hold(pt_convert(whole, to, "{}", NULL, NULL, &json, &error) == PT_FAILED &&
           strstr(pt_error_json(error).at, "pass option force") != NULL,
       "what helps, in the words of this interface");
  pt_error_release(error);
  want(pt_convert(whole, to, "{\"force\": true, \"strict\": true}", NULL, NULL, &json, &error),
       PT_CHECK, &error, "check-failed");
  hold(tells(json, "\"written\": false"), "strict: nothing is lost in silence");
  want(pt_convert(damaged, to, "{\"force\": true, \"to\": \"mlpd:17\"}", NULL, NULL, &json, &error),
       PT_DAMAGED, &error, "frame-truncated");
  hold(tells(json, "\"version\": \"17\""), "of what could be read");
  unlink(to);
  int looked = 0;
  want(pt_convert(whole, to, NULL, stop_at_once, &looked, &json, &error), PT_STOPPED, &error,
       "stopped");
  hold(looked > 0 && tells(json, "\"interrupted\": true"), "stopped by who looks");
  unlink(to);
  static const char* kWrong[] = {"[]",
                                 "{",
                                 "{\"tow\": 1}",
                                 "{\"force\": 1}",
                                 "{\"to\": true}",
                                 "{\"to\": \"nothing\"}",
                                 "{\"byte_order\": \"odd\"}"};
  for (size_t i = 0; i < sizeof kWrong / sizeof *kWrong; ++i)
    want(pt_convert(whole, to, kWrong[i], NULL, NULL, &json, &error), PT_USAGE, &error, "usage");
  want(pt_convert("", to, NULL, NULL, NULL, &json, &error), PT_USAGE, &error, "usage");
  want(pt_convert(whole, whole, NULL, NULL, NULL, &json, &error), PT_USAGE, &error,
       "output-is-input");
  hold(!is_there(to), "nothing else is written");
}

static void check_export(const char* whole, const char* folder) {
  const char* to = path_in(folder, "out");
  pt_trace* trace = open_trace(whole);
  pt_text json;
  pt_error* error = NULL;
  want(pt_export(trace, "folded", to, "{\"weight\": \"bytes\", \"limit\": 5}", &json, &error),
       PT_OK, &error, "");
  hold(is_there(to) && tells(json, "\"weight\": \"bytes\""), "a profile");
  want(pt_export(trace, "sqlite", to, "{\"tables\": \"thread,slice\"}", &json, &error), PT_FAILED,
       &error, "output-exists");
  want(pt_export(trace, "sqlite", to, "{\"tables\": \"thread,slice\", \"force\": true}", &json,
                 &error),
       PT_OK, &error, "");
  hold(tells(json, "\"name\": \"thread\""), "tables");
  unlink(to);
  static const char* kWrong[][2] = {
      {"nothing", NULL},
      {"folded", "{\"weight\": \"x\"}"},
      {"", NULL},
      {"sqlite", "{\"from\": 1}"},
      {"folded", "{\"from\": \"x\"}"},
      {"folded", "{\"tables\": \"a\"}"},
  };
  for (size_t i = 0; i < sizeof kWrong / sizeof *kWrong; ++i)
    want(pt_export(trace, kWrong[i][0], to, kWrong[i][1], &json, &error), PT_USAGE, &error,
         "usage");
  hold(!is_there(to), "nothing is written");
  pt_release(trace);
}

// What was asked before stays with what was there.
static void check_refresh(const char* whole, const char* other, const char* folder, int mode) {
  const char* path = path_in(folder, "changing");
  char index[4608];
  snprintf(index, sizeof index, "%s/changing.index", folder);
  copy(whole, path);
  pt_options options;
  pt_options_init(&options, sizeof options);
  options.index = index;
  options.index_mode = mode;
  pt_trace* trace = NULL;
  pt_error* error = NULL;
  want(pt_open(path, &options, &trace, &error), PT_OK, &error, "");
  const int64_t before = number_of(trace, "SELECT count(*) FROM event");
  pt_query* begun = prepare(trace, "SELECT id FROM event");
  hold(next_part(begun, 10, PT_OK, "").rows == 10, "a query has begun");
  pt_text info;
  hold(pt_info(trace, &info, NULL) == PT_OK, "info");
  int changed = 5;
  want(pt_refresh(trace, &changed, &error), PT_OK, &error, "");
  hold(changed == 0, "it is what it was");
  copy(other, path);
  want(pt_refresh(trace, &changed, &error), PT_DAMAGED, &error, "frame-truncated");
  hold(changed == 1, "it is another one");
  pt_text later;
  hold(pt_info(trace, &later, NULL) == PT_OK && strcmp(info.at, later.at) != 0, "and says so");
  const int64_t after = number_of(trace, "SELECT count(*) FROM event");
  hold(after != before && after > 0, "which is asked from now on");
  hold(rows_of(begun) + 10 == before, "but by what had begun");
  pt_query_release(begun);
  unlink(path);
  want(pt_refresh(trace, &changed, &error), PT_FAILED, &error, "open-failed");
  hold(changed == 0 && number_of(trace, "SELECT count(*) FROM event") == after, "it stays");
  pt_release(trace);
  static const char* kIndex[] = {"index.pti", "used", "lock", "source"};
  for (size_t i = 0; i < sizeof kIndex / sizeof *kIndex; ++i) unlink(path_in(index, kIndex[i]));
  rmdir(index);
}

void check_files(const char* whole, const char* damaged, const char* folder) {
  check_convert(whole, damaged, folder);
  check_export(whole, folder);
  check_refresh(whole, damaged, folder, PT_INDEX_TEMPORARY);
  check_refresh(whole, damaged, folder, PT_INDEX_KEPT);
}
