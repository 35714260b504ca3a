/*
 * The command: reads a scene, takes its world through time up to the end, and tells every touch as it happens: in a
 * table for people, or one JSON object a line; then, for people, what it was in all. Only on a terminal, where there is
 * a bar to be moved, is the time cut into pieces; the events do not depend on that.
 */
/* POSIX, for stat. */
#define _POSIX_C_SOURCE 200809L

#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "help.h"
#include "pair_count.h"
#include "progress.h"
#include "scene.h"

/* Pieces of time that the bar moves by. */
#define PIECES 1000

/* Columns of the table: a name takes as many as the longest one needs, within these. */
#define NAME_LEAST 4
#define NAME_MOST 24

/* Pairs that the summary tells. */
#define PAIRS_TOLD 5

typedef struct run_options {
    const char *path;
    const char *out;          /* the file for the events; NULL: standard output */
    const char *end;          /* as on the command line; NULL: as the scene says */
    double end_time;          /* likewise */
    unsigned long long limit; /* events in the table */
    bool json;
} run_options;

typedef struct run {
    const run_options *options;
    const char *name; /* of the scene */
    scene scene;
    FILE *out;    /* events go here */
    bool table;   /* as a table */
    int width[2]; /* of the names in it */
    unsigned long long touches;
    double first, last; /* their times */
    pair_counts pairs;
    bool counted; /* all pairs were */
    double read_seconds, run_seconds;
} run;

/* ---- reading ---- */

static char *text_read(FILE *in, size_t *length)
{
    size_t room = 1 << 16, used = 0;
    char *text = malloc(room + 1);
    while (text) {
        used += fread(text + used, 1, room - used, in);
        if (used < room)
            break;
        char *more = realloc(text, 2 * room + 1);
        if (!more)
            free(text);
        text = more;
        room *= 2;
    }
    if (text)
        text[used] = '\0';
    *length = used;
    return text;
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    const size_t length = slash > path ? (size_t)(slash - path) : 1;
    char *folder = malloc(length + 1);
    if (folder) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return folder;
}

static bool scene_load(run *r)
{
    const double start = tact_clock_seconds();
    const bool given = strcmp(r->options->path, "-") != 0;
    errno = 0;
    FILE *in = given ? fopen(r->options->path, "r") : stdin;
    size_t length = 0;
    if (!in) {
        (void)fprintf(stderr, "%s: cannot be opened: %s\n", r->name, strerror(errno));
        return false;
    }
    errno = 0;
    char *text = text_read(in, &length);
    const bool bad = ferror(in) != 0;
    const int error = errno;
    if (given)
        (void)fclose(in);
    if (!text || bad) {
        (void)fprintf(stderr, "%s: cannot be read: %s\n", r->name, strerror(text && error ? error : ENOMEM));
        free(text);
        return false;
    }
    tact_complaint complaint;
    char *folder = given ? folder_of(r->options->path) : NULL;
    const bool good = tact_scene_read(text, length, folder, &r->scene, &complaint);
    free(folder);
    free(text);
    if (!good && complaint.line > 0)
        (void)fprintf(stderr, "%s:%zu: %s\n", r->name, complaint.line, complaint.text);
    else if (!good)
        (void)fprintf(stderr, "%s: %s\n", r->name, complaint.text);
    if (good && r->options->end)
        r->scene.end = r->options->end_time;
    r->read_seconds = tact_clock_seconds() - start;
    return good;
}

/* ---- telling ---- */

/* Columns that a text of UTF-8 takes, if every character takes one. */
static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* A name in the table: without control characters, cut to what fits, and blanks up to the width. */
static void name_print(const char *name, int width, FILE *out)
{
    const int columns = columns_of(name);
    int printed = 0;
    for (const char *c = name; *c; c++) {
        printed += ((unsigned char)*c & 0xC0) != 0x80;
        if (printed > NAME_MOST || (printed == NAME_MOST && columns > NAME_MOST)) {
            (void)fputs("\xe2\x80\xa6", out); /* an ellipsis */
            break;
        }
        (void)fputc((unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c, out);
    }
    if (width > columns)
        (void)fprintf(out, "%*s", width - columns, "");
}

static double tidy(double x) { return x == 0.0 ? 0.0 : x; } /* -0 is 0 to a reader */

static void touch_print_json(const tact_event *e, FILE *out)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    (void)fprintf(out,
                  "{\"t\":%.17g,\"kind\":\"touch\",\"a\":%s,\"b\":%s,\"point\":[%.17g,%.17g,%.17g],"
                  "\"normal\":[%.17g,%.17g,%.17g]}\n",
                  tidy(e->time), a->quoted, b->quoted, tidy(e->point.x), tidy(e->point.y), tidy(e->point.z),
                  tidy(e->normal.x), tidy(e->normal.y), tidy(e->normal.z));
}

