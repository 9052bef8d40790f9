// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "asked.h"

static const char* kEndless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";

static void check_opening(const char* whole, const char* damaged) {
  pt_trace* trace = (pt_trace*)1;
  pt_error* error = NULL;
  hold(pt_abi() >> 16 == 1 && strlen(pt_version()) > 2, "versions");
  want(pt_open("/nowhere/at.all", NULL, &trace, &error), PT_FAILED, &error, "open-failed");
  hold(trace == NULL, "no trace of a file that is not there");
  hold(pt_open("/nowhere/at.all", NULL, &trace, NULL) == PT_FAILED, "errors may be left alone");
  want(pt_open("", NULL, &trace, &error), PT_USAGE, &error, "usage");
  pt_options options;
  pt_options_init(&options, sizeof options);
  options.index_mode = PT_INDEX_TEMPORARY;
  want(pt_open(damaged, &options, &trace, &error), PT_DAMAGED, &error, "frame-truncated");
  hold(trace != NULL, "a damaged trace is there");
  hold(number_of(trace, "SELECT count(*) FROM event") > 0, "and can be asked");
  pt_release(trace);
  options.index_mode = 77;
  want(pt_open(whole, &options, &trace, &error), PT_USAGE, &error, "usage");
  pt_options_init(&options, offsetof(pt_options, index_mode));
  hold(options.size == offsetof(pt_options, index_mode), "options of an older caller");
  pt_release(NULL);
  pt_query_release(NULL);
  pt_error_release(NULL);
}

static void check_info(pt_trace* trace) {
  pt_text one, two;
  hold(pt_info(trace, &one, NULL) == PT_OK && pt_info(trace, &two, NULL) == PT_OK, "info");
  hold(one.at == two.at && strstr(one.at, "polytrace.info/1") != NULL, "made once");
}

// A file that ends in its header: there is nothing of it, so nothing partial either.
static void check_nothing(void) {
  char path[] = "/tmp/polytrace.XXXXXX";
  const int file = mkstemp(path);
  hold(write(file, "\x89PTRACE\n\x09\0\0\0\0\0\0\0\x01\0\0", 19) == 19, "19 bytes");
  close(file);
  for (int mode = PT_INDEX_NONE; mode <= PT_INDEX_TEMPORARY; ++mode) {
    pt_options options;
    pt_options_init(&options, sizeof options);
    options.index_mode = mode;
    pt_trace* trace = NULL;
    pt_error* error = NULL;
    pt_status status = pt_open(path, &options, &trace, &error);
    if (status == PT_OK) {
      pt_text json;
      status = pt_info(trace, &json, &error);
      hold(json.at == NULL && json.size == 0, "no document");
    } else {
      hold(trace == NULL, "no trace");
    }
    want(status, PT_UNSUPPORTED, &error, "header-truncated");
    pt_release(trace);
  }
  unlink(path);
}

static void check_wrong(pt_trace* trace) {
  static const char* kSql[][2] = {{"SELECT FROM", "query-wrong"},
                                  {"SELECT nothing FROM thread", "query-wrong"},
                                  {"ATTACH 'a' AS b", "query-refused"},
                                  {"PRAGMA journal_mode", "query-refused"}};
  for (size_t i = 0; i < sizeof kSql / sizeof *kSql; ++i) {
    pt_query* query = (pt_query*)1;
    pt_error* error = NULL;
    const pt_status status = pt_prepare(trace, text_of(kSql[i][0]), NULL, &query, NULL, &error);
    hold(query == NULL, "no query of what is wrong");
    hold(strstr(pt_error_json(error).at, kSql[i][1]) != NULL, "the error as JSON");
    want(status, PT_USAGE, &error, kSql[i][1]);
  }
}

static void check_rest(pt_trace* trace) {
  pt_text rest = text_of("CREATE TEMP TABLE x AS SELECT 7 AS a; SELECT a FROM x; -- no more\n ");
  int statements = 0;
  int64_t number = 0;
  while (rest.size != 0) {
    pt_query* query = NULL;
    pt_error* error = NULL;
    want(pt_prepare(trace, rest, NULL, &query, &rest, &error), PT_OK, &error, "");
    if (query == NULL) break;
    if (++statements == 1) hold(next_part(query, 0, PT_OK, "").rows == 0, "no rows");
    else number = one_number(query);
    pt_query_release(query);
  }
  hold(statements == 2 && number == 7, "two statements, one after the other");
  pt_query_options options;
  pt_query_options_init(&options, sizeof options);
  options.read_only = 1;
  pt_query* query = NULL;
  pt_error* error = NULL;
  want(pt_prepare(trace, text_of("CREATE TEMP TABLE y (a)"), &options, &query, NULL, &error),
       PT_USAGE, &error, "query-refused");
}

