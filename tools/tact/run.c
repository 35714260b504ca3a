/*
 * The command: reads a scene, advances its world to the end, and prints every touch event as it happens: in a table, or
 * one JSON object a line. The table is followed by a summary. On a terminal the time is divided into steps, to update
 * the progress bar; the events do not depend on them.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "help.h"
#include "pair_count.h"
#include "progress_bar.h"
#include "scene.h"

/* Time steps between updates of the progress bar, for the whole run. */
#define PROGRESS_STEPS 1000

/* Columns of a name in the table: as many as the longest name needs, within these limits. */
#define NAME_MIN_WIDTH 4
#define NAME_MAX_WIDTH 24

/* Pairs that the summary lists. */
#define SUMMARY_PAIRS 5

typedef struct run_options {
    const char *path;
    const char *out; /* the file for the events; NULL: standard output */
    bool has_end;    /* --end overrides the end of the scene */
    double end;
    unsigned long long limit; /* of events in the table */
    bool json;
} run_options;

typedef struct run_state {
    const run_options *options;
    const char *name; /* of the scene file, for messages */
    scene scene;
    FILE *out;    /* for the events */
    bool table;   /* print events as a table, not as JSON */
    int width[2]; /* of the columns a and b */
    unsigned long long touches;
    double first, last; /* times of the first and the last touch */
    pair_counts pairs;
    bool pairs_complete; /* false after memory ran out */
    double read_seconds, run_seconds;
} run_state;

/* ---- reading ---- */

/* The whole file with a terminating zero, to be freed by the caller; NULL if memory runs out. */
static char *text_read(FILE *in, size_t *length)
{
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity + 1);
    while (text) {
        used += fread(text + used, 1, capacity - used, in);
        if (used < capacity)
            break;
        char *more = realloc(text, 2 * capacity + 1);
        if (!more)
            free(text);
        text = more;
        capacity *= 2;
    }
    if (text)
        text[used] = '\0';
    *length = used;
    return text;
}

static bool scene_load(run_state *r)
{
    const double start = tact_clock_now();
    const bool is_file = strcmp(r->options->path, "-") != 0;
    errno = 0;
    FILE *in = is_file ? fopen(r->options->path, "r") : stdin;
    size_t length = 0;
    if (!in) {
        (void)fprintf(stderr, "%s: cannot be opened: %s\n", r->name, strerror(errno));
        return false;
    }
    errno = 0;
    char *text = text_read(in, &length);
    const bool bad = ferror(in) != 0;
    const int code = errno;
    if (is_file)
        (void)fclose(in);
    if (!text || bad) {
        (void)fprintf(stderr, "%s: cannot be read: %s\n", r->name, strerror(text && code ? code : ENOMEM));
        free(text);
        return false;
    }
    tact_input_error error;
    char *folder = is_file ? tact_path_folder(r->options->path) : NULL;
    const bool good = tact_scene_read(text, length, folder, &r->scene, &error);
    free(folder);
    free(text);
    if (!good && error.line > 0)
        (void)fprintf(stderr, "%s:%zu: %s\n", r->name, error.line, error.text);
    else if (!good)
        (void)fprintf(stderr, "%s: %s\n", r->name, error.text);
    if (good && r->options->has_end)
        r->scene.end = r->options->end;
    r->read_seconds = tact_clock_now() - start;
    return good;
}

/* ---- output ---- */

