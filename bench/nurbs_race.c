#define _POSIX_C_SOURCE 200809L
/*
 * `tact-bench nurbs`: intersection curves of two NURBS surfaces against SISL, and distances against Open CASCADE. Both
 * are programs of their own (bench/peers), which read the same surfaces from a file. CPU times, the least of all
 * rounds; Tact runs before and after the other program. Shapes are created before the clock starts.
 *
 * Curves are compared as (u, v) curves to 1e-6. Their errors are measured at samples: the distance of the curve in
 * space from both surfaces, of the points at (u, v) of one surface from the other surface, and of the points that both
 * parameter curves give at the same parameter.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "math/vec.h"
#include "nurbs_pairs.h"
#include "stopwatch.h"
#include "suite.h"
#include "table.h"

#ifndef TACT_BENCH_SISL
#define TACT_BENCH_SISL NULL
#endif
#ifndef TACT_BENCH_OCCT
#define TACT_BENCH_OCCT NULL
#endif

enum { MAX_CURVES = 256, MAX_NODES = 20000, SAMPLES = 400, MAX_VARIANTS = 40 };

static const double curve_accuracy = 1e-6;

/* ---- the other program ---- */

/* Runs `program FILE arguments` on pairs; NULL: not built, or it cannot run. */
static FILE *open_peer(const char *program, const char *file, const char *arguments)
{
    char command[512];
    if (program == NULL)
        return NULL;
    (void)snprintf(command, sizeof command, "%s %s %s", program, file, arguments);
    return popen(command, "r");
}

/* A file of pairs: NULL if it cannot be created. */
static FILE *open_pairs(char path[64])
{
    (void)snprintf(path, 64, "/tmp/tact-bench-XXXXXX");
    const int descriptor = mkstemp(path);
    return descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
}

/* ---- errors of curves ---- */

/* A sample of a curve: in space, and (u, v) on both surfaces. */
typedef struct curve_sample {
    tact_vec3 point;
    double uv[2][2];
} curve_sample;

typedef struct curve_errors {
    double space, parameters, mismatch, length;
    long curves;
} curve_errors;

/* The distance of a point from a surface near (u, v), by the method of Gauss and Newton. */
static double distance_near(const tact_nurbs_def *s, const double start[2], tact_vec3 x)
{
    double uv[2] = {start[0], start[1]}, least = INFINITY;
    for (int step = 0; step < 8; step++) {
        tact_vec3 d[4];
        if (tact_nurbs_evaluate(s, uv[0], uv[1], 1, d) != TACT_OK)
            return least;
        const tact_vec3 gap = vec_sub(x, d[0]);
        least = fmin(least, vec_length(gap));
        const double aa = vec_length_squared(d[2]), ab = vec_dot(d[2], d[1]), bb = vec_length_squared(d[1]),
                     det = aa * bb - ab * ab, a = vec_dot(d[2], gap), b = vec_dot(d[1], gap);
        if (!(det > 0.0))
            return least;
        uv[0] += (a * bb - b * ab) / det;
        uv[1] += (b * aa - a * ab) / det;
    }
    return least;
}

static void add_sample(curve_errors *e, const tact_nurbs_def def[2], const curve_sample *c)
{
    tact_vec3 on[2];
    for (int i = 0; i < 2; i++) {
        e->space = fmax(e->space, distance_near(&def[i], c->uv[i], c->point));
        (void)tact_nurbs_evaluate(&def[i], c->uv[i][0], c->uv[i][1], 0, &on[i]);
    }
    for (int i = 0; i < 2; i++)
        e->parameters = fmax(e->parameters, distance_near(&def[i], c->uv[i], on[1 - i]));
    e->mismatch = fmax(e->mismatch, vec_length(vec_sub(on[0], on[1])));
}

/* ---- curves of Tact ---- */

typedef struct curve_run {
    const surface_pair *pair;
    tact_shape *shapes[2];
    tact_nurbs_intersect_result result;
    tact_nurbs_intersection curves[MAX_CURVES];
    tact_nurbs_node nodes[MAX_NODES];
    double ns;
} curve_run;

