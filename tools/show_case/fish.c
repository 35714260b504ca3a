/*
 * A fish is two surfaces: a body, a tube of degree 3 along and rational of degree 2 around (nine control points make a
 * circle), and a flat tail of degree 3 x 1. A wave runs along it from head to tail. Two of them swim towards each
 * other.
 */
#include <math.h>

#include "show_case.h"

#define ALONG 9
#define AROUND 9
#define TAIL_ALONG 5
#define TAIL_ACROSS 2
#define BODY_POINTS (ALONG * AROUND)
#define FISH_POINTS (BODY_POINTS + TAIL_ALONG * TAIL_ACROSS)
#define FISH 2

static const double pi = 3.14159265358979323846;

/* Half height along the body, from the nose to the root of the tail. */
static const double profile[ALONG] = {0.004, 0.16, 0.30, 0.36, 0.34, 0.26, 0.16, 0.08, 0.05};

/* The unit square around which the control polygon of a circle runs. */
static const double square[AROUND][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}, {1, 0}};

/* A point of a fish, s along it (0 at the nose, 1 at the root of the tail), at a time. */
static void place(int fish, double s, double y, double z, double time, double out[3])
{
    const double side = fish == 0 ? 1.0 : -1.0, length = 2.0;
    const double wave = 0.16 * (0.15 + s * s) * sin(2.0 * pi * (1.1 * s - 1.3 * time) + 0.9 * fish);
    const double x = side * (length * (0.5 - s) + 0.95 * (time - 2.0));
    out[0] = x;
    out[1] = y + 0.05 * sin(1.7 * time + fish) + (fish == 0 ? 0.06 : -0.06);
    out[2] = side * (z + wave) + side * 0.165 + 0.02 * sin(time);
}

static void fish_place(int fish, double time, double points[FISH_POINTS][3])
{
    int n = 0;
    for (int i = 0; i < ALONG; i++)
        for (int k = 0; k < AROUND; k++)
            place(fish, (double)i / (ALONG - 1), profile[i] * square[k][0], 0.5 * profile[i] * square[k][1], time,
                  points[n++]);
    for (int i = 0; i < TAIL_ALONG; i++)
        for (int k = 0; k < TAIL_ACROSS; k++) {
            const double u = (double)i / (TAIL_ALONG - 1), spread = 0.05 + 0.42 * u * u;
            place(fish, 1.03 + 0.22 * u + 0.05 * fabs(2.0 * k - 1.0) * u, spread * (2 * k - 1), 0.0, time, points[n++]);
        }
}

static void numbers_write(FILE *out, const char *key, const double *numbers, int count)
{
    (void)fprintf(out, ",\"%s\":[", key);
    for (int i = 0; i < count; i++)
        (void)fprintf(out, "%s%.17g", i > 0 ? "," : "", numbers[i]);
    (void)fprintf(out, "]");
}

static void points_write(FILE *out, double points[][3], int count)
{
    (void)fprintf(out, ",\"points\":[");
    for (int i = 0; i < count; i++)
        (void)fprintf(out, "%s[%.9g,%.9g,%.9g]", i > 0 ? "," : "", points[i][0], points[i][1], points[i][2]);
    (void)fprintf(out, "]");
}

static void fish_write(FILE *out, double points[FISH_POINTS][3])
{
    double weights[BODY_POINTS];
    for (int i = 0; i < BODY_POINTS; i++)
        weights[i] = i % AROUND % 2 == 0 ? 1.0 : sqrt(0.5);
    (void)fprintf(
        out, "{\"degree\":[3,2],\"counts\":[%d,%d],\"knots\":[[0,0,0,0,1,2,3,4,5,6,6,6,6],[0,0,0,1,1,2,2,3,3,4,4,4]]",
        ALONG, AROUND);
    points_write(out, points, BODY_POINTS);
    numbers_write(out, "weights", weights, BODY_POINTS);
    (void)fprintf(out, "},\n{\"degree\":[3,1],\"counts\":[%d,%d],\"knots\":[[0,0,0,0,1,2,2,2,2],[0,0,1,1]]", TAIL_ALONG,
                  TAIL_ACROSS);
    points_write(out, points + BODY_POINTS, TAIL_ALONG * TAIL_ACROSS);
    (void)fprintf(out, "}");
}

bool show_case_fish(const char *folder, int frames)
{
    FILE *shape = show_case_create(folder, "fish.json"), *cache = show_case_create(folder, "fish.pc2");
    double points[FISH_POINTS][3];
    if (!shape || !cache) {
        if (shape)
            (void)fclose(shape);
        if (cache)
            (void)fclose(cache);
        return false;
    }
    const double interval = 1.0 / 24.0;
    (void)fprintf(shape, "{\"type\":\"nurbs\",\"tolerance\":0.012,\"surfaces\":[\n");
    for (int fish = 0; fish < FISH; fish++) {
        fish_place(fish, 0.0, points);
        (void)fprintf(shape, "%s", fish > 0 ? ",\n" : "");
        fish_write(shape, points);
    }
    (void)fprintf(shape, "]}\n");
    show_case_pc2_head(cache, FISH * FISH_POINTS, frames, interval);
    for (int frame = 0; frame < frames; frame++)
        for (int fish = 0; fish < FISH; fish++) {
            fish_place(fish, interval * frame, points);
            for (int i = 0; i < FISH_POINTS; i++)
                for (int k = 0; k < 3; k++)
                    show_case_pc2_number(cache, points[i][k]);
        }
    const bool good = show_case_close(shape, "fish.json");
    return show_case_close(cache, "fish.pc2") && good;
}
