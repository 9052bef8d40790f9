// SPDX-License-Identifier: Apache-2.0
// The C interface of polytrace: traces of managed runtimes (Java, Mono, .NET), asked in SQL, with
// answers in columns. C99 and up, C++. Link with -lpolytrace (pkg-config polytrace).
//
// Texts are UTF-8. A pt_text has a length and no zero byte that ends it; a char pointer that is
// passed in ends with one. Times are nanoseconds of the trace's own clock.
//
// Errors: functions that can fail give a pt_status, and through their last argument, which may be
// NULL, an error that its receiver releases (NULL: none, or no memory for one). What a failed
// function was to give is NULL. After PT_DAMAGED and PT_LIMIT what it gives is valid and partial,
// and the error says what is missing. Nothing else crosses: no exception, signal, exit, output.
//
// Threads: functions marked T may be called by any thread at any time. All others of one object
// (with a trace, what was made of it is meant, too) are called by one thread at a time, or wait for
// each other: queries of one trace take turns. Objects of other traces never interfere; to ask one
// file from several threads at once, open it once for each.
//
// Ownership: whoever gets an object releases it, once; releasing NULL does nothing. What is passed
// in is copied, unless a function says else. Callbacks may call pt_stop() and nothing else.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The Arrow C data and C stream interface (arrow.apache.org/docs/format), as everybody declares it.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

typedef struct pt_error pt_error;
typedef struct pt_trace pt_trace;
typedef struct pt_query pt_query;

typedef struct pt_text {
  const char* at;
  size_t size;  // bytes
} pt_text;

// As the exit codes of the command. More may be added.
typedef enum pt_status {
  PT_OK = 0,
  PT_FAILED = 1,       // a file or the system: cannot be opened, read, written
  PT_USAGE = 2,        // what was asked makes no sense: the caller is wrong
  PT_UNSUPPORTED = 3,  // a format or version that is not known, or nothing of it can be read
  PT_DAMAGED = 4,      // something of the trace could not be read
  PT_CHECK = 5,        // a check failed
  PT_LIMIT = 6,        // a limit was reached: of time, memory, rows
  PT_STOPPED = 130     // by pt_stop() or a callback
} pt_status;

// Of this interface: major << 16 | minor. The minor number grows with each addition, the major one,
// and the library's name with it, with a change that programs would notice. T
uint32_t pt_abi(void);
// Of polytrace: "0.1.0". Lives as long as the library. T
const char* pt_version(void);

// "frame-truncated": stable, for programs. Texts live as long as the error.
pt_text pt_error_code(const pt_error* error);
// A sentence for people, with the place.
pt_text pt_error_text(const pt_error* error);
// One line of JSON as the command prints it: {"code", "file", "offset", "message", "hint"}, where
// they are known also "frame", "line", "column".
pt_text pt_error_json(const pt_error* error);
void pt_error_release(pt_error* error);

// How far reading has come, in bytes of the file; total is 0 where it is not known. Called now and
// then from a thread of the library, never two at once. Not 0: stop. `user` is the caller's own.
typedef int (*pt_progress)(void* user, uint64_t done, uint64_t total);

typedef enum pt_index_mode {
  PT_INDEX_KEPT = 0,      // the index is kept: in the cache, or in the folder `index`
  PT_INDEX_NONE = 1,      // there is none: events come as they are read
  PT_INDEX_TEMPORARY = 2  // it goes with the trace
} pt_index_mode;

typedef struct pt_options {
  size_t size;           // of this struct; pt_options_init() sets it
  const char* index;     // folder of the index; NULL: in the cache of polytrace
  int index_mode;        // a pt_index_mode
  int resync;            // 1: behind damage, search for where reading can go on
  int follow;            // 1, with PT_INDEX_NONE: wait for more at the file's end, until pt_stop()
  unsigned threads;      // that read the trace; 0: one per core
  pt_progress progress;  // of pt_open(); NULL: none
  void* user;
} pt_options;

// Sets the first `size` bytes, sizeof(pt_options) of the caller, to the defaults. T
void pt_options_init(pt_options* options, size_t size);