static double hermite(double a, double b, double slope_a, double slope_b, double h, double f)
{
    const double g = 1.0 - f;
    return g * g * (1.0 + 2.0 * f) * a + f * f * (1.0 + 2.0 * g) * b + h * f * g * (g * slope_a - f * slope_b);
}

static void measure_tact(const curve_run *r, const tact_nurbs_def def[2], curve_errors *e)
{
    enum { PART = 8 };
    for (size_t c = 0; c < r->result.curve_count; c++) {
        e->curves++;
        for (size_t i = 0; i + 1 < r->curves[c].node_count; i++) {
            const tact_nurbs_node *p = &r->nodes[r->curves[c].first_node + i], *q = p + 1;
            const double h = q->length - p->length;
            tact_vec3 last = p->point;
            for (int k = 1; k <= PART && h > 0.0; k++) {
                const double f = (double)k / PART;
                curve_sample s;
                s.point = vec_make(hermite(p->point.x, q->point.x, p->tangent.x, q->tangent.x, h, f),
                                   hermite(p->point.y, q->point.y, p->tangent.y, q->tangent.y, h, f),
                                   hermite(p->point.z, q->point.z, p->tangent.z, q->tangent.z, h, f));
                s.uv[0][0] = hermite(p->location_a.u, q->location_a.u, p->rate_a[0], q->rate_a[0], h, f);
                s.uv[0][1] = hermite(p->location_a.v, q->location_a.v, p->rate_a[1], q->rate_a[1], h, f);
                s.uv[1][0] = hermite(p->location_b.u, q->location_b.u, p->rate_b[0], q->rate_b[0], h, f);
                s.uv[1][1] = hermite(p->location_b.v, q->location_b.v, p->rate_b[1], q->rate_b[1], h, f);
                add_sample(e, def, &s);
                e->length += vec_length(vec_sub(s.point, last));
                last = s.point;
            }
        }
    }
}

static bool run_tact(const suite *s, curve_run *r, int rounds)
{
    const tact_nurbs_intersect_def def = {.accuracy = curve_accuracy, .resolution = curve_accuracy};
    for (int i = 0; i < rounds; i++) {
        const double start = tact_stopwatch_now();
        r->result = tact_nurbs_intersect(r->shapes[0], tact_identity(), r->shapes[1], tact_identity(), &def, r->curves,
                                         MAX_CURVES, r->nodes, MAX_NODES);
        r->ns = fmin(r->ns, tact_stopwatch_now() - start);
    }
    *s->wrong += r->result.status != TACT_OK;
    return r->result.status != TACT_OUT_OF_MEMORY;
}

/* ---- curves of SISL ---- */

static bool read_sisl(FILE *from, const tact_nurbs_def def[2], double *ns, curve_errors *e)
{
    char name[64];
    if (fscanf(from, " %63[^\n]", name) != 1 || fscanf(from, "%lf %ld", ns, &e->curves) != 2)
        return false;
    for (long c = 0; c < e->curves; c++) {
        tact_vec3 last = vec_make(0.0, 0.0, 0.0);
        for (int k = 0; k < SAMPLES; k++) {
            curve_sample s;
            if (fscanf(from, "%lf %lf %lf %lf %lf %lf %lf", &s.point.x, &s.point.y, &s.point.z, &s.uv[0][0],
                       &s.uv[0][1], &s.uv[1][0], &s.uv[1][1]) != 7)
                return false;
            add_sample(e, def, &s);
            e->length += k > 0 ? vec_length(vec_sub(s.point, last)) : 0.0;
            last = s.point;
        }
    }
    return true;
}