static void head_print(run *r)
{
    int *width = r->width;
    for (size_t i = 0; i < r->scene.count; i++) {
        const int columns = columns_of(r->scene.bodies[i].name);
        width[0] = columns > width[0] ? columns : width[0];
    }
    width[0] = width[0] < NAME_LEAST ? NAME_LEAST : width[0] > NAME_MOST ? NAME_MOST : width[0];
    width[1] = width[0];
    (void)fprintf(r->out, "%16s  %-*s  %-*s  %-33s normal\n", "time", width[0], "a", width[1], "b", "point");
}

static void touch_print(const run *r, const tact_event *e)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    (void)fprintf(r->out, "%16.9f  ", tidy(e->time));
    name_print(a->name, r->width[0], r->out);
    (void)fputs("  ", r->out);
    name_print(b->name, r->width[1], r->out);
    (void)fprintf(r->out, "  %10.4g %10.4g %10.4g  %6.3f %6.3f %6.3f\n", tidy(e->point.x), tidy(e->point.y),
                  tidy(e->point.z), tidy(e->normal.x), tidy(e->normal.y), tidy(e->normal.z));
}

static void touch_tell(run *r, const tact_event *e)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    if (!r->table)
        touch_print_json(e, r->out);
    else if (r->touches < r->options->limit)
        touch_print(r, e);
    if (r->touches++ == 0)
        r->first = e->time;
    r->last = e->time;
    if (r->counted)
        r->counted = tact_pair_counts_add(&r->pairs, (uint32_t)(a - r->scene.bodies), (uint32_t)(b - r->scene.bodies));
}

static void summary_print(run *r)
{
    static const char *const words[] = {"passing through each other", "bouncing elastically", "bouncing inelastically"};
    const scene *s = &r->scene;
    if (r->table && r->touches > r->options->limit)
        (void)printf("%16s  (%llu more: --limit lists them)\n", "...", r->touches - r->options->limit);
    if (r->table)
        (void)printf("\n");
    (void)printf("%s: %zu bod%s, %s, to t = %g\n", r->name, s->count, s->count == 1 ? "y" : "ies", words[s->response],
                 s->end);
    if (r->touches == 0)
        (void)printf("  nothing touches\n");
    else if (r->touches == 1)
        (void)printf("  1 touch, at t = %.9g\n", r->first);
    else
        (void)printf("  %llu touches, the first at t = %.9g, the last at t = %.9g\n", r->touches, r->first, r->last);
    if (r->counted && r->touches > 1) {
        tact_pair_counts_sort(&r->pairs);
        (void)printf("  %zu pair%s", r->pairs.count, r->pairs.count == 1 ? ": " : "s, most often ");
        for (size_t i = 0; i < r->pairs.count && i < PAIRS_TOLD; i++) {
            const pair_count *p = &r->pairs.items[i];
            (void)fputs(i > 0 ? "; " : "", stdout);
            name_print(s->bodies[p->a].name, 0, stdout);
            (void)fputs(" and ", stdout);
            name_print(s->bodies[p->b].name, 0, stdout);
            (void)printf(" (%llu)", p->count);
        }
        (void)printf("\n");
    }
    (void)printf("  read in %.1f ms, run in %.1f ms\n", 1e3 * r->read_seconds, 1e3 * r->run_seconds);
}

static void summary_print_json(const run *r)
{
    (void)printf("{\"bodies\":%zu,\"end\":%.17g,\"touches\":%llu,\"seconds\":{\"read\":%.6g,\"run\":%.6g}}\n",
                 r->scene.count, r->scene.end, r->touches, r->read_seconds, r->run_seconds);
}

/* ---- running ---- */

static bool world_fail(const run *r, tact_status status)
{
    (void)fprintf(stderr, "%s: at t = %.17g: %s\n", r->name, tact_world_get_time(r->scene.world),
                  tact_status_text(status));
    return false;
}