// Opens a trace of any format that polytrace reads, "-" being standard input: finds its index, or
// makes it, which reads the trace once; the file must not change meanwhile. NULL options are the
// defaults. PT_DAMAGED gives a trace, too: of what could be read. Lasts until all that was made of
// the trace is released. T
//
// With PT_INDEX_NONE it reads nothing yet: the file, the pipe or the growing file is read by the
// streams that are made of it, from its beginning, and has the table "event" alone. What is no
// regular file, or is followed, is read once.
pt_status pt_open(const char* path, const pt_options* options, pt_trace** trace, pt_error** error);
// Looks at the file again. If it is not what it was, the trace becomes that of the file as it is
// now: *changed (may be NULL) is 1, what is made from now on is of the new one, without temporary
// tables of before, and queries and streams that were made before stay with the old one. PT_DAMAGED
// as of pt_open(); after other failures the trace is what it was. A stream never changes. T
pt_status pt_refresh(pt_trace* trace, int* changed, pt_error** error);
// What the trace is and holds, as `polytrace info --json` prints it (schema polytrace.info/1). It
// is made when first asked for, which reads the file or its index, and lives until pt_release().
// PT_USAGE: what is no regular file is read once. T
pt_status pt_info(pt_trace* trace, pt_text* json, pt_error** error);
// Ends what runs on the trace now, streams that were begun included: it fails with PT_STOPPED,
// within some milliseconds. What begins later runs. T
void pt_stop(pt_trace* trace);
// Queries and streams made of it stay valid: they hold what they need.
void pt_release(pt_trace* trace);

// --- SQL: the tables and functions of docs/sql.md ------------------------------------------------

enum { PT_I64 = 1, PT_F64 = 2, PT_TEXT = 3 };

typedef struct pt_column {
  pt_text name;
  pt_text unit;            // "ns", "bytes", "count", "share"; empty: none, or not known
  int type;                // PT_I64: int64_t values; PT_F64: double; PT_TEXT: bytes
  const void* values;      // as many as rows; of PT_TEXT all bytes one behind the other
  const int32_t* offsets;  // of PT_TEXT: rows + 1 places in values; else NULL
  const uint8_t* valid;    // bit i & 7 of byte i >> 3 is 0 where row i is NULL; NULL: none is
} pt_column;

typedef struct pt_columns {
  size_t size;               // sizeof(pt_columns), from the caller
  size_t count;              // columns
  size_t rows;               // of this part; 0: there are no more
  const pt_column* columns;  // live until the next call with the query
} pt_columns;

typedef struct pt_query_options {
  size_t size;          // of this struct; pt_query_options_init() sets it
  uint64_t timeout_ms;  // the most time the library works on one run; 0: any
  uint64_t memory;      // the most bytes that queries of the process hold; 0: 1 GiB
  uint64_t max_rows;    // of a run; 0: any
  int read_only;        // 1: not even temporary tables
} pt_query_options;

// Sets the first `size` bytes to the defaults. T
void pt_query_options_init(pt_query_options* options, size_t size);

// The first statement of `sql`; `rest` (may be NULL) is where the next one begins, in the caller's
// text. NULL options are the defaults. Nothing but blanks and comments: *query is NULL, with PT_OK.
// Temporary tables belong to the trace. PT_USAGE: the statement is wrong, or not allowed; the error
// has its line and column.
pt_status pt_prepare(pt_trace* trace, pt_text sql, const pt_query_options* options,
                     pt_query** query, pt_text* rest, pt_error** error);
// Names and units of its columns, without a run: types are 0 and there are no values. count 0: the
// statement has no rows. Lives as long as the query.
void pt_query_describe(pt_query* query, pt_columns* columns);
// Values of parameters: by name, with or without its sign (":t0", "t0"), or by number for a "?"
// ("1"). They stay until they are bound again. PT_USAGE: there is no such parameter, or a run has
// begun. A run needs all of them.
pt_status pt_bind_i64(pt_query* query, const char* name, int64_t value);
pt_status pt_bind_f64(pt_query* query, const char* name, double value);
pt_status pt_bind_text(pt_query* query, const char* name, pt_text value);
pt_status pt_bind_null(pt_query* query, const char* name);

// A run of the query, in parts of at most `most_rows` (0, and at most: 65536); parts may be
// smaller. Behind the last one rows is 0, and the next call begins a new run. PT_LIMIT with rows:
// max_rows was reached, and there were more. PT_DAMAGED, of events without an index: behind the
// last row, what of the trace could not be read. After other failures the run has ended.
//
// The type of a column is that of its table, else that of its first 65536 values: texts among
// numbers make it PT_TEXT, real numbers PT_F64. PT_USAGE: later values do not fit; a CAST helps.
pt_status pt_query_columns(pt_query* query, size_t most_rows, pt_columns* columns,
                           pt_error** error);
