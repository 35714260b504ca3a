/* `tact bench`: which benchmarks, how, and where the figures go. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "suite.h"

typedef struct entry {
    const char *name;
    const char *groups[2]; /* words that stand for several */
    bool (*run)(const suite *s);
} entry;

static const entry entries[] = {
    {"icollide", {"convex"}, tact_bench_icollide},
    {"race", {"convex"}, tact_bench_race},
    {"hulls", {"convex", "growth"}, tact_bench_growth_hulls},
    {"seed004", {"rigid"}, tact_bench_seed004},
    {"seed003", {"moving"}, tact_bench_seed003},
    {"frames", {"moving"}, tact_bench_frames},
    {"spheres", {"moving"}, tact_bench_spheres},
    {"queues", {"moving"}, tact_bench_queues},
    {"seed002", {"deformable"}, tact_bench_seed002},
    {"broad", {"rigid"}, tact_bench_broad},
    {"mesh", {"rigid"}, tact_bench_mesh},
    {"world", {"rigid"}, tact_bench_world},
    {"ccd", {"deformable"}, tact_bench_ccd},
    {"bodies", {"growth"}, tact_bench_growth_bodies},
    {"triangles", {"growth"}, tact_bench_growth_triangles},
    {"steps", {"deformable", "growth"}, tact_bench_growth_ccd},
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };

static int usage(const char *problem, const char *word)
{
    (void)fprintf(stderr, "tact bench: %s %s; there are convex, rigid, moving, deformable, growth (several each)",
                  problem, word);
    for (int i = 0; i < ENTRIES; i++)
        (void)fprintf(stderr, ", %s", entries[i].name);
    (void)fprintf(stderr, "; --quick, --tiny, --json, --html FILE, --seed N, --scenes FOLDER\n");
    return 2;
}

static bool is_called(const entry *e, const char *word)
{
    bool called = strcmp(e->name, word) == 0;
    for (size_t g = 0; g < sizeof e->groups / sizeof e->groups[0]; g++)
        called = called || (e->groups[g] && strcmp(e->groups[g], word) == 0);
    return called;
}

/* Marks the benchmarks that a word names; false if there is none. */
static bool choose(const char *word, bool wanted[ENTRIES])
{
    bool known = false;
    for (int k = 0; k < ENTRIES; k++) {
        bool called = is_called(&entries[k], word);
        wanted[k] = wanted[k] || called;
        known = known || called;
    }
    return known;
}

static int finish(const suite *s, bool json, const char *page)
{
    int status = 0;
    if (page && !tact_page_write(page, s->report)) {
        (void)fprintf(stderr, "tact bench: cannot write %s\n", page);
        status = 1;
    }
    if (json) {
        if (json_dumpf(s->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0)
            status = 1;
        (void)printf("\n");
    }
    return status;
}

int tact_bench_main(int argc, char **argv)
{
    long wrong = 0;
    suite s = {.seed = 1, .wrong = &wrong};
    bool wanted[ENTRIES] = {false}, any = false, json = false;
    const char *page = NULL;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--quick") == 0) {
            s.quick = true;
        } else if (strcmp(word, "--tiny") == 0) {
            s.quick = s.tiny = true;
        } else if (strcmp(word, "--json") == 0) {
            json = true;
        } else if (strcmp(word, "--html") == 0) {
            if (i + 1 == argc)
                return usage("a file must follow", word);
            page = argv[++i];
        } else if (strcmp(word, "--scenes") == 0) {
            if (i + 1 == argc)
                return usage("a folder must follow", word);
            s.scenes = argv[++i];
        } else if (strcmp(word, "--seed") == 0) {
            char *end = NULL;
            if (i + 1 < argc)
                s.seed = strtoull(argv[++i], &end, 10);
            if (!end || end == argv[i] || *end != '\0')
                return usage("--seed wants a number, not", argv[i]);
        } else if (word[0] == '-') {
            return usage("there is no option", word);
        } else if (choose(word, wanted)) {
            any = true;
            s.large = s.large || strcmp(word, "growth") == 0 || strcmp(word, "triangles") == 0 ||
                      strcmp(word, "queues") == 0 || strcmp(word, "steps") == 0 || strcmp(word, "seed002") == 0 ||
                      strcmp(word, "seed003") == 0 || strcmp(word, "spheres") == 0;
        } else {
            return usage("there is no benchmark", word);
        }
    }
    s.silent = json;
    if (json || page) {
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
    if (status == 0 && s.report)
        status = finish(&s, json, page);
    if (status == 0 && wrong > 0) {
        (void)fprintf(stderr, "tact bench: %ld answers of Tact's, or of those who judge them, are wrong\n", wrong);
        status = 1;
    }
    json_decref(s.report);
    return status;
}
