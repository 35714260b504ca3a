/* The limits and tuned numbers of this room. "Performance only": any value gives the same answers. */
#ifndef TACT_CORE_CORE_CONSTANTS_H
#define TACT_CORE_CORE_CONSTANTS_H

/* Items of the first allocation of an array. Performance only: smaller arrays would pay more for allocator calls than
 * they save. */
#define ARRAY_MIN_CAPACITY 8

/* Bytes. x86-64 and most ARM cores have cache lines of 64 bytes; on cores with 128 an item still lies in one line.
 * Performance only. */
#define CACHE_LINE_SIZE 64

/* Units of work between two reports of progress: some 100 us. Documented in tact/progress.h. Performance only. */
#define WORK_REPORT_INTERVAL 2048

/* Threads of the parallel-for. OpenMP terminates the program when the system refuses a thread, so a mistake such as
 * threads = 1000000 must be clamped. internal_core asks for that many; whether it fails without the clamp depends on
 * the system. */
#define PARALLEL_MAX_THREADS 1024

#endif
