/*
 * Limits of a child process that reads a file with third-party code. A damaged file of 45 bytes makes Assimp 5.2 ask
 * for 6 GB, and some loop. So memory and CPU time grow with the bytes that are read, and no more. The child ends with
 * its parent (on Linux), and leaves no core file. All functions are for the child, after fork.
 */
#ifndef TACT_TOOL_CHILD_PROCESS_H
#define TACT_TOOL_CHILD_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* Memory in bytes and CPU time in seconds: a base, and what each byte of a file adds. */
typedef struct child_limits {
    double memory, memory_per_byte;
    double seconds, seconds_per_byte;
} child_limits;

/* Restores the default signal handlers, disables core files, lets the child end with `parent`, and sets the limits for
 * a file of `bytes` bytes. `keeps_memory`: the child goes on with the memory of its parent, which does not count; else
 * it will be replaced by another program. */
void tact_child_begin(long parent, const child_limits *limits, double bytes, bool keeps_memory);

/* The child reads `bytes` bytes more: raises the limits. */
void tact_child_allow(double bytes);

#endif
