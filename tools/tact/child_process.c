#if defined(__unix__) || defined(__APPLE__)
#define _GNU_SOURCE /* for prctl */
#define ON_POSIX 1
#else
#define ON_POSIX 0
#endif

#include "child_process.h"

#if !ON_POSIX

void tact_child_begin(long parent, const child_limits *limits, double bytes, bool keeps_memory)
{
    (void)parent;
    (void)limits;
    (void)bytes;
    (void)keeps_memory;
}

void tact_child_allow(double bytes) { (void)bytes; }

#else

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* Bytes of address space that are in use; 0 if the system does not tell. */
static double memory_used(void)
{
    double pages = 0.0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lf", &pages) != 1)
        pages = 0.0;
    if (file)
        (void)fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

/* The limit with a value that can be raised again. */
static struct rlimit with_value(struct rlimit limit, double value)
{
    if (limit.rlim_max == RLIM_INFINITY || value < (double)limit.rlim_max)
        limit.rlim_cur = value < 0x1p62 ? (rlim_t)value : RLIM_INFINITY;
    return limit;
}

/* Of this child: the bytes that it reads, and what it had in use at its start. */
static struct {
    child_limits limits;
    double bytes, memory_before;
    bool memory_known;
} child;

void tact_child_allow(double bytes)
{
    const child_limits *limits = &child.limits;
    struct rlimit memory, time;
    child.bytes += bytes;
    if (child.memory_known && getrlimit(RLIMIT_AS, &memory) == 0) {
        memory = with_value(memory, child.memory_before + limits->memory + limits->memory_per_byte * child.bytes);
        (void)setrlimit(RLIMIT_AS, &memory);
    }
    if (getrlimit(RLIMIT_CPU, &time) == 0) {
        time = with_value(time, limits->seconds + limits->seconds_per_byte * child.bytes);
        (void)setrlimit(RLIMIT_CPU, &time);
    }
}

void tact_child_begin(long parent, const child_limits *limits, double bytes, bool keeps_memory)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL,  SIGFPE,  SIGABRT, SIGPIPE,
                                  SIGHUP,  SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
    const struct rlimit no_core = {0, 0};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        (void)signal(signals[i], SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &no_core);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if ((long)getppid() != parent)
        _exit(1); /* the parent has ended */
    child.limits = *limits;
    child.memory_before = keeps_memory ? memory_used() : 0.0;
    child.memory_known = !keeps_memory || child.memory_before > 0.0;
    tact_child_allow(bytes);
}

#endif