static void check_parameters(pt_trace* trace) {
  pt_query* query = prepare(trace, "SELECT :a + ?2");
  next_part(query, 0, PT_USAGE, "query-wrong");
  hold(pt_bind_i64(query, "b", 1) == PT_USAGE, "no such parameter");
  hold(pt_bind_i64(query, "a", INT64_MAX - 2) == PT_OK, "by name");
  hold(pt_bind_i64(query, "?2", 1) == PT_OK, "by its whole name");
  hold(one_number(query) == INT64_MAX - 1, "all bits of a number");
  hold(pt_bind_i64(query, ":a", 4) == PT_OK && one_number(query) == 5, "a second run");
  pt_query_release(query);
  query = prepare(trace, "SELECT ?, ?, ?");
  hold(pt_bind_text(query, "1", text_of("t")) == PT_OK, "by number");
  hold(pt_bind_f64(query, "2", 0.5) == PT_OK && pt_bind_null(query, "3") == PT_OK, "all types");
  const pt_columns part = next_part(query, 0, PT_OK, "");
  hold(part.columns[0].type == PT_TEXT && part.columns[0].offsets[1] == 1, "a text");
  hold(part.columns[1].type == PT_F64 && *(const double*)part.columns[1].values == 0.5, "a real");
  hold(part.columns[2].valid[0] == 0 && part.columns[1].valid == NULL, "NULL");
  hold(pt_bind_null(query, "1") == PT_USAGE, "not in a run");
  pt_query_release(query);
}

static void check_description(pt_trace* trace) {
  pt_columns columns = {sizeof columns, 0, 0, NULL};
  pt_query* query = prepare(trace, "SELECT ts, name, 1 AS one FROM slice");
  pt_query_describe(query, &columns);
  hold(columns.count == 3 && columns.columns[0].unit.size == 2, "described without a run");
  hold(memcmp(columns.columns[2].name.at, "one", 3) == 0, "by the names of the query");
  pt_query_release(query);
  query = prepare(trace, "CREATE TEMP TABLE described (a)");
  pt_query_describe(query, &columns);
  hold(columns.count == 0, "no rows");
  pt_query_release(query);
}

static void check_types(pt_trace* trace) {
  static const char* kMixed[][2] = {
      {"SELECT 1 AS a UNION ALL SELECT 2.5", "real"},
      {"SELECT 1 AS a UNION ALL SELECT 'x' UNION ALL SELECT 0.5", "text"}};
  for (size_t i = 0; i < 2; ++i) {
    pt_query* query = prepare(trace, kMixed[i][0]);
    const pt_columns part = next_part(query, 0, PT_OK, "");
    hold(part.columns[0].type == (i == 0 ? PT_F64 : PT_TEXT), kMixed[i][1]);
    pt_query_release(query);
  }
  // What cannot be held exactly is no silent loss.
  pt_query* query = prepare(trace, "SELECT 9007199254740993 AS a UNION ALL SELECT 2.5");
  next_part(query, 0, PT_USAGE, "query-wrong");
  pt_query_release(query);
}

static void check_limits(pt_trace* trace) {
  pt_query_options options;
  pt_query_options_init(&options, sizeof options);
  options.max_rows = 3;
  pt_query* query = NULL;
  const pt_text sql = text_of("SELECT value FROM json_each('[1,2,3,4]')");
  hold(pt_prepare(trace, sql, &options, &query, NULL, NULL) == PT_OK, "a query");
  hold(next_part(query, 2, PT_OK, "").rows == 2, "a part");
  hold(next_part(query, 0, PT_LIMIT, "limit-exceeded").rows == 1, "the rest up to the limit");
  hold(next_part(query, 4, PT_LIMIT, "limit-exceeded").rows == 3, "a new run");
  pt_query_release(query);
  options.max_rows = 4;
  hold(pt_prepare(trace, sql, &options, &query, NULL, NULL) == PT_OK, "a query");
  hold(next_part(query, 0, PT_OK, "").rows == 4, "no more than the limit, no error");
  hold(next_part(query, 0, PT_OK, "").rows == 0, "and its end");
  pt_query_release(query);
  // The end of one is nothing to another that has begun.
  pt_query* begun = prepare(trace, "SELECT value FROM json_each('[1,2,3,4]')");
  hold(next_part(begun, 1, PT_OK, "").rows == 1, "begun");
  options.timeout_ms = 20;
  hold(pt_prepare(trace, text_of(kEndless), &options, &query, NULL, NULL) == PT_OK, "a query");
  next_part(query, 0, PT_LIMIT, "query-timeout");
  pt_query_release(query);
  hold(next_part(begun, 0, PT_OK, "").rows == 3, "and goes on");
  hold(next_part(begun, 0, PT_OK, "").rows == 0, "to its end");
  pt_query_release(begun);
}

