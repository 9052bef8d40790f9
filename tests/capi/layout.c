// SPDX-License-Identifier: Apache-2.0
// What programs that were compiled before rely on, beside the names in symbols.txt: where members
// stand, what enumerators are, and what functions take. It compiles while that holds, for 64 bits.
// Lines are added behind a release, never changed.
#include <stddef.h>

#include "polytrace.h"

#define HOLDS(name, is_so) typedef char name[(is_so) ? 1 : -1]
#define STANDS(type, member, place) HOLDS(type##_##member, offsetof(type, member) == (place))

// pt_text is passed by value: it keeps its size.
HOLDS(text_size, sizeof(pt_text) == 16);
STANDS(pt_text, at, 0);
STANDS(pt_text, size, 8);

HOLDS(options_size, sizeof(pt_options) >= 48);
STANDS(pt_options, size, 0);
STANDS(pt_options, index, 8);
STANDS(pt_options, index_mode, 16);
STANDS(pt_options, resync, 20);
STANDS(pt_options, follow, 24);
STANDS(pt_options, threads, 28);
STANDS(pt_options, progress, 32);
STANDS(pt_options, user, 40);

// Of columns there are arrays: it keeps its size.
HOLDS(column_size, sizeof(pt_column) == 64);
STANDS(pt_column, name, 0);
STANDS(pt_column, unit, 16);
STANDS(pt_column, type, 32);
STANDS(pt_column, values, 40);
STANDS(pt_column, offsets, 48);
STANDS(pt_column, valid, 56);

HOLDS(columns_size, sizeof(pt_columns) >= 32);
STANDS(pt_columns, size, 0);
STANDS(pt_columns, count, 8);
STANDS(pt_columns, rows, 16);
STANDS(pt_columns, columns, 24);

HOLDS(query_options_size, sizeof(pt_query_options) >= 40);
STANDS(pt_query_options, size, 0);
STANDS(pt_query_options, timeout_ms, 8);
STANDS(pt_query_options, memory, 16);
STANDS(pt_query_options, max_rows, 24);
STANDS(pt_query_options, read_only, 32);

HOLDS(scan_size, sizeof(pt_scan) >= 64);
STANDS(pt_scan, size, 0);
STANDS(pt_scan, from, 8);
STANDS(pt_scan, to, 16);
STANDS(pt_scan, threads, 24);
STANDS(pt_scan, thread_count, 32);
STANDS(pt_scan, columns, 40);
STANDS(pt_scan, batch_rows, 48);
STANDS(pt_scan, by_time, 56);

HOLDS(status_values, PT_OK == 0 && PT_FAILED == 1 && PT_USAGE == 2 && PT_UNSUPPORTED == 3 &&
                         PT_DAMAGED == 4 && PT_CHECK == 5 && PT_LIMIT == 6 && PT_STOPPED == 130);
HOLDS(index_modes, PT_INDEX_KEPT == 0 && PT_INDEX_NONE == 1 && PT_INDEX_TEMPORARY == 2);
HOLDS(column_types, PT_I64 == 1 && PT_F64 == 2 && PT_TEXT == 3);

// A function of another type cannot be put here.
#define TAKES(function, result, ...)                 \
  extern result (*const is_##function)(__VA_ARGS__); \
  result (*const is_##function)(__VA_ARGS__) = &function;

TAKES(pt_abi, uint32_t, void)
TAKES(pt_version, const char*, void)
TAKES(pt_error_code, pt_text, const pt_error*)
TAKES(pt_error_text, pt_text, const pt_error*)
TAKES(pt_error_json, pt_text, const pt_error*)
TAKES(pt_error_release, void, pt_error*)
TAKES(pt_options_init, void, pt_options*, size_t)
TAKES(pt_open, pt_status, const char*, const pt_options*, pt_trace**, pt_error**)
TAKES(pt_refresh, pt_status, pt_trace*, int*, pt_error**)
TAKES(pt_info, pt_status, pt_trace*, pt_text*, pt_error**)
TAKES(pt_stop, void, pt_trace*)
TAKES(pt_release, void, pt_trace*)
TAKES(pt_query_options_init, void, pt_query_options*, size_t)
TAKES(pt_prepare, pt_status, pt_trace*, pt_text, const pt_query_options*, pt_query**, pt_text*,
      pt_error**)
TAKES(pt_query_describe, void, pt_query*, pt_columns*)
TAKES(pt_bind_i64, pt_status, pt_query*, const char*, int64_t)
TAKES(pt_bind_f64, pt_status, pt_query*, const char*, double)
TAKES(pt_bind_text, pt_status, pt_query*, const char*, pt_text)
TAKES(pt_bind_null, pt_status, pt_query*, const char*)
TAKES(pt_query_columns, pt_status, pt_query*, size_t, pt_columns*, pt_error**)
TAKES(pt_query_stream, pt_status, pt_query*, struct ArrowArrayStream*, pt_error**)
TAKES(pt_part_stream, pt_status, pt_query*, struct ArrowArrayStream*, pt_error**)
TAKES(pt_query_release, void, pt_query*)
TAKES(pt_scan_init, void, pt_scan*, size_t)
TAKES(pt_table_query, pt_status, pt_trace*, const char*, const pt_scan*, pt_query**, pt_error**)
TAKES(pt_table_stream, pt_status, pt_trace*, const char*, const pt_scan*, struct ArrowArrayStream*,
      pt_error**)
TAKES(pt_call_tree, pt_status, pt_trace*, const pt_scan*, double, struct ArrowArrayStream*,
      pt_error**)
TAKES(pt_report, pt_status, pt_trace*, const char*, const pt_scan*, pt_text*, pt_error**)
TAKES(pt_diff, pt_status, pt_trace*, pt_trace*, pt_text*, pt_error**)
TAKES(pt_state, pt_status, pt_trace*, int64_t, const char*, pt_text*, pt_error**)
TAKES(pt_convert, pt_status, const char*, const char*, const char*, pt_progress, void*, pt_text*,
      pt_error**)
TAKES(pt_export, pt_status, pt_trace*, const char*, const char*, const char*, pt_text*, pt_error**)
TAKES(pt_text_release, void, pt_text)