/* The width of a UTF-8 text if every character takes one column. */
static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* Prints a name without control characters, truncated to NAME_MAX_WIDTH and padded to `width` columns. */
static void name_print(const char *name, int width, FILE *out)
{
    const int columns = columns_of(name);
    int printed = 0;
    for (const char *c = name; *c; c++) {
        printed += ((unsigned char)*c & 0xC0) != 0x80;
        if (printed > NAME_MAX_WIDTH || (printed == NAME_MAX_WIDTH && columns > NAME_MAX_WIDTH)) {
            (void)fputs("\xe2\x80\xa6", out); /* an ellipsis */
            break;
        }
        (void)fputc((unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c, out);
    }
    if (width > columns)
        (void)fprintf(out, "%*s", width - columns, "");
}

static double without_sign_of_zero(double x) { return x == 0.0 ? 0.0 : x; } /* -0 is printed as 0 */

static void touch_print_json(const tact_event *e, FILE *out)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    (void)fprintf(out,
                  "{\"t\":%.17g,\"kind\":\"touch\",\"a\":%s,\"b\":%s,\"point\":[%.17g,%.17g,%.17g],"
                  "\"normal\":[%.17g,%.17g,%.17g]}\n",
                  without_sign_of_zero(e->time), a->json_name, b->json_name, without_sign_of_zero(e->point.x),
                  without_sign_of_zero(e->point.y), without_sign_of_zero(e->point.z), without_sign_of_zero(e->normal.x),
                  without_sign_of_zero(e->normal.y), without_sign_of_zero(e->normal.z));
}

static void table_head_print(run_state *r)
{
    int *width = r->width;
    for (size_t i = 0; i < r->scene.count; i++) {
        const int columns = columns_of(r->scene.bodies[i].name);
        width[0] = columns > width[0] ? columns : width[0];
    }
    width[0] = width[0] < NAME_MIN_WIDTH ? NAME_MIN_WIDTH : width[0] > NAME_MAX_WIDTH ? NAME_MAX_WIDTH : width[0];
    width[1] = width[0];
    (void)fprintf(r->out, "%16s  %-*s  %-*s  %-33s normal\n", "time", width[0], "a", width[1], "b", "point");
}

static void touch_print(const run_state *r, const tact_event *e)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    (void)fprintf(r->out, "%16.9f  ", without_sign_of_zero(e->time));
    name_print(a->name, r->width[0], r->out);
    (void)fputs("  ", r->out);
    name_print(b->name, r->width[1], r->out);
    (void)fprintf(r->out, "  %10.4g %10.4g %10.4g  %6.3f %6.3f %6.3f\n", without_sign_of_zero(e->point.x),
                  without_sign_of_zero(e->point.y), without_sign_of_zero(e->point.z), without_sign_of_zero(e->normal.x),
                  without_sign_of_zero(e->normal.y), without_sign_of_zero(e->normal.z));
}

static void touch_report(run_state *r, const tact_event *e)
{
    const scene_body *a = e->user_a, *b = e->user_b;
    if (!r->table)
        touch_print_json(e, r->out);
    else if (r->touches < r->options->limit)
        touch_print(r, e);
    if (r->touches++ == 0)
        r->first = e->time;
    r->last = e->time;
    if (r->pairs_complete)
        r->pairs_complete =
            tact_pair_counts_add(&r->pairs, (uint32_t)(a - r->scene.bodies), (uint32_t)(b - r->scene.bodies));
}

