/*
 * Files for the tests, in a folder of their own. A file that includes this one defines _POSIX_C_SOURCE first, and hands
 * folder_make and folder_remove to cmocka_run_group_tests.
 */
#ifndef TACT_TESTS_TOOL_FOLDER_H
#define TACT_TESTS_TOOL_FOLDER_H

#include <sys/stat.h>

#include "tool/run.h"

/* All files are written into a folder of their own, which is the working directory: errors begin with the bare name. */
static char folder[256];

static inline int folder_make(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/tact-test-XXXXXX", base && *base ? base : "/tmp");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static inline int folder_remove(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

static inline void file_put(const char *name, const void *data, size_t size)
{
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(file >= 0);
    assert_int_equal(write(file, data, size), (ssize_t)size);
    assert_int_equal(close(file), 0);
}

#endif
