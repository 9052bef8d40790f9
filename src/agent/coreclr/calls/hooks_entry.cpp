// SPDX-License-Identifier: Apache-2.0
// The way from compiled code into the recorder. Compiled code passes a method's number, at entry in
// r14, because arguments are where a first argument belongs, at exit in rdi. It has arguments or
// the result in the other registers, and expects all of them back. hooks_fast.cpp uses general
// registers only: vector registers are kept on the slow path.
#include "agent/coreclr/calls/hooks.hpp"

#if !defined(__x86_64__)
#error "the hooks are written for x86-64"
#endif

asm(R"(
.macro hook name, number, function
    .globl \name
    .hidden \name
    .type \name, @function
\name:
    .cfi_startproc
    push %rax
    push %rcx
    push %rdx
    push %rsi
    push %rdi
    push %r8
    push %r9
    push %r10
    push %r11
    .cfi_adjust_cfa_offset 72
    mov \number, %rdi
    call \function              # nine registers and the return address: the stack is aligned
    pop %r11
    pop %r10
    pop %r9
    pop %r8
    pop %rdi
    pop %rsi
    pop %rdx
    pop %rcx
    pop %rax
    .cfi_adjust_cfa_offset -72
    ret
    .cfi_endproc
    .size \name, . - \name
.endm

    .text
    hook polytrace_coreclr_enter, %r14, polytrace_coreclr_fast_enter
    hook polytrace_coreclr_leave, %rdi, polytrace_coreclr_fast_leave

# Calls the slow path with what it was given, and keeps the vector registers meanwhile: of their low
# halves the runtime passes arguments and results in.
    .globl polytrace_coreclr_keep_vectors
    .hidden polytrace_coreclr_keep_vectors
    .type polytrace_coreclr_keep_vectors, @function
polytrace_coreclr_keep_vectors:
    .cfi_startproc
    sub $264, %rsp
    .cfi_adjust_cfa_offset 264
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\number, \number*16(%rsp)
    .endr
    call polytrace_coreclr_record_slowly
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups \number*16(%rsp), %xmm\number
    .endr
    add $264, %rsp
    .cfi_adjust_cfa_offset -264
    ret
    .cfi_endproc
    .size polytrace_coreclr_keep_vectors, . - polytrace_coreclr_keep_vectors
)");
