/* `tact bench`: which benchmarks, how, and where the figures go. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

typedef struct entry {
    const char *name;
    const char *what;
    bool (*run)(const suite *s);
} entry;

static const entry entries[] = {
    {"icollide", "I-COLLIDE's simulation, Figures 4.8 to 4.10 of van den Bergen's thesis", tact_bench_icollide},
    {"race", "pairs of boxes, capsules and hulls against FCL and libccd", tact_bench_race},
    {"growth", "how the cost of hulls grows with their size", tact_bench_growth},
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };

static int usage(const char *problem, const char *word)
{
    (void)fprintf(stderr, "tact bench: %s %s; there are convex (all of these)", problem, word);
    for (int i = 0; i < ENTRIES; i++)
        (void)fprintf(stderr, ", %s", entries[i].name);
    (void)fprintf(stderr, "; --quick, --json, --seed N\n");
    return 2;
}

int tact_bench_main(int argc, char **argv)
{
    suite s = {.seed = 1};
    bool wanted[ENTRIES] = {false}, any = false, json = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--quick") == 0) {
            s.quick = true;
        } else if (strcmp(word, "--json") == 0) {
            json = true;
        } else if (strcmp(word, "--seed") == 0) {
            char *end = NULL;
            if (i + 1 < argc)
                s.seed = strtoull(argv[++i], &end, 10);
            if (!end || end == argv[i] || *end != '\0')
                return usage("--seed wants a number, not", argv[i]);
        } else if (word[0] == '-') {
            return usage("there is no option", word);
        } else {
            bool known = strcmp(word, "convex") == 0;
            for (int k = 0; k < ENTRIES; k++) {
                bool this_one = known || strcmp(word, entries[k].name) == 0;
                wanted[k] = wanted[k] || this_one;
                any = any || this_one;
            }
            for (int k = 0; k < ENTRIES; k++)
                known = known || strcmp(word, entries[k].name) == 0;
            if (!known)
                return usage("there is no benchmark", word);
        }
    }
    if (json) {
        s.report = json_pack("{ss}", "program", "tact bench");
        if (!s.report) {
            (void)fprintf(stderr, "tact bench: out of memory\n");
            return 1;
        }
    }
    int status = 0;
    for (int k = 0; status == 0 && k < ENTRIES; k++) {
        if (any && !wanted[k])
            continue;
        if (!entries[k].run(&s)) {
            (void)fprintf(stderr, "tact bench: %s: out of memory\n", entries[k].name);
            status = 1;
        }
        (void)fflush(stdout);
    }
    if (status == 0 && json) {
        status = json_dumpf(s.report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0;
        (void)printf("\n");
    }
    json_decref(s.report);
    return status;
}