static void check_stop(pt_trace* trace) {
  pt_query* query = prepare(trace, kEndless);
  stopping* all = stop_begun(trace);
  next_part(query, 0, PT_STOPPED, "stopped");
  stop_ended(all);
  pt_query_release(query);
  hold(number_of(trace, "SELECT 1") == 1, "what begins later runs");
  // Also what has begun and does nothing just now.
  query = prepare(trace, "SELECT value FROM json_each('[1,2,3,4]')");
  hold(next_part(query, 1, PT_OK, "").rows == 1, "begun");
  pt_stop(trace);
  next_part(query, 1, PT_STOPPED, "stopped");
  hold(next_part(query, 1, PT_OK, "").rows == 1, "anew");
  pt_query_release(query);
}

static void check_streams(const char* whole) {
  const char* sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) "
      "SELECT i, 'text ' || i FROM n";
  pt_trace* trace = open_trace(whole);
  pt_query* query = prepare(trace, sql);
  pt_query* other = prepare(trace, sql);
  struct ArrowArrayStream one, two, three;
  struct ArrowArray batch;
  struct ArrowSchema schema;
  hold(pt_query_stream(query, &one, NULL) == PT_OK, "a stream");
  hold(pt_query_stream(query, &two, NULL) == PT_USAGE && two.release == NULL, "one at a time");
  hold(pt_query_stream(other, &three, NULL) == PT_OK, "two of one trace");
  hold(one.get_next(&one, &batch) == 0 && batch.length == 65536, "a whole batch");
  // A child may be moved out and live on.
  struct ArrowArray child = *batch.children[0];
  batch.children[0]->release = NULL;
  batch.release(&batch);
  hold(((const int64_t*)child.buffers[1])[65535] == 65536, "a child on its own");
  child.release(&child);
  one.release(&one);
  hold(one.release == NULL, "released early");
  hold(pt_query_stream(query, &two, NULL) == PT_OK, "a second run");
  hold(two.get_schema(&two, &schema) == 0 && schema.n_children == 2, "its schema");
  schema.release(&schema);
  pt_query_release(query);
  pt_query_release(other);
  pt_release(trace);
  hold(rows_left(&two) == 200000 && rows_left(&three) == 200000, "they outlive all else");
  hold(rows_left(&two) == 0, "ended stays ended");
  two.release(&two);
  three.release(&three);
}

static void check_part_streams(pt_trace* trace) {
  pt_query* query = prepare(trace, "SELECT value, 'n' || value AS name FROM json_each('[7,8,9]')");
  struct ArrowArrayStream stream, later;
  struct ArrowArray batch;
  pt_error* error = NULL;
  want(pt_part_stream(query, &stream, &error), PT_USAGE, &error, "usage");
  hold(stream.release == NULL && next_part(query, 2, PT_OK, "").rows == 2, "a part");
  want(pt_part_stream(query, &stream, &error), PT_OK, &error, "");
  want(pt_part_stream(query, &later, &error), PT_OK, &error, "");
  hold(next_part(query, 2, PT_OK, "").rows == 1, "the next part");
  hold(next_part(query, 2, PT_OK, "").rows == 0, "the end");
  pt_query_release(query);
  hold(stream.get_next(&stream, &batch) == 0 && batch.length == 2, "the part is still there");
  hold(((const int64_t*)batch.children[0]->buffers[1])[1] == 8, "with its values");
  batch.release(&batch);
  hold(rows_left(&stream) == 0 && rows_left(&later) == 2, "once for each stream");
  stream.release(&stream);
  later.release(&later);
}