/* One run of SISL on all pairs. False: it cannot run. */
static bool run_sisl(const surface_pair *pairs, int count, const char *path, int rounds, const char *accuracy,
                     double *ns, curve_errors *errors)
{
    char arguments[64];
    (void)snprintf(arguments, sizeof arguments, "%d %d %s", rounds, SAMPLES, accuracy);
    FILE *peer = open_peer(TACT_BENCH_SISL, path, arguments);
    bool done = peer != NULL;
    for (int i = 0; i < count && done; i++) {
        const tact_nurbs_def def[2] = {pair_surface_def(&pairs[i].side[0]), pair_surface_def(&pairs[i].side[1])};
        done = read_sisl(peer, def, &ns[i], &errors[i]);
    }
    if (peer != NULL)
        (void)pclose(peer);
    return done;
}

enum { MAX_PAIRS = 16 };

static bool race_curves(const suite *s)
{
    static const char *const accuracies[2] = {"1e-6", "1e-7"};
    json_t *table = tact_table_begin("Intersection curves of two NURBS surfaces, to 1e-6",
                                     "pair|curves|SISL|length|SISL|ms|SISL ms|ratio|SISL 1e-7 ms|ratio|met|"
                                     "error in space|SISL|SISL 1e-7|of (u, v)|SISL|SISL 1e-7|of parameters|SISL|"
                                     "SISL 1e-7");
    const int count = suite_size(s, crossing_pair_count(), crossing_pair_count(), 2), rounds = suite_size(s, 10, 3, 1);
    surface_pair *pairs = calloc((size_t)count, sizeof *pairs);
    curve_run *run = calloc((size_t)count, sizeof *run);
    curve_errors sisl[2][MAX_PAIRS] = {{{0}}};
    double ns[2][MAX_PAIRS];
    char path[64];
    FILE *file = open_pairs(path);
    bool done = pairs != NULL && run != NULL && file != NULL;
    for (int i = 0; i < count && done; i++) {
        crossing_pair_make(i, &pairs[i]);
        surface_pair_write(&pairs[i], file);
        run[i].pair = &pairs[i];
        run[i].ns = INFINITY;
        for (int k = 0; k < 2; k++) {
            const tact_nurbs_def def = pair_surface_def(&pairs[i].side[k]);
            run[i].shapes[k] = tact_nurbs(&def);
            done = done && run[i].shapes[k] != NULL;
        }
        done = done && run_tact(s, &run[i], rounds);
    }
    done = file != NULL && fclose(file) == 0 && done;
    for (int k = 0; k < 2 && done; k++)
        if (!run_sisl(pairs, count, path, rounds, accuracies[k], ns[k], sisl[k]))
            for (int i = 0; i < count; i++) {
                sisl[k][i] = (curve_errors){NAN, NAN, NAN, NAN, 0};
                ns[k][i] = NAN;
            }
    for (int i = 0; i < count && done; i++) {
        const tact_nurbs_def def[2] = {pair_surface_def(&pairs[i].side[0]), pair_surface_def(&pairs[i].side[1])};
        curve_errors tact = {0};
        done = run_tact(s, &run[i], rounds);
        measure_tact(&run[i], def, &tact);
        const curve_errors *coarse = &sisl[0][i], *fine = &sisl[1][i];
        const double same = ns[1][i] / run[i].ns;
        tact_table_row(table, "sddfffffffsfffffffff", pairs[i].name, tact.curves, coarse->curves, tact.length,
                       coarse->length, run[i].ns / 1e6, ns[0][i] / 1e6, ns[0][i] / run[i].ns, ns[1][i] / 1e6, same,
                       tact_table_met(same, 10.0), tact.space, coarse->space, fine->space, tact.parameters,
                       coarse->parameters, fine->parameters, tact.mismatch, coarse->mismatch, fine->mismatch);
    }
    if (file != NULL)
        (void)unlink(path);
    for (int i = 0; i < count && run != NULL; i++)
        for (int k = 0; k < 2; k++)
            tact_shape_release(run[i].shapes[k]);
    free(pairs), free(run);
    tact_table_note(table, "Errors at samples: distance of the curve in space from both surfaces; of the points at "
                           "(u, v) of one surface from the other; of the points of both at the same parameter. SISL: "
                           "s1859 and s1310 with 1e-6, and with 1e-7, which gives about the accuracy of Tact. The goal "
                           "is a ratio of 10 at the same accuracy.");
    return tact_table_end(s, "curves", table) && done;
}

