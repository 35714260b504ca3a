/*
 * NURBS files: one shape of type nurbs as JSON, as `tact check`, `ccd` and `play` read them. A file that is refused has
 * an error message; one that is accepted is a shape with surfaces, whose points are finite.
 */
#define _GNU_SOURCE

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tact/nurbs.h>
#include <unistd.h>

#include "mesh_file.h"
#include "nurbs_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Surfaces of so many triangles take long, which is no mistake: a small tolerance is left out. */
static bool has_tolerance(const uint8_t *data, size_t size) { return memmem(data, size, "tolerance", 9) != NULL; }

static void require(bool condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (has_tolerance(data, size))
        return 0;
    const int file = memfd_create("nurbs", 0);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    char path[64], error[MESH_FILE_ERROR] = "";
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    tact_shape *shape = tact_nurbs_file_read(path, error, sizeof error);
    if (shape == NULL) {
        require(error[0] != '\0' && strchr(error, '\n') == NULL);
    } else {
        const size_t count = tact_nurbs_get_surface_count(shape);
        require(count > 0 && isfinite(tact_nurbs_get_error(shape)));
        for (size_t i = 0; i < count; i++) {
            tact_nurbs_def def;
            tact_vec3 point;
            require(tact_nurbs_get_surface(shape, i, &def) == TACT_OK);
            const double u = def.knots[0][def.degree[0]], v = def.knots[1][def.degree[1]];
            require(tact_nurbs_evaluate(&def, u, v, 0, &point) == TACT_OK);
            require(isfinite(point.x) && isfinite(point.y) && isfinite(point.z));
        }
    }
    tact_shape_release(shape);
    (void)close(file);
    return 0;
}
