/*
 * The folder of third-party data beside the repository: $TACT_SHARED_DATA, or ../shared/data. It is not part of the
 * repository. A test that needs it is skipped where it is missing.
 */
#ifndef TACT_TEST_SHARED_DATA_H
#define TACT_TEST_SHARED_DATA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* The path of the folder. Skips the current cmocka test, with a message, if it is not there. Include <cmocka.h> first.
 */
static inline const char *shared_data(void)
{
    const char *given = getenv("TACT_SHARED_DATA");
    const char *data = given != NULL ? given : TACT_REPOSITORY "/../shared/data";
    char probe[1000];
    (void)snprintf(probe, sizeof probe, "%s/ccd-queries/unit-tests.vf.txt", data);
    FILE *file = fopen(probe, "r");
    if (file == NULL) {
        print_message("skipped: there is no %s\n", probe);
        skip();
    }
    (void)fclose(file);
    return data;
}

#endif
