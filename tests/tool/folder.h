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

/* The folder of real data next to the repository, of which this file is in tests/tool, or the one that the environment
 * names. Skips the test, saying so, if there is none. */
static inline const char *shared_data(char *room, size_t size)
{
    const char *data = getenv("TACT_SHARED_DATA");
    struct stat about;
    if (!data) {
        const char *slash = strrchr(__FILE__, '/');
        int length = slash ? (int)(slash - __FILE__) : 0;
        (void)snprintf(room, size, "%.*s/../../../shared/data", length, __FILE__);
        data = room;
    }
    if (stat(data, &about) != 0) {
        print_message("skipped: there is no %s\n", data);
        skip();
    }
    return data;
}

#endif