/* ---- distances ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One kind of pairs: the same places for both. */
static bool race_kind(const suite *s, json_t *table, int kind)
{
    const int variants = suite_size(s, MAX_VARIANTS, 12, 2), rounds = suite_size(s, 5, 2, 1);
    double tact[MAX_VARIANTS], occt[MAX_VARIANTS], ratio[MAX_VARIANTS], distance[MAX_VARIANTS];
    double farther = 0.0, closer = 0.0;
    static surface_pair pair;
    char path[64], arguments[16], name[64];
    FILE *file = open_pairs(path);
    bool done = file != NULL;
    int count = 0;
    for (int i = 0; i < variants && done; i++) {
        tact_shape *shape[2];
        separate_pair_make(kind, i, s->seed, &pair);
        for (int k = 0; k < 2; k++) {
            const tact_nurbs_def def = pair_surface_def(&pair.side[k]);
            shape[k] = tact_nurbs(&def);
            done = done && shape[k] != NULL;
        }
        tact_nurbs_separation r = {0};
        tact[count] = INFINITY;
        for (int k = 0; k < 3 * rounds && done; k++) {
            const double start = tact_stopwatch_now();
            r = tact_nurbs_distance(shape[0], tact_identity(), shape[1], tact_identity(), NULL);
            tact[count] = fmin(tact[count], tact_stopwatch_now() - start);
        }
        if (done && r.upper > 1e-3) { /* they are apart */
            *s->wrong += r.status != TACT_OK;
            distance[count++] = r.upper;
            surface_pair_write(&pair, file);
        }
        for (int k = 0; k < 2; k++)
            tact_shape_release(shape[k]);
    }
    done = file != NULL && fclose(file) == 0 && done;
    (void)snprintf(arguments, sizeof arguments, "%d", rounds);
    FILE *peer = done ? open_peer(TACT_BENCH_OCCT, path, arguments) : NULL;
    int raced = 0;
    for (double found; peer != NULL && raced < count; raced++) {
        if (fscanf(peer, " %63[^\n]", name) != 1 || fscanf(peer, "%lf %lf", &occt[raced], &found) != 2)
            break;
        ratio[raced] = occt[raced] / tact[raced];
        farther = fmax(farther, found - distance[raced]);
        closer = fmax(closer, distance[raced] - found);
    }
    if (peer != NULL)
        (void)pclose(peer);
    if (file != NULL)
        (void)unlink(path);
    qsort(tact, (size_t)count, sizeof *tact, by_value);
    qsort(occt, (size_t)raced, sizeof *occt, by_value);
    qsort(ratio, (size_t)raced, sizeof *ratio, by_value);
    const double none = NAN;
    if (count > 0)
        tact_table_row(table, "sdffffffsff", pair.name, (long)count, tact[count / 2] / 1e6, tact[count - 1] / 1e6,
                       raced > 0 ? occt[raced / 2] / 1e6 : none, raced > 0 ? ratio[0] : none,
                       raced > 0 ? ratio[raced / 2] : none, raced > 0 ? ratio[raced - 1] : none,
                       raced > 0 ? tact_table_met(ratio[raced / 2], 10.0) : "", raced > 0 ? farther : none,
                       raced > 0 ? closer : none);
    return done;
}

static bool race_distances(const suite *s)
{
    json_t *table = tact_table_begin("Distances of two NURBS surfaces, to 1e-10",
                                     "pair|apart|ms, median|most|OCCT ms, median|ratio, least|median|most|met|"
                                     "OCCT farther by|closer by");
    bool done = true;
    for (int i = 0; i < separate_pair_count() && done; i++)
        done = race_kind(s, table, i);
    tact_table_note(table, "Open CASCADE: BRepExtrema_DistShapeShape on one face each. Ratio of each pair; the goal of "
                           "the median is 10. Farther, closer: how far its distances differ from Tact's at most.");
    return tact_table_end(s, "distances", table) && done;
}

bool tact_bench_nurbs(const suite *s) { return race_curves(s) && race_distances(s); }
