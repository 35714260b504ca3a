/*
 * Boxes, spheres, capsules and random hulls as plain data.
 *
 * The faces of a hull are computed here and not by the library, so that an error there shows as a disagreement and not
 * as two equal wrong answers. Points are inserted one by one; faces visible from the new point are replaced by a fan
 * from the horizon. O(n^2), for a few hundred points. Points on a sphere are in general position with probability one;
 * orientation tests are in long double, and Euler's formula is checked at the end.
 */
#include "solid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"

bool tact_solid_box(solid *s, tact_vec3 half)
{
    *s = (solid){.kind = SOLID_BOX, .half = half, .size = (half.x + half.y + half.z) / 3.0, .vertex_count = 8};
    s->bounding_radius = sqrt(half.x * half.x + half.y * half.y + half.z * half.z);
    s->vertices = malloc(8 * sizeof *s->vertices);
    if (!s->vertices)
        return false;
    for (int i = 0; i < 8; i++)
        s->vertices[i] = (tact_vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    return true;
}

bool tact_solid_sphere(solid *s, double radius)
{
    *s = (solid){.kind = SOLID_SPHERE, .radius = radius, .size = radius, .bounding_radius = radius};
    return true;
}

bool tact_solid_capsule(solid *s, double radius, double height)
{
    *s = (solid){.kind = SOLID_CAPSULE,
                 .radius = radius,
                 .height = height,
                 .size = radius,
                 .bounding_radius = radius + 0.5 * height};
    return true;
}

/* Six times the signed volume of (a b c d): positive when d is above the counter-clockwise triangle a b c. */
static long double above(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    long double u[3] = {(long double)b.x - a.x, (long double)b.y - a.y, (long double)b.z - a.z};
    long double v[3] = {(long double)c.x - a.x, (long double)c.y - a.y, (long double)c.z - a.z};
    long double w[3] = {(long double)d.x - a.x, (long double)d.y - a.y, (long double)d.z - a.z};
    return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2];
}

static void insert_point(solid *s, int p, bool *visible, int (*horizon)[2])
{
    const tact_vec3 *c = s->vertices;
    for (int f = 0; f < s->face_count; f++)
        visible[f] = above(c[s->faces[f][0]], c[s->faces[f][1]], c[s->faces[f][2]], c[p]) > 0.0L;
    /* The horizon: edges of visible faces whose twin belongs to a face that is not visible. */
    int horizon_count = 0;
    for (int f = 0; f < s->face_count; f++) {
        for (int e = 0; visible[f] && e < 3; e++) {
            int from = s->faces[f][e], to = s->faces[f][(e + 1) % 3];
            for (int g = 0; g < s->face_count; g++) {
                for (int h = 0; !visible[g] && h < 3; h++) {
                    if (s->faces[g][h] == to && s->faces[g][(h + 1) % 3] == from) {
                        horizon[horizon_count][0] = from;
                        horizon[horizon_count++][1] = to;
                    }
                }
            }
        }
    }
    int count = 0;
    for (int f = 0; f < s->face_count; f++) {
        if (!visible[f])
            memmove(s->faces[count++], s->faces[f], sizeof s->faces[f]);
    }
    for (int e = 0; e < horizon_count; e++) {
        s->faces[count][0] = horizon[e][0];
        s->faces[count][1] = horizon[e][1];
        s->faces[count++][2] = p;
    }
    s->face_count = count;
}

bool tact_solid_hull(solid *s, int count, random_source *random)
{
    *s = (solid){.kind = SOLID_HULL, .size = 1.0, .bounding_radius = 1.0 + 1e-15, .vertex_count = count};
    size_t capacity = 2 * (size_t)count; /* 2 n - 4 faces; the horizon is shorter */
    s->vertices = malloc((size_t)count * sizeof *s->vertices);
    s->faces = malloc(capacity * sizeof *s->faces);
    bool *visible = malloc(capacity * sizeof *visible);
    int(*horizon)[2] = malloc(capacity * sizeof *horizon);
    bool done = false;
    if (s->vertices && s->faces && visible && horizon) {
        do {
            for (int i = 0; i < count; i++)
                s->vertices[i] = random_direction(random);
            bool swap = above(s->vertices[0], s->vertices[1], s->vertices[2], s->vertices[3]) > 0.0L;
            int first[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
            for (int f = 0; f < 4; f++) {
                s->faces[f][0] = first[f][0];
                s->faces[f][1] = first[f][swap ? 2 : 1];
                s->faces[f][2] = first[f][swap ? 1 : 2];
            }
            s->face_count = 4;
            for (int i = 4; i < count; i++)
                insert_point(s, i, visible, horizon);
        } while (s->face_count != 2 * count - 4);
        done = true;
    }
    free(visible);
    free(horizon);
    if (!done)
        tact_solid_release(s);
    return done;
}

void tact_solid_release(solid *s)
{
    free(s->vertices);
    free(s->faces);
    *s = (solid){0};
}

double tact_solid_volume(const solid *s)
{
    long double sum = 0.0L;
    for (int f = 0; f < s->face_count; f++)
        sum -= above(s->vertices[s->faces[f][0]], s->vertices[s->faces[f][1]], s->vertices[s->faces[f][2]],
                     (tact_vec3){0});
    return (double)(sum / 6.0L);
}