// A run of the query as an Arrow stream of structs: int64, float64, utf8; names of tables as
// dictionary<int32, utf8>, each batch with its own; fields have the metadata "polytrace.unit". It
// works in its caller's thread, holds one batch, and may outlive query and trace. Its errors begin
// with their code. PT_USAGE: a run is under way.
pt_status pt_query_stream(pt_query* query, struct ArrowArrayStream* out, pt_error** error);
// The part that pt_query_columns() gave last, as a stream of one batch, which lives on without it:
// nothing is copied. PT_USAGE: there is none.
pt_status pt_part_stream(pt_query* query, struct ArrowArrayStream* out, pt_error** error);
// A stream of it goes on.
void pt_query_release(pt_query* query);

// --- without SQL ---------------------------------------------------------------------------------

typedef struct pt_scan {
  size_t size;             // of this struct; pt_scan_init() sets it
  int64_t from, to;        // ns: from <= ts < to; INT64_MIN, INT64_MAX: all
  const int64_t* threads;  // utids
  size_t thread_count;     // 0: all
  const char* columns;     // "ts,utid"; NULL: all that the table shows
  size_t batch_rows;       // at most; 0: 65536
  int by_time;             // 1: in order of ts
} pt_scan;

// Sets the first `size` bytes to the defaults: all of the table as it lies. T
void pt_scan_init(pt_scan* scan, size_t size);
// A table of the schema, or what of it `scan` (NULL: all) says, as a query, and as the stream of
// one. PT_USAGE: there is no such table or column; a table without times or threads cannot be
// chosen by them; events without an index have the order of the file.
pt_status pt_table_query(pt_trace* trace, const char* table, const pt_scan* scan, pt_query** query,
                         pt_error** error);
pt_status pt_table_stream(pt_trace* trace, const char* table, const pt_scan* scan,
                          struct ArrowArrayStream* out, pt_error** error);
// The call tree of a stretch of time and of threads, depth first, the heaviest callee first: the
// columns of the table function call_tree(). Paths with a smaller share of all time than
// `least_share` (0 to 1) are left out. Of `scan` from, to, threads, batch_rows count.
pt_status pt_call_tree(pt_trace* trace, const pt_scan* scan, double least_share,
                       struct ArrowArrayStream* out, pt_error** error);

// What follows gives a document of the command as JSON, which pt_text_release() releases, and reads
// the file of the trace, or its index: PT_USAGE for what is no regular file, which is read once.

// polytrace.report/1: sections as `polytrace report --sections` names them, by comma; NULL: all.
// Of `scan` from, to, threads count. All rows of all tables.
pt_status pt_report(pt_trace* trace, const char* sections, const pt_scan* scan, pt_text* json,
                    pt_error** error);
// polytrace.diff/2: what is different in `after`. Traces may be one.
pt_status pt_diff(pt_trace* before, pt_trace* after, pt_text* json, pt_error** error);
// polytrace.state/1: what everything was doing at a moment, of the paths that fit the pattern
// ("Threads/*/Method"; NULL: all).
pt_status pt_state(pt_trace* trace, int64_t at, const char* pattern, pt_text* json,
                   pt_error** error);

// What follows writes files, which appear under their names when they are complete. Options are a
// JSON object, NULL for none, with the names of the command's options, _ for -: {"force": true}.
// Unknown ones are PT_USAGE. The document is there with PT_CHECK and PT_STOPPED, too, and says
// "written" for each file. PT_FAILED with "output-exists" unless {"force": true}.

// A trace in another format, as `polytrace convert` writes it, by the ending of `to`, which may be
// compressed (.gz, .zst): polytrace.convert/1. Options: to ("mlpd:17"), to_version, byte_order
// ("big", "little"), force, leave_open, resync, strict, segments. PT_CHECK: `strict`, and the
// target cannot hold all of it. Stopped by `progress` (may be NULL), it holds what was read until
// then, unless a file was there before. T
pt_status pt_convert(const char* from, const char* to, const char* options_json,
                     pt_progress progress, void* user, pt_text* json, pt_error** error);
// A file of another tool, as `polytrace export --to target` writes it: polytrace.export/1. Options:
// from, until, thread, name, regex, subtract, weight, limit, depth, show_helpers, snapshot, force,
// strict; of files of tables ("csv", "sqlite", "arrow"): tables ("slice,alloc"), force, strict.
pt_status pt_export(pt_trace* trace, const char* target, const char* path, const char* options_json,
                    pt_text* json, pt_error** error);

void pt_text_release(pt_text text);

#ifdef __cplusplus
}
#endif
