/* The program tact-bench: selects the benchmarks, runs them, and writes the figures as text, JSON or an HTML page. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "suite.h"

typedef struct bench_entry {
    const char *name;
    const char *groups[2]; /* that include it */
    bool large_by_name;    /* runs the largest sizes when selected by its own name */
    bool (*run)(const suite *s);
} bench_entry;

static const bench_entry entries[] = {
    {"icollide", {"convex"}, false, tact_bench_icollide},
    {"race", {"convex"}, false, tact_bench_race},
    {"hulls", {"convex", "growth"}, false, tact_bench_growth_hulls},
    {"bergen-1999", {"rigid"}, false, tact_bench_bergen_1999},
    {"coming-staadt-2006", {"moving"}, true, tact_bench_coming_staadt_2006},
    {"frames", {"moving"}, false, tact_bench_frames},
    {"contact", {"moving"}, true, tact_bench_contact},
    {"spheres", {"moving"}, true, tact_bench_spheres},
    {"queues", {"moving"}, true, tact_bench_queues},
    {"hutter-fuhrmann-2007", {"deformable"}, true, tact_bench_hutter_fuhrmann_2007},
    {"weller-zachmann-2006", {"deformable"}, true, tact_bench_weller_zachmann_2006},
    {"lau-2002", {"deformable"}, false, tact_bench_lau_2002},
    {"broad", {"rigid"}, false, tact_bench_broad},
    {"nurbs", {"rigid"}, false, tact_bench_nurbs},
    {"mesh", {"rigid"}, false, tact_bench_mesh},
    {"world", {"rigid"}, false, tact_bench_world},
    {"ccd", {"deformable"}, false, tact_bench_ccd},
    {"bodies", {"growth"}, false, tact_bench_growth_bodies},
    {"triangles", {"growth"}, true, tact_bench_growth_triangles},
    {"steps", {"deformable", "growth"}, true, tact_bench_growth_ccd},
    {"keyframes", {"deformable", "growth"}, true, tact_bench_growth_keyframes},
    {"plans", {"deformable"}, false, tact_bench_plans},
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };

static const char help[] =
    "tact-bench [NAME...]         measures Tact and compares it with other libraries\n"
    "\n"
    "  tact-bench                 all benchmarks (about six minutes)\n"
    "  convex                     pairs of convex shapes: icollide, race, hulls\n"
    "    icollide                 overlap tests of tumbling hulls (van den Bergen 1999, figures 4.8 to 4.10)\n"
    "    race                     distance and overlap queries, against FCL and libccd\n"
    "  rigid                      worlds, meshes and surfaces: bergen-1999, broad, mesh, nurbs, world\n"
    "    bergen-1999              van den Bergen 1999: tables 5.2 to 5.6, refitting (5.2.5), polygons (3.2)\n"
    "    broad                    the broad phase, against Bullet\n"
    "    mesh                     mesh-mesh overlap, tree build and refit, against FCL\n"
    "    nurbs                    intersection curves of NURBS surfaces, against SISL; distances, against Open "
    "CASCADE\n"
    "    world                    the tumbling hulls as bodies of a world, against FCL\n"
    "  deformable                 deforming bodies: hutter-fuhrmann-2007, lau-2002, weller-zachmann-2006, ccd, plans, "
    "steps, keyframes\n"
    "    hutter-fuhrmann-2007     three cloth scenes: how many pairs each kind of bounding volume culls\n"
    "    lau-2002                 NURBS surfaces: bounds of a fish, self-collision of a sheet\n"
    "    weller-zachmann-2006     key-framed cloth and a figure: windows, separation list, swept boxes\n"
    "    plans                    a cloth in a world whose vertex plans are replaced every step\n"
    "    ccd                      continuous collision detection: single queries and whole steps, against FCL\n"
    "  moving                     worlds in continuous time: coming-staadt-2006, contact, frames, queues, spheres\n"
    "    coming-staadt-2006       bouncing rings: kinetic broad phases against all pairs and swept boxes\n"
    "    contact                  stacks, structures and piles of rigid bodies, against Bullet\n"
    "    frames                   discrete detection in Bullet and ODE: time, and the contacts they miss\n"
    "    queues                   event queues on operations recorded from worlds\n"
    "    spheres                  hard spheres: collisions per second, up to 1,000,000 spheres\n"
    "  growth                     cost and memory against size: hulls, bodies, triangles (to 10,000,000), steps,\n"
    "                             keyframes (to 1,000,000)\n"
    "\n"
    "  --quick                    a tenth of the work or less\n"
    "  --tiny                     a smoke test: the smallest sizes\n"
    "  --json                     JSON on standard output instead of tables\n"
    "  --html FILE                also an HTML page with the tables and plots\n"
    "  --seed N                   seed of the random input (default 1)\n"
    "  --scenes FOLDER            for ccd and steps: subfolders with two frames, t0.ply and t1.ply\n"
    "\n"
    "Exit status: 0 success; 1 failure (out of memory, the page cannot be written, a wrong answer); 2 usage. The "
    "other\n"
    "libraries are included if they were found when tact-bench was built; `make bench` installs them.\n";

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

/* Marks the benchmarks that a name or group selects. False if there is none. */
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
                return usage("a file name must follow", word);
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
                return usage("--seed needs a number, not", argv[i]);
        } else if (word[0] == '-') {
            return usage("unknown option", word);
        } else if (choose(word, wanted, &s)) {
            any = true;
        } else {
            return usage("unknown benchmark", word);
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
        (void)fprintf(stderr, "tact-bench: %ld wrong answers of Tact or disputed answers of an oracle\n", wrong);
        status = 1;
    }
    json_decref(s.report);
    return status;
}

int main(int argc, char **argv)
{
    errno = 0;
    int status = bench_run(argc, argv);
    /* Output may still be buffered, and the disk may be full. */
    if (fflush(stdout) != 0 || ferror(stdout)) {
        (void)fprintf(stderr, "tact-bench: cannot write standard output: %s\n",
                      errno ? strerror(errno) : "unknown error");
        return 1;
    }
    return status;
}
