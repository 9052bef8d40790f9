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
// All that the header promises, of a whole trace and of one that ends early.
void check_contract(const char* whole, const char* damaged);
