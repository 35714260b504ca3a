/* The figure consists of capsules along lines between joints, which move with the phase of the jump. */
#include <math.h>

#include "show_case.h"

#define AROUND 18
#define RINGS 12 /* of a capsule, half of them on each cap */
#define POINTS (AROUND * RINGS + 2)
#define PARTS 12
#define FRAMES_PER_JUMP 40

typedef struct vec {
    double x, y, z;
} vec;

typedef struct limb {
    vec from, to;
    double radius_from, radius_to;
} limb;

static const double pi = 3.14159265358979323846;

static vec add(vec a, double s, vec b) { return (vec){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }

/* A point from `from`, at an angle from straight down in the plane of the chest, outward on this side (1 or -1). */
static vec swing(vec from, double length, double angle, double side, double forward)
{
    return (vec){from.x + side * length * sin(angle), from.y - length * cos(angle), from.z + forward};
}

/* The parts at a time, in frames. */
static void pose(double time, limb parts[PARTS])
{
    const double phase = 2.0 * pi * time / FRAMES_PER_JUMP, open = 0.5 - 0.5 * cos(phase);
    const double jump = 0.22 * fabs(sin(phase)), hip = 0.98 + jump;
    int n = 0;
    parts[n++] = (limb){{0, hip + 0.13, 0}, {0, hip + 0.50, 0}, 0.115, 0.145}; /* body */
    parts[n++] = (limb){{0, hip + 0.77, 0}, {0, hip + 0.87, 0}, 0.095, 0.105}; /* head */
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? 1.0 : -1.0, arm = 0.085 + 2.955 * open, bend = -0.04 + 0.9 * open,
                     leg = 0.07 + 0.45 * open;
        const vec shoulder = {0.235 * side, hip + 0.53, 0}, thigh = {0.125 * side, hip - 0.06, 0};
        const vec elbow = swing(shoulder, 0.27, arm, side, 0.0), wrist = swing(elbow, 0.25, arm + bend, side, 0.02);
        const vec knee = swing(thigh, 0.38, leg, side, 0.04 * (1.0 - open)),
                  ankle = swing(knee, 0.36, 0.8 * leg, side, -0.02);
        const vec hand = swing(wrist, 0.115, arm + bend + 0.1, side, 0.0);
        parts[n++] =
            (limb){add(shoulder, 0.12, (vec){elbow.x - shoulder.x, elbow.y - shoulder.y, 0}), elbow, 0.058, 0.046};
        parts[n++] = (limb){swing(elbow, 0.09, arm + bend, side, 0.01), wrist, 0.044, 0.036};
        parts[n++] = (limb){swing(wrist, 0.083, arm + bend, side, 0.0), hand, 0.046, 0.05};
        parts[n++] = (limb){swing(thigh, 0.05, leg, side, 0.0), knee, 0.085, 0.06};
        parts[n++] = (limb){swing(knee, 0.125, 0.8 * leg, side, 0.0), ankle, 0.058, 0.045};
    }
}

/* The vertices of a part: rings from one end to the other, and the two poles. */
static void part_place(const limb *part, vec points[POINTS])
{
    const vec d = {part->to.x - part->from.x, part->to.y - part->from.y, part->to.z - part->from.z};
    const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    const vec axis = {d.x / length, d.y / length, d.z / length};
    const vec helper = fabs(axis.z) < 0.8 ? (vec){0, 0, 1} : (vec){1, 0, 0};
    vec u = {axis.y * helper.z - axis.z * helper.y, axis.z * helper.x - axis.x * helper.z,
             axis.x * helper.y - axis.y * helper.x};
    const double size = sqrt(u.x * u.x + u.y * u.y + u.z * u.z);
    u = (vec){u.x / size, u.y / size, u.z / size};
    const vec v = {axis.y * u.z - axis.z * u.y, axis.z * u.x - axis.x * u.z, axis.x * u.y - axis.y * u.x};
    for (int ring = 0; ring < RINGS; ring++) {
        const int half = RINGS / 2;
        const double radius = ring < half ? part->radius_from : part->radius_to;
        const double tilt = 0.5 * pi * (ring < half ? (double)(ring + 1) / half - 1.0 : (double)(ring - half) / half);
        const vec centre = add(ring < half ? part->from : part->to, radius * sin(tilt), axis);
        for (int k = 0; k < AROUND; k++) {
            const double a = 2.0 * pi * k / AROUND;
            points[ring * AROUND + k] =
                add(add(centre, radius * cos(tilt) * cos(a), u), radius * cos(tilt) * sin(a), v);
        }
    }
    points[POINTS - 2] = add(part->from, -part->radius_from, axis);
    points[POINTS - 1] = add(part->to, part->radius_to, axis);
}

static void faces_write(FILE *out, int first)
{
    for (int k = 0; k < AROUND; k++) {
        const int next = (k + 1) % AROUND, last = (RINGS - 1) * AROUND;
        (void)fprintf(out, "f %d %d %d\n", first + POINTS - 2, first + next, first + k);
        for (int ring = 0; ring + 1 < RINGS; ring++) {
            const int a = first + ring * AROUND + k, b = first + ring * AROUND + next;
            (void)fprintf(out, "f %d %d %d\nf %d %d %d\n", a, b, b + AROUND, a, b + AROUND, a + AROUND);
        }
        (void)fprintf(out, "f %d %d %d\n", first + POINTS - 1, first + last + k, first + last + next);
    }
}

bool show_case_figure(const char *folder, int frames)
{
    FILE *mesh = show_case_create(folder, "figure.obj"), *cache = show_case_create(folder, "figure.pc2");
    limb parts[PARTS];
    vec points[POINTS];
    if (!mesh || !cache) {
        if (mesh)
            (void)fclose(mesh);
        if (cache)
            (void)fclose(cache);
        return false;
    }
    show_case_pc2_head(cache, PARTS * POINTS, frames, 1.0 / 24.0);
    for (int frame = 0; frame < frames; frame++) {
        pose(frame, parts);
        for (int i = 0; i < PARTS; i++) {
            part_place(&parts[i], points);
            for (int k = 0; k < POINTS; k++) {
                if (frame == 0)
                    (void)fprintf(mesh, "v %.6f %.6f %.6f\n", points[k].x, points[k].y, points[k].z);
                show_case_pc2_number(cache, points[k].x);
                show_case_pc2_number(cache, points[k].y);
                show_case_pc2_number(cache, points[k].z);
            }
        }
    }
    for (int i = 0; i < PARTS; i++)
        faces_write(mesh, 1 + i * POINTS);
    const bool good = show_case_close(mesh, "figure.obj");
    return show_case_close(cache, "figure.pc2") && good;
}
