/*
 * Run files (docs/run_format.md), as `tact export` and `tact view` read them. A file that is accepted can be exported
 * in every format, and bodies have a place at any time.
 */
#define _GNU_SOURCE

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "export.h"
#include "run_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere;

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void use(const run_data *run)
{
    for (size_t i = 0; i < run->bodies.count; i++)
        for (int k = -1; k < 3; k++)
            (void)tact_run_data_pose(run, i, run->start + 0.5 * k * (run->end - run->start));
    tact_export_csv(nowhere, run, 0.0, true);
    tact_export_csv(nowhere, run, 0.0, false);
    tact_export_json(nowhere, run, 0.0);
    /* turns and curves become key frames: as many as they take */
    bool quiet = true;
    for (size_t i = 0; i < run->pieces.count; i++) {
        const run_piece *p = &run->pieces.items[i];
        const double spin = p->spin.x * p->spin.x + p->spin.y * p->spin.y + p->spin.z * p->spin.z;
        const double curve = p->acceleration.x * p->acceleration.x + p->acceleration.y * p->acceleration.y +
                             p->acceleration.z * p->acceleration.z;
        quiet = quiet && spin * (run->end - run->start) < 1e3 && curve * (run->end - run->start) < 1e3;
    }
    if (quiet)
        (void)tact_export_gltf(nowhere, run, true, 0.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (nowhere == NULL) { /* refusals are printed: not here */
        nowhere = fopen("/dev/null", "w");
        require(nowhere != NULL);
        stderr = nowhere;
    }
    const int file = memfd_create("run", 0);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    run_data run;
    if (tact_run_data_open(&run, path)) {
        use(&run);
        tact_run_data_close(&run);
    }
    (void)close(file);
    return 0;
}
