/*
 * Numbers, shapes and transforms from fuzzed bytes. When the bytes are used up everything is zero. Plain numbers are
 * multiples of 1/8 between -16 and 16, so that degenerate cases (touching, coplanar, duplicate) are common. Others have
 * any bits, NaN and infinity included.
 */
#ifndef TACT_FUZZ_VALUES_H
#define TACT_FUZZ_VALUES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tact/tact.h>

typedef struct values {
    const uint8_t *at, *end;
    bool plain;     /* plain numbers only */
    bool no_solids; /* meshes are surfaces: containment in an open solid has no meaning */
} values;

static inline bool values_left(const values *v) { return v->at < v->end; }

static inline unsigned take_byte(values *v) { return values_left(v) ? *v->at++ : 0u; }

/* A number from 0 to count - 1. */
static inline unsigned take_below(values *v, unsigned count) { return take_byte(v) % count; }

static inline double take_number(values *v)
{
    const unsigned kind = v->plain ? 0 : take_byte(v);
    if (kind < 128)
        return ((double)take_byte(v) - 128.0) / 8.0;
    if (kind < 192) { /* a float */
        float small = 0.0f;
        uint8_t bytes[4] = {0};
        for (int i = 0; i < 4; i++)
            bytes[i] = (uint8_t)take_byte(v);
        memcpy(&small, bytes, sizeof small);
        return (double)small;
    }
    if (kind < 240) { /* of any size */
        const double mantissa = (double)take_byte(v) - 128.0;
        return ldexp(mantissa, (int)take_byte(v) - 128);
    }
    double number = 0.0;
    uint8_t bytes[8] = {0};
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)take_byte(v);
    memcpy(&number, bytes, sizeof number);
    return number;
}

static inline tact_vec3 take_vec(values *v)
{
    const double x = take_number(v), y = take_number(v);
    return tact_vec(x, y, take_number(v));
}

static inline tact_transform take_transform(values *v)
{
    const unsigned kind = take_below(v, 8);
    if (kind == 0)
        return tact_identity();
    const tact_vec3 origin = take_vec(v);
    if (kind < 4)
        return tact_at(origin.x, origin.y, origin.z);
    if (kind < 7) {
        const tact_vec3 axis = take_vec(v);
        const tact_quat rotation = {axis.x, axis.y, axis.z, take_number(v)};
        return tact_transform_make(origin, rotation, kind == 6 ? take_vec(v) : tact_vec(1.0, 1.0, 1.0));
    }
    tact_transform any = tact_at(origin.x, origin.y, origin.z);
    any.x_axis = take_vec(v);
    any.y_axis = take_vec(v);
    any.z_axis = take_vec(v);
    return any;
}

static inline tact_motion take_motion(values *v)
{
    tact_motion motion = tact_motion_still();
    const unsigned kind = take_below(v, 4);
    if (kind > 0)
        motion.velocity = take_vec(v);
    if (kind > 1)
        motion.acceleration = take_vec(v);
    if (kind > 2)
        motion.spin = take_vec(v);
    return motion;
}

enum { FUZZ_POINTS = 12, FUZZ_FACES = 12, FUZZ_PARTS = 4, FUZZ_DEPTH = 3 };

/* A mesh or a soup of a few triangles. */
static inline tact_shape *take_mesh(values *v, bool soup)
{
    tact_vec3 points[FUZZ_POINTS];
    uint32_t indices[3 * FUZZ_FACES];
    tact_mesh_def def = tact_mesh_def_default();
    const unsigned count = take_below(v, FUZZ_POINTS), faces = take_below(v, FUZZ_FACES);
    for (unsigned i = 0; i < count; i++)
        points[i] = take_vec(v);
    for (unsigned i = 0; i < 3 * faces; i++)
        indices[i] = take_byte(v) % (count + (count < 2 ? 1 : 0)); /* out of range where there is no vertex */
    def.vertices = (tact_vertices){points, count, 0, TACT_SCALAR_DOUBLE};
    def.indices = indices;
    def.index_count = 3 * (size_t)faces;
    const unsigned sides = take_byte(v) % 8;
    def.solid = sides % 2 == 1 && !v->no_solids;
    def.one_sided = sides == 2;
    if (sides == 4 && !soup) { /* the points as heights */
        double heights[FUZZ_POINTS];
        for (unsigned i = 0; i < count; i++)
            heights[i] = points[i].y;
        return count < 4 ? NULL : tact_heightfield(2, count / 2, points[0].x, points[0].z, heights);
    }
    def.margin = take_byte(v) % 4 == 1 ? take_number(v) : 0.0;
    return soup ? tact_soup_create(&def, NULL) : tact_mesh_create(&def, NULL);
}

/* A shape of any type, or NULL where the library refuses the numbers. Release it. */
static inline tact_shape *take_shape(values *v, int depth)
{
    const unsigned type = take_below(v, TACT_COMPOUND + 1u);
    if (type == TACT_MESH || type == TACT_SOUP)
        return take_mesh(v, type == TACT_SOUP);
    tact_shape *parts[FUZZ_PARTS] = {NULL}, *shape = NULL;
    if (type == TACT_COMPOUND) {
        tact_transform transforms[FUZZ_PARTS];
        const unsigned count = depth < FUZZ_DEPTH ? take_below(v, FUZZ_PARTS + 1u) : 0;
        for (unsigned i = 0; i < count; i++) {
            parts[i] = take_shape(v, depth + 1);
            transforms[i] = take_transform(v);
        }
        shape = tact_compound((const tact_shape *const *)parts, transforms, count);
    } else {
        tact_shape_def def = tact_shape_def_default();
        tact_vec3 points[FUZZ_POINTS];
        def.type = type == 0 ? TACT_HALFSPACE : (tact_shape_type)type;
        if (type == 0) {
            def.normal = take_vec(v);
            def.offset = take_number(v);
        } else if (type == TACT_MINKOWSKI_SUM || type == TACT_CONVEX_HULL_OF || type == TACT_TRANSFORMED) {
            parts[0] = depth < FUZZ_DEPTH ? take_shape(v, depth + 1) : NULL;
            parts[1] = depth < FUZZ_DEPTH && type != TACT_TRANSFORMED ? take_shape(v, depth + 1) : NULL;
            def.parts[0] = parts[0];
            def.parts[1] = parts[1];
            def.transform = take_transform(v);
        } else if (type <= TACT_TETRAHEDRON || type == TACT_POLYGON || type == TACT_HULL) {
            def.point_count = type <= TACT_TETRAHEDRON ? type : take_below(v, FUZZ_POINTS);
            def.points = points;
            for (size_t i = 0; i < def.point_count; i++)
                points[i] = take_vec(v);
        } else {
            def.radius = take_number(v);
            def.height = take_number(v);
            def.size = take_vec(v);
        }
        def.margin = take_byte(v) % 4 == 1 ? take_number(v) : 0.0;
        shape = tact_shape_create(&def, NULL);
    }
    for (int i = 0; i < FUZZ_PARTS; i++)
        tact_shape_release(parts[i]);
    return shape;
}

#endif
