// SPDX-License-Identifier: Apache-2.0
// What the tests in C share.
#pragma once

#include "polytrace.h"

pt_text text_of(const char* text);
// Prints what is wrong and ends the program, when `status` is not `wanted`; releases the error. Its
// arguments are computed in any order: hence the address.
void want(pt_status status, pt_status wanted, pt_error** error, const char* code);
// Ends the program when it is not so.
void hold(int is_so, const char* what);
pt_trace* open_trace(const char* path);
pt_query* prepare(pt_trace* trace, const char* sql);
pt_columns next_part(pt_query* query, size_t most, pt_status wanted, const char* code);
// All that is left of a run, or of a stream.
int64_t rows_of(pt_query* query);
int64_t rows_left(struct ArrowArrayStream* stream);
// The one that a query answers.
int64_t one_number(pt_query* query);
int64_t number_of(pt_trace* trace, const char* sql);
// Calls pt_stop() from another thread until stop_ended().
typedef struct stopping stopping;
stopping* stop_begun(pt_trace* trace);
void stop_ended(stopping* all);
// All that the header promises, of a whole trace and of one that ends early.
void check_contract(const char* whole, const char* damaged);
// The same of events without an index.
void check_events(const char* whole, const char* damaged);
// The same of files that are written, and of files that change. `folder` is empty.
void check_files(const char* whole, const char* damaged, const char* folder);