static void summary_print(run_state *r)
{
    static const char *const responses[] = {"none", "elastic", "inelastic"};
    const scene *s = &r->scene;
    if (r->table && r->touches > r->options->limit)
        (void)printf("%16s  (%llu more; raise --limit to list them)\n", "...", r->touches - r->options->limit);
    if (r->table)
        (void)printf("\n");
    (void)printf("%s: %zu bod%s, response %s, end at t = %g\n", r->name, s->count, s->count == 1 ? "y" : "ies",
                 responses[s->response], s->end);
    if (r->touches == 0)
        (void)printf("  no touches\n");
    else if (r->touches == 1)
        (void)printf("  1 touch, at t = %.9g\n", r->first);
    else
        (void)printf("  %llu touches, first at t = %.9g, last at t = %.9g\n", r->touches, r->first, r->last);
    if (r->pairs_complete && r->touches > 1) {
        tact_pair_counts_sort(&r->pairs);
        (void)printf("  %zu pair%s", r->pairs.count, r->pairs.count == 1 ? ": " : "s, most frequent: ");
        for (size_t i = 0; i < r->pairs.count && i < SUMMARY_PAIRS; i++) {
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

static void summary_print_json(const run_state *r)
{
    (void)printf("{\"bodies\":%zu,\"end\":%.17g,\"touches\":%llu,\"seconds\":{\"read\":%.6g,\"run\":%.6g}}\n",
                 r->scene.count, r->scene.end, r->touches, r->read_seconds, r->run_seconds);
}

/* ---- running ---- */

static bool world_fail(const run_state *r, tact_status status)
{
    (void)fprintf(stderr, "%s: at t = %.17g: %s\n", r->name, tact_world_get_time(r->scene.world),
                  tact_status_text(status));
    return false;
}

/* Reports and resolves all events up to `until`. */
static bool events_until(run_state *r, double until, progress_bar *bar)
{
    for (tact_event e; tact_world_next_event(r->scene.world, until, &e) == TACT_EVENT_TOUCH || e.status != TACT_OK;) {
        if (e.kind != TACT_EVENT_TOUCH)
            return world_fail(r, e.status);
        touch_report(r, &e);
        const tact_status status = tact_scene_respond(&r->scene, &e);
        if (status != TACT_OK)
            return world_fail(r, status);
        if (ferror(r->out))
            return true; /* reported at the end */
        tact_progress_set(bar, e.time);
    }
    tact_progress_set(bar, until);
    return true;
}

static bool scene_run(run_state *r)
{
    const double start = tact_clock_now();
    progress_bar bar = tact_progress_begin(r->scene.end);
    tact_progress_label(&bar, "running", r->name);
    if (r->table)
        table_head_print(r);
    bool good = true;
    const int steps = bar.enabled ? PROGRESS_STEPS : 1;
    for (int i = 1; i <= steps && good; i++)
        good = events_until(r, i < steps ? r->scene.end * i / steps : r->scene.end, &bar);
    tact_progress_end(&bar);
    r->run_seconds = tact_clock_now() - start;
    return good;
}

static bool out_close(FILE *file, const char *path)
{
    const bool bad = ferror(file) != 0;
    errno = 0;
    if (fclose(file) == 0 && !bad)
        return true;
    (void)fprintf(stderr, "%s: cannot be written: %s\n", path, errno ? strerror(errno) : "unknown error");
    return false;
}

static int run_all(const run_options *options)
{
    run_state r = {
        .options = options, .name = strcmp(options->path, "-") == 0 ? "stdin" : options->path, .pairs_complete = true};
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

static bool time_parse(const char *text, double *time)
{
    char *end;
    *time = strtod(text, &end);
    return text[0] != '\0' && *end == '\0' && isfinite(*time) && *time >= 0.0;
}

int tact_run_command(int argc, char **argv)
{
    run_options options = {.limit = ~0ULL};
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            if (options.path)
                return tact_help_usage("run", "there must be one scene, not both %s and %s", options.path, word);
            options.path = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return tact_help_command("run");
        } else if (strcmp(word, "--json") == 0) {
            options.json = true;
        } else if (strcmp(word, "--out") == 0) {
            if (tact_option_output("run", "--out", value, &options.out) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--limit") == 0) {
            if (!tact_option_count(value, ~0ULL, &options.limit))
                return tact_option_usage("run", "--limit", "a number of events", value);
            i++;
        } else if (strcmp(word, "--end") == 0) {
            if (!value || !time_parse(value, &options.end))
                return tact_option_usage("run", "--end", "a time that is not negative", value);
            options.has_end = true;
            i++;
        } else {
            return tact_help_usage("run", "there is no option %s", word);
        }
    }
    if (!options.path)
        return tact_help_usage("run", "a scene is missing: tact run SCENE.json, or - for standard input");
    if (options.out && strcmp(options.path, "-") != 0 && tact_is_same_file(options.out, options.path))
        return tact_help_usage("run", "--out %s would overwrite the scene", options.out);
    return run_all(&options);
}
