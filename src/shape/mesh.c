/* Making a mesh: everything about the def is checked here, and copied. */
#include "shape/mesh.h"

#include <string.h>

#include "core/memory.h"
#include "core/report.h"
#include "math/vec.h"
#include "shape/shape_data.h"

static size_t number_size(tact_number number) { return number == TACT_FLOATS ? sizeof(float) : sizeof(double); }

tact_vec3 tact_vertices_get(const tact_vertices *vertices, size_t i)
{
    size_t size = number_size(vertices->number), stride = vertices->stride != 0 ? vertices->stride : 3 * size;
    const char *at = (const char *)vertices->data + i * stride;
    if (vertices->number == TACT_FLOATS) {
        float f[3];
        memcpy(f, at, sizeof f); /* a stride may be anything: not aligned */
        return vec_make((double)f[0], (double)f[1], (double)f[2]);
    }
    double d[3];
    memcpy(d, at, sizeof d);
    return vec_make(d[0], d[1], d[2]);
}

static bool vertices_ok(const tact_vertices *v, tact_report *report)
{
    if (v->number != TACT_DOUBLES && v->number != TACT_FLOATS) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "there is no kind of number %d", (int)v->number);
        return false;
    }
    if (v->data == NULL && v->count > 0) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "the vertices are missing (NULL)");
        return false;
    }
    if (v->count > MESH_MOST) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "too many vertices: %zu", v->count);
        return false;
    }
    size_t least = 3 * number_size(v->number);
    if (v->stride != 0 && (v->stride < least || v->stride > SIZE_MAX / 2 / MESH_MOST)) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "a stride of %zu bytes does not fit vertices of %zu",
                               v->stride, least);
        return false;
    }
    for (size_t i = 0; i < v->count; i++) {
        tact_vec3 p = tact_vertices_get(v, i);
        if (!(vec_finite(p) && vec_largest(p) <= SHAPE_LARGEST)) {
            (void)tact_report_fill(report, TACT_BAD_ARGUMENT, "vertex %zu (%g %g %g) is not finite or too far out", i,
                                   p.x, p.y, p.z);
            return false;
        }
    }
    return true;
}