static void check_memory(pt_trace* trace) {
  pt_query_options options;
  pt_query_options_init(&options, sizeof options);
  options.memory = 32 << 20;
  pt_query* query = NULL;
  pt_error* error = NULL;
  const char* sql =
      "CREATE TEMP TABLE large AS WITH RECURSIVE r(x, y) AS (SELECT 1, 'a' UNION ALL "
      "SELECT x + 1, printf('%01000d', x) FROM r) SELECT * FROM r";
  want(pt_prepare(trace, text_of(sql), &options, &query, NULL, &error), PT_OK, &error, "");
  pt_columns part = {sizeof part, 0, 0, NULL};
  const pt_status status = pt_query_columns(query, 0, &part, &error);
  hold(strstr(pt_error_json(error).at, "option memory") != NULL, "what gives more memory here");
  want(status, PT_LIMIT, &error, "limit-exceeded");
  pt_query_release(query);
  hold(number_of(trace, "SELECT 1") == 1, "and the trace goes on");
}

static void check_stream_faults(pt_trace* trace) {
  pt_query_options options;
  pt_query_options_init(&options, sizeof options);
  options.max_rows = 3;
  pt_query* query = NULL;
  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  const pt_text sql = text_of("SELECT value FROM json_each('[1,2,3,4]')");
  hold(pt_prepare(trace, sql, &options, &query, NULL, NULL) == PT_OK, "a query");
  hold(pt_query_stream(query, &stream, NULL) == PT_OK, "a stream");
  hold(stream.get_next(&stream, &batch) == 0 && batch.length == 3, "rows up to the limit");
  batch.release(&batch);
  hold(stream.get_next(&stream, &batch) != 0, "then what is missing is told");
  hold(strncmp(stream.get_last_error(&stream), "limit-exceeded: ", 16) == 0, "by its code");
  stream.release(&stream);
  pt_query_release(query);
  query = prepare(trace, kEndless);
  hold(pt_bind_i64(query, "a", 1) == PT_USAGE, "no parameters");
  pt_query_release(query);
}

static void check_scans(pt_trace* trace) {
  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  pt_error* error = NULL;
  pt_scan scan;
  pt_scan_init(&scan, sizeof scan);
  scan.columns = "ts,utid";
  scan.batch_rows = 100;
  scan.by_time = 1;
  want(pt_table_stream(trace, "slice", &scan, &stream, &error), PT_OK, &error, "");
  hold(stream.get_next(&stream, &batch) == 0 && batch.length == 100, "as many rows as wanted");
  hold(batch.n_children == 2, "these columns");
  const int64_t* ts = batch.children[0]->buffers[1];
  for (int i = 1; i < 100; ++i) hold(ts[i - 1] <= ts[i], "in order of time");
  batch.release(&batch);
  hold(rows_left(&stream) == number_of(trace, "SELECT count(*) - 100 FROM slice"), "all rows");
  stream.release(&stream);
  want(pt_table_stream(trace, "nothing", NULL, &stream, &error), PT_USAGE, &error, "query-wrong");
  hold(stream.release == NULL, "no stream");
  want(pt_call_tree(trace, NULL, 0.5, &stream, &error), PT_OK, &error, "");
  hold(rows_left(&stream) > 0, "a tree");
  stream.release(&stream);
  want(pt_call_tree(trace, NULL, 2, &stream, &error), PT_USAGE, &error, "usage");
}

static void check_documents(pt_trace* trace) {
  pt_text json;
  pt_error* error = NULL;
  want(pt_report(trace, "calls", NULL, &json, &error), PT_OK, &error, "");
  hold(strstr(json.at, "polytrace.report/1") != NULL && strlen(json.at) == json.size, "a report");
  pt_text_release(json);
  want(pt_report(trace, "nothing", NULL, &json, &error), PT_USAGE, &error, "usage");
  hold(json.at == NULL, "none");
  pt_text_release(json);
  want(pt_diff(trace, trace, &json, &error), PT_OK, &error, "");
  hold(strstr(json.at, "polytrace.diff/2") != NULL, "a difference");
  pt_text_release(json);
  const int64_t at = number_of(trace, "SELECT trace_start()");
  want(pt_state(trace, at, "Threads/**", &json, &error), PT_OK, &error, "");
  hold(strstr(json.at, "polytrace.state/1") != NULL, "states");
  pt_text_release(json);
}

void check_contract(const char* whole, const char* damaged) {
  check_opening(whole, damaged);
  check_nothing();
  pt_trace* trace = open_trace(whole);
  check_info(trace);
  check_wrong(trace);
  check_rest(trace);
  check_parameters(trace);
  check_description(trace);
  check_types(trace);
  check_limits(trace);
  check_stop(trace);
  check_stream_faults(trace);
  check_part_streams(trace);
  check_memory(trace);
  check_scans(trace);
  check_documents(trace);
  pt_release(trace);
  check_streams(whole);
}
