#define _POSIX_C_SOURCE 200809L
/*
 * `tact-bench-sisl FILE ROUNDS SAMPLES ACCURACY`: intersection curves of pairs of surfaces (surface_pair_write) with
 * SISL, which is under the AGPL. So this is a program of its own, which is not linked with Tact, and not installed.
 *
 * Each curve is computed as `tact-bench nurbs` needs it: in space and in both parameter planes (s1859, then s1310).
 * Prints for each pair its least CPU time in ns and the number of curves; then, per curve, SAMPLES lines x y z u1 v1 u2
 * v2 at equal distances of the parameter.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <sisl.h>

static double accuracy;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void require(int condition, const char *what)
{
    if (condition)
        return;
    (void)fprintf(stderr, "tact-bench-sisl: %s\n", what);
    exit(1);
}

/* Homogeneous control points w x, w y, w z, w if rational. The first direction is the fastest. */
static SISLSurf *read_surface(FILE *from)
{
    int degree[2], counts[2], rational;
    require(fscanf(from, "%d %d %d %d %d", &degree[0], &degree[1], &counts[0], &counts[1], &rational) == 5, "surface");
    double *knots[2], *points = malloc((size_t)(counts[0] * counts[1]) * 4 * sizeof *points);
    require(points != NULL, "memory");
    for (int d = 0; d < 2; d++) {
        const int count = counts[d] + degree[d] + 1;
        knots[d] = malloc((size_t)count * sizeof(double));
        require(knots[d] != NULL, "memory");
        for (int i = 0; i < count; i++)
            require(fscanf(from, "%lf", &knots[d][i]) == 1, "knots");
    }
    for (int i = 0; i < counts[0]; i++)
        for (int j = 0; j < counts[1]; j++) {
            double p[4];
            require(fscanf(from, "%lf %lf %lf %lf", &p[0], &p[1], &p[2], &p[3]) == 4, "points");
            double *to = points + (j * counts[0] + i) * (3 + rational);
            for (int k = 0; k < 3; k++)
                to[k] = rational ? p[k] * p[3] : p[k];
            if (rational)
                to[3] = p[3];
        }
    SISLSurf *s =
        newSurf(counts[0], counts[1], degree[0] + 1, degree[1] + 1, knots[0], knots[1], points, rational ? 2 : 1, 3, 1);
    require(s != NULL, "newSurf");
    free(points), free(knots[0]), free(knots[1]);
    return s;
}

static void print_at(SISLCurve *c, double f)
{
    double value[4] = {0.0};
    int left = 0, status = 0;
    const double first = c->et[c->ik - 1], last = c->et[c->in];
    s1227(c, 0, first + f * (last - first), &left, value, &status);
    for (int k = 0; k < c->idim; k++)
        (void)printf("%a ", value[k]);
}

static void run_pair(SISLSurf *a, SISLSurf *b, int rounds, int samples, const char *name)
{
    double least = 1e300;
    for (int round = 0; round < rounds; round++) {
        int point_count = 0, curve_count = 0, status = 0, kept = 0;
        double *points[2] = {NULL, NULL};
        SISLIntcurve **curves = NULL;
        const double start = now();
        s1859(a, b, 0.0, accuracy, &point_count, &points[0], &points[1], &curve_count, &curves, &status);
        require(status >= 0, "s1859");
        for (int i = 0; i < curve_count; i++) {
            s1310(a, b, curves[i], accuracy, 0.0, 2, 0, &status);
            kept += status >= 0 && curves[i]->pgeom && curves[i]->ppar1 && curves[i]->ppar2;
        }
        const double time = now() - start;
        least = time < least ? time : least;
        if (round + 1 == rounds) {
            (void)printf("%s\n%.0f %d\n", name, least, kept);
            for (int i = 0; i < curve_count; i++) {
                SISLIntcurve *c = curves[i];
                for (int k = 0; c->pgeom && c->ppar1 && c->ppar2 && k < samples; k++) {
                    print_at(c->pgeom, (double)k / (samples - 1));
                    print_at(c->ppar1, (double)k / (samples - 1));
                    print_at(c->ppar2, (double)k / (samples - 1));
                    (void)printf("\n");
                }
            }
        }
        freeIntcrvlist(curves, curve_count);
        free(points[0]), free(points[1]);
    }
}

int main(int argc, char **argv)
{
    require(argc == 5, "usage: tact-bench-sisl FILE ROUNDS SAMPLES ACCURACY");
    accuracy = atof(argv[4]);
    const int rounds = atoi(argv[2]), samples = atoi(argv[3]);
    FILE *from = fopen(argv[1], "r");
    char name[64];
    require(from != NULL && rounds > 0 && samples > 1, "cannot begin");
    while (fscanf(from, " %63[^\n]", name) == 1) {
        SISLSurf *a = read_surface(from), *b = read_surface(from);
        run_pair(a, b, rounds, samples, name);
        freeSurf(a), freeSurf(b);
    }
    return fclose(from) != 0;
}
