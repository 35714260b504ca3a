/* The program tact-bench: chooses the benchmarks, runs them, and writes the figures as text, JSON or an HTML page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "suite.h"

typedef struct bench_entry {
    const char *name;
    const char *groups[2]; /* the groups that it belongs to */
    bool large_by_name;    /* asked for by its own name it goes to the largest sizes */
    bool (*run)(const suite *s);
} bench_entry;

static const bench_entry entries[] = {
    {"icollide", {"convex"}, false, tact_bench_icollide},
    {"race", {"convex"}, false, tact_bench_race},
    {"hulls", {"convex", "growth"}, false, tact_bench_growth_hulls},
    {"bergen-1999", {"rigid"}, false, tact_bench_bergen_1999},
    {"coming-staadt-2006", {"moving"}, true, tact_bench_coming_staadt_2006},
    {"frames", {"moving"}, false, tact_bench_frames},
    {"spheres", {"moving"}, true, tact_bench_spheres},
    {"queues", {"moving"}, true, tact_bench_queues},
    {"hutter-fuhrmann-2007", {"deformable"}, true, tact_bench_hutter_fuhrmann_2007},
    {"broad", {"rigid"}, false, tact_bench_broad},
    {"mesh", {"rigid"}, false, tact_bench_mesh},
    {"world", {"rigid"}, false, tact_bench_world},
    {"ccd", {"deformable"}, false, tact_bench_ccd},
    {"bodies", {"growth"}, false, tact_bench_growth_bodies},
    {"triangles", {"growth"}, true, tact_bench_growth_triangles},
    {"steps", {"deformable", "growth"}, true, tact_bench_growth_ccd},
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };

static const char help[] =
    "tact-bench [NAME...]         measures Tact, and races it against other libraries\n"
    "\n"
    "  tact-bench                 all benchmarks (about five minutes)\n"
    "  convex                     pairs of convex shapes: icollide, race, hulls\n"
    "    icollide                 tumbling hulls (van den Bergen 1999, figures 4.8 to 4.10)\n"
    "    race                     distance and intersection, against FCL and libccd\n"
    "  rigid                      worlds and meshes: bergen-1999, broad, mesh, world\n"
    "    bergen-1999              van den Bergen 1999, tables 5.2 to 5.6, refitting, polygons, beside its figures\n"
    "    broad                    the broad phase, against Bullet\n"
    "    mesh                     two meshes, building and refitting their trees, against FCL\n"
    "    world                    the tumbling hulls through a world\n"
    "  deformable                 deforming meshes: hutter-fuhrmann-2007, ccd, steps\n"
    "    hutter-fuhrmann-2007     cloth in three scenes: which bounding volumes cull how much\n"
    "    ccd                      continuous collision, pair by pair and whole steps, against FCL\n"
    "  moving                     worlds through continuous time: coming-staadt-2006, frames, queues, spheres\n"
    "    coming-staadt-2006       rings through time, against all pairs and swept boxes\n"
    "    frames                   against Bullet and ODE frame by frame: time, and the contacts that they miss\n"
    "    queues                   event queues on recorded streams\n"
    "    spheres                  hard spheres: collisions a second, to 1,000,000 spheres\n"
    "  growth                     how cost and memory grow: hulls, bodies, triangles (to 10,000,000), steps\n"
    "\n"
    "  --quick                    a tenth of the work or less; --tiny: hardly any, to see that all of it runs\n"
    "  --json                     for programs\n"
    "  --html FILE                a page with the tables and plots\n"
    "  --seed N                   another seed of the random input\n"
    "  --scenes FOLDER            for ccd and steps: folders in it with two frames t0.ply and t1.ply\n"
    "\n"
    "Exit status: 0 done, 1 failed (no memory, a page that cannot be written, a wrong answer), 2 usage. The other\n"
    "libraries take part where they were found when tact-bench was built; `make bench` installs them.\n";

static int usage(const char *problem, const char *word)
{
    (void)fprintf(stderr, "tact-bench: %s %s. Try: tact-bench --help\n", problem, word);
    return 2;
}

static bool is_called(const bench_entry *e, const char *word)
{
    bool called = strcmp(e->name, word) == 0;
    for (size_t g = 0; g < sizeof e->groups / sizeof e->groups[0]; g++)
        called = called || (e->groups[g] && strcmp(e->groups[g], word) == 0);
    return called;
}

/* Marks the benchmarks that a word names; false if there is none. */
static bool choose(const char *word, bool wanted[ENTRIES], suite *s)
{
    bool known = false;
    for (int k = 0; k < ENTRIES; k++) {
        bool called = is_called(&entries[k], word);
        wanted[k] = wanted[k] || called;
        known = known || called;
        s->large = s->large || (entries[k].large_by_name && strcmp(entries[k].name, word) == 0);
    }
    s->large = s->large || strcmp(word, "growth") == 0;
    return known;
}

static int finish(const suite *s, bool json, const char *page)
{
    int status = 0;
    if (page && !tact_page_write(page, s->report)) {
        (void)fprintf(stderr, "tact-bench: cannot write %s\n", page);
        status = 1;
    }
    if (json) {
        if (json_dumpf(s->report, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0)
            status = 1;
        (void)printf("\n");
    }
    return status;
}

static int bench_run(int argc, char **argv)
{
    long wrong = 0;
    suite s = {.seed = 1, .wrong = &wrong};
    bool wanted[ENTRIES] = {false}, any = false, json = false;
    const char *page = NULL;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            (void)fputs(help, stdout);
            return 0;
        } else if (strcmp(word, "--quick") == 0) {
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
        } else if (choose(word, wanted, &s)) {
            any = true;
        } else {
            return usage("there is no benchmark", word);
        }
    }
    s.silent = json;
    if (json || page) {
        s.report = json_pack("{ss}", "program", "tact-bench");
        if (!s.report) {
            (void)fprintf(stderr, "tact-bench: out of memory\n");
            return 1;
        }
    }
    int status = 0;
    for (int k = 0; status == 0 && k < ENTRIES; k++) {
        if (any && !wanted[k])
            continue;
        if (!entries[k].run(&s)) {
            (void)fprintf(stderr, "tact-bench: %s: out of memory\n", entries[k].name);
            status = 1;
        }
        (void)fflush(stdout);
    }
    if (status == 0 && s.report)
        status = finish(&s, json, page);
    if (status == 0 && wrong > 0) {
        (void)fprintf(stderr, "tact-bench: %ld answers of Tact's, or of those who judge them, are wrong\n", wrong);
        status = 1;
    }
    json_decref(s.report);
    return status;
}

int main(int argc, char **argv)
{
    errno = 0;
    int status = bench_run(argc, argv);
    /* What was printed may still be in a buffer, and the disk may be full. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fprintf(stderr, "tact-bench: standard output cannot be written: %s\n",
                      errno ? strerror(errno) : "it failed");
        return 1;
    }
    return status;
}