/* All events up to `until`. */
static bool events_until(run *r, double until, progress *bar)
{
    for (tact_event e; tact_world_next_event(r->scene.world, until, &e) == TACT_EVENT_TOUCH || e.status != TACT_OK;) {
        if (e.kind != TACT_EVENT_TOUCH)
            return world_fail(r, e.status);
        touch_tell(r, &e);
        const tact_status status = tact_scene_respond(&r->scene, &e);
        if (status != TACT_OK)
            return world_fail(r, status);
        if (ferror(r->out))
            return true; /* said when all is done */
        tact_progress_to(bar, e.time);
    }
    tact_progress_to(bar, until);
    return true;
}

static bool scene_run(run *r)
{
    const double start = tact_clock_seconds();
    progress bar = tact_progress_begin(r->scene.end);
    tact_progress_say(&bar, "running", r->name);
    if (r->table)
        head_print(r);
    bool good = true;
    const int pieces = bar.wanted ? PIECES : 1;
    for (int i = 1; i <= pieces && good; i++)
        good = events_until(r, i < pieces ? r->scene.end * i / pieces : r->scene.end, &bar);
    tact_progress_end(&bar);
    r->run_seconds = tact_clock_seconds() - start;
    return good;
}

static bool out_close(FILE *file, const char *path)
{
    const bool bad = ferror(file) != 0;
    errno = 0;
    if (fclose(file) == 0 && !bad)
        return true;
    (void)fprintf(stderr, "%s: cannot be written: %s\n", path, errno ? strerror(errno) : "it failed");
    return false;
}

static int run_all(const run_options *options)
{
    run r = {.options = options, .name = strcmp(options->path, "-") == 0 ? "stdin" : options->path, .counted = true};
    bool good = scene_load(&r);
    r.out = stdout;
    r.table = !options->json && !options->out;
    if (good && options->out && !(r.out = fopen(options->out, "w"))) {
        (void)fprintf(stderr, "%s: cannot be opened: %s\n", options->out, strerror(errno));
        good = false;
        r.out = stdout;
    }
    if (good)
        good = scene_run(&r);
    if (r.out != stdout && !out_close(r.out, options->out))
        good = false;
    if (good && !options->json)
        summary_print(&r);
    else if (good && options->out)
        summary_print_json(&r);
    tact_pair_counts_release(&r.pairs);
    tact_scene_release(&r.scene);
    return good ? 0 : 1;
}

/* ---- the command line ---- */

static bool count_parse(const char *text, unsigned long long *count)
{
    char *end;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
}

static bool time_parse(const char *text, double *time)
{
    char *end;
    *time = strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && isfinite(*time) && *time >= 0.0;
}

/* The same file, whatever they are called? */
static bool is_same_file(const char *a, const char *b)
{
    struct stat about_a, about_b;
    return strcmp(a, b) == 0 || (stat(a, &about_a) == 0 && stat(b, &about_b) == 0 && about_a.st_dev == about_b.st_dev &&
                                 about_a.st_ino == about_b.st_ino);
}

int tact_run_command(int argc, char **argv)
{
    run_options options = {.limit = ~0ULL};
    bool only_files = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (only_files || word[0] != '-' || word[1] == '\0') {
            if (options.path)
                return tact_help_usage("run", "tact run takes one scene, not both %s and %s", options.path, word);
            options.path = word;
        } else if (strcmp(word, "--") == 0) {
            only_files = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return tact_help_command("run");
        } else if (strcmp(word, "--json") == 0) {
            options.json = true;
        } else if (strcmp(word, "--out") == 0) {
            if (!value || value[0] == '\0')
                return tact_help_usage("run", "--out needs the name of a file to write");
            options.out = argv[++i];
        } else if (strcmp(word, "--limit") == 0) {
            if (!value || !count_parse(value, &options.limit))
                return tact_help_usage("run", "--limit needs a number of events");
            i++;
        } else if (strcmp(word, "--end") == 0) {
            if (!value || !time_parse(value, &options.end_time))
                return tact_help_usage("run", "--end needs a time, not negative");
            options.end = argv[++i];
        } else {
            return tact_help_usage("run", "tact run has no option %s", word);
        }
    }
    if (!options.path)
        return tact_help_usage("run", "which scene? tact run SCENE.json, or - for standard input");
    if (options.out && strcmp(options.path, "-") != 0 && is_same_file(options.out, options.path))
        return tact_help_usage("run", "--out %s would write over the scene", options.out);
    return run_all(&options);
}
