/*
 * The command: reads a scene, advances its world to the end, and prints every event as it happens: in a table, or one
 * JSON object a line. The table is followed by a summary. The time is divided at the samples of --states, and on a
 * terminal into steps, to update the progress bar; the events do not depend on it.
 */
#include "run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/record.h>

#include "command_line.h"
#include "error_line.h"
#include "help.h"
#include "output_file.h"
#include "progress_bar.h"
#include "run_capture.h"
#include "run_report.h"
#include "scene.h"
#include "states_file.h"

/* Time steps between updates of the progress bar, for the whole run: a multiple of CAPTURE_SAMPLES. */
#define PROGRESS_STEPS 1000

/* Samples of --states at most: a file of more lines is a mistake in the interval. */
#define MAX_SAMPLES 1e9

/* Units of work without an event: minutes, where a pour of 1,000 bodies takes up to a second. */
#define DEFAULT_WORK 100000000ULL

typedef struct run_options {
    const char *path;
    const char *out;    /* the file for the events; NULL: standard output */
    const char *states; /* the file for sampled states; NULL: none */
    run_paths run;      /* the run, and the page that shows it */
    const char *record; /* the file for the record of all calls */
    double every;       /* interval of the samples; 0: not given */
    bool has_end;       /* --end overrides the end of the scene */
    double end;
    unsigned long long limit; /* of events in the table */
    unsigned long long work;  /* until the next event; 0: no limit */
    bool json;
} run_options;

typedef struct run_state {
    const run_options *options;
    const char *name; /* of the scene file, for messages */
    scene scene;
    run_report report;
    output_file out, states; /* closed if not asked for */
    output_file recorded;
    tact_record *record; /* NULL: nothing is recorded */
    double samples;      /* written so far */
    run_capture capture;
    bool captures; /* the capture is open */
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
        (void)tact_error_line("%s: cannot be opened: %s", r->name, strerror(errno));
        return false;
    }
    errno = 0;
    char *text = text_read(in, &length);
    const bool bad = ferror(in) != 0;
    const int code = errno;
    if (is_file)
        (void)fclose(in);
    if (!text || bad) {
        (void)tact_error_line("%s: cannot be read: %s", r->name, strerror(text && code ? code : ENOMEM));
        free(text);
        return false;
    }
    tact_input_error error;
    char *folder = is_file ? tact_path_folder(r->options->path) : NULL;
    const bool good = tact_scene_read(text, length, folder, &r->scene, &error);
    free(folder);
    free(text);
    if (!good && error.line > 0)
        (void)tact_error_line("%s:%zu: %s", r->name, error.line, error.text);
    else if (!good)
        (void)tact_error_line("%s: %s", r->name, error.text);
    if (good && r->options->has_end)
        r->scene.end = r->options->end;
    r->read_seconds = tact_clock_now() - start;
    return good;
}

/* ---- output ---- */

static void summary_print(run_state *r)
{
    tact_run_report_summary(&r->report);
    if (r->options->states)
        (void)printf("  %.0f state%s in %s\n", r->samples, r->samples == 1.0 ? "" : "s", r->options->states);
    if (r->options->run.save)
        (void)printf("  run in %s\n", r->options->run.save);
    if (r->options->run.view)
        (void)printf("  page in %s\n", r->options->run.view);
    if (r->options->record)
        (void)printf("  record in %s\n", r->options->record);
    (void)printf("  read in %.1f ms, run in %.1f ms\n", 1e3 * r->read_seconds, 1e3 * r->run_seconds);
}

static void summary_print_json(const run_state *r)
{
    (void)printf("{\"bodies\":%zu,\"end\":%.17g", r->scene.count, r->scene.end);
    tact_run_report_counts_json(&r->report);
    (void)printf(",\"seconds\":{\"read\":%.6g,\"run\":%.6g}}\n", r->read_seconds, r->run_seconds);
}

/* ---- running ---- */

static double length_of(tact_vec3 v) { return hypot(hypot(v.x, v.y), v.z); }

/* The body whose points move or are accelerated most; NULL: no body moves. */
static const scene_body *wildest_body(const scene *s)
{
    const scene_body *wildest = NULL;
    double most = 0.0;
    for (size_t i = 0; i < s->count; i++) {
        const tact_motion m = tact_body_get_motion(s->world, s->bodies[i].body);
        const double wild = fmax(length_of(m.velocity), fmax(length_of(m.acceleration), pow(length_of(m.spin), 2.0)));
        if (wild > most) {
            most = wild;
            wildest = &s->bodies[i];
        }
    }
    return wildest;
}

static bool world_fail(const run_state *r, tact_status status)
{
    const scene_body *wildest = status == TACT_BAD_ARGUMENT ? wildest_body(&r->scene) : NULL;
    if (wildest)
        return tact_error_line(
            "%s: at t = %.17g: coordinates or accelerations on a path exceed 1e150; body %s moves or "
            "spins most",
            r->name, tact_world_get_time(r->scene.world), wildest->json_name);
    if (status == TACT_CANCELLED)
        return tact_error_line(
            "%s: at t = %.17g: %llu units of work without an event: a body may move or spin too fast. "
            "--work N raises the limit, 0 removes it",
            r->name, tact_world_get_time(r->scene.world), r->options->work);
    (void)tact_error_line("%s: at t = %.17g: %s", r->name, tact_world_get_time(r->scene.world),
                          tact_status_text(status));
    return false;
}

/* Reports all events up to `until`, and resolves touches. */
static bool events_until(run_state *r, double until, progress_bar *bar)
{
    for (tact_event e; tact_world_next_event(r->scene.world, until, &e) != TACT_EVENT_NONE || e.status != TACT_OK;) {
        if (e.kind == TACT_EVENT_NONE)
            return world_fail(r, e.status);
        tact_run_report_event(&r->report, &e);
        if (r->captures)
            tact_capture_event(&r->capture, &e);
        const tact_status status =
            e.kind == TACT_EVENT_TOUCH ? tact_scene_respond(r->scene.world, r->scene.response, &e) : TACT_OK;
        if (status != TACT_OK)
            return world_fail(r, status);
        if (ferror(r->report.out))
            return true; /* reported at the end */
        tact_progress_set(bar, e.time);
    }
    tact_progress_set(bar, until);
    return true;
}

/* Advances to `until`, and writes the samples up to this time. */
static bool advance_until(run_state *r, double until, progress_bar *bar)
{
    const double end = r->scene.end;
    while (r->states.file && (r->samples == 0.0 || tact_sample_time(r->samples - 1.0, r->options->every, end) < end)) {
        const double time = tact_sample_time(r->samples, r->options->every, end);
        if (time > until)
            break;
        if (!events_until(r, time, bar))
            return false;
        if (ferror(r->report.out) || ferror(r->states.file))
            return true; /* reported at the end */
        tact_states_write(r->states.file, &r->scene);
        r->samples += 1.0;
    }
    return events_until(r, until, bar);
}

static bool scene_run(run_state *r)
{
    const double start = tact_clock_now();
    progress_bar bar = tact_progress_begin(r->scene.end);
    tact_progress_label(&bar, "running", r->name);
    tact_run_report_begin(&r->report);
    bool good = tact_world_set_progress(r->scene.world, (tact_progress){.work_limit = r->options->work}) == TACT_OK;
    const int steps = bar.enabled ? PROGRESS_STEPS : r->captures ? CAPTURE_SAMPLES : 1;
    for (int i = 1; i <= steps && good && !ferror(r->report.out); i++) {
        good = advance_until(r, i < steps ? r->scene.end * ((double)i / steps) : r->scene.end, &bar);
        if (good && r->captures && i % (steps / CAPTURE_SAMPLES) == 0)
            tact_capture_contacts(&r->capture);
    }
    tact_progress_end(&bar);
    r->run_seconds = tact_clock_now() - start;
    return good;
}

/* Opens the files of --out, --states, --save and --view. */
static bool outputs_open(run_state *r)
{
    const run_options *options = r->options;
    if (options->states && r->scene.end / options->every > MAX_SAMPLES) {
        (void)tact_error_line("%s: --every %g gives more than %g states until t = %g", r->name, options->every,
                              MAX_SAMPLES, r->scene.end);
        return false;
    }
    if (options->out && !tact_output_file_open(&r->out, options->out))
        return false;
    if (options->out)
        r->report.out = r->out.file;
    if (options->states && !tact_output_file_open(&r->states, options->states))
        return false;
    if (options->run.save || options->run.view)
        r->captures = tact_capture_open(&r->capture, &options->run, "run", r->name, &r->scene);
    return r->captures || !(options->run.save || options->run.view);
}

static bool record_fail(const run_state *r, const tact_report *report)
{
    return tact_error_line("%s: cannot be recorded: %s", r->options->record, report->text);
}

/* Begins the record of --record. */
static bool record_begin(run_state *r)
{
    tact_report report;
    if (!r->options->record)
        return true;
    if (!tact_output_file_open(&r->recorded, r->options->record))
        return false;
    r->record = tact_record_begin(r->scene.world, tact_file_sink(r->recorded.file), NULL, &report);
    return r->record || (report.status == TACT_OUT_OF_MEMORY && record_fail(r, &report)); /* else see record_end */
}

/* Ends the record. The file itself says why it cannot be written. */
static bool record_end(run_state *r, bool keep)
{
    tact_report report;
    const tact_status status = r->record ? tact_record_end(r->record, &report) : TACT_OK;
    const bool lacks_memory = keep && status == TACT_OUT_OF_MEMORY;
    if (lacks_memory)
        (void)record_fail(r, &report);
    return (!r->recorded.file || tact_output_file_close(&r->recorded, keep && !lacks_memory)) && !lacks_memory;
}

static int run_all(const run_options *options)
{
    run_state r = {.options = options, .name = strcmp(options->path, "-") == 0 ? "stdin" : options->path};
    bool good = scene_load(&r);
    r.report = (run_report){.scene = &r.scene,
                            .name = r.name,
                            .out = stdout,
                            .table = !options->json && !options->out,
                            .limit = options->limit};
    good = good && outputs_open(&r) && record_begin(&r) && scene_run(&r);
    const bool keep = good && !ferror(stdout);
    if (r.out.file && !tact_output_file_close(&r.out, keep))
        good = false;
    if (r.states.file && !tact_output_file_close(&r.states, keep && good))
        good = false;
    if (r.captures && !tact_capture_close(&r.capture, keep && good))
        good = false;
    if (!record_end(&r, keep && good))
        good = false;
    if (good && !options->json)
        summary_print(&r);
    else if (good && options->out)
        summary_print_json(&r);
    tact_run_report_release(&r.report);
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

/* The scene and the outputs must be different files. Returns 0, or 2 after reporting wrong usage. */
static int output_check(const run_options *o)
{
    const struct {
        const char *option, *path;
    } files[] = {{"the scene", o->path},  {"--out", o->out},       {"--states", o->states},
                 {"--save", o->run.save}, {"--view", o->run.view}, {"--record", o->record}};
    const size_t count = sizeof files / sizeof files[0];
    for (size_t i = 1; i < count; i++) {
        if (files[i].path && strcmp(o->path, "-") != 0 && tact_is_same_file(files[i].path, o->path))
            return tact_help_usage("run", "%s %s would overwrite the scene", files[i].option, files[i].path);
        for (size_t k = i + 1; k < count; k++)
            if (files[i].path && files[k].path && tact_is_same_file(files[i].path, files[k].path))
                return tact_help_usage("run", "%s and %s are the same file, %s", files[i].option, files[k].option,
                                       files[i].path);
    }
    return 0;
}

int tact_run_command(int argc, char **argv)
{
    run_options options = {.limit = ~0ULL, .work = DEFAULT_WORK};
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
        } else if (strcmp(word, "--states") == 0) {
            if (tact_option_output("run", "--states", value, &options.states) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--save") == 0) {
            if (tact_option_output("run", "--save", value, &options.run.save) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--view") == 0) {
            if (tact_option_output("run", "--view", value, &options.run.view) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--record") == 0) {
            if (tact_option_output("run", "--record", value, &options.record) != 0)
                return 2;
            i++;
        } else if (strcmp(word, "--every") == 0) {
            if (!value || !time_parse(value, &options.every) || options.every == 0.0)
                return tact_option_usage("run", "--every", "a positive time", value);
            i++;
        } else if (strcmp(word, "--limit") == 0) {
            if (!tact_option_count(value, ~0ULL, &options.limit))
                return tact_option_usage("run", "--limit", "a number of events", value);
            i++;
        } else if (strcmp(word, "--work") == 0) {
            if (!tact_option_count(value, ~0ULL, &options.work))
                return tact_option_usage("run", "--work", "a number of units of work", value);
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
    if (options.limit != ~0ULL && (options.json || options.out))
        return tact_help_usage("run",
                               "--limit is for the table of events: without --json and --out, which write all events");
    if (options.states && options.every == 0.0)
        return tact_help_usage("run", "--states needs the interval of the samples: --every DT");
    if (!options.states && options.every > 0.0)
        return tact_help_usage("run", "--every needs the file of the samples: --states FILE");
    return output_check(&options) != 0 ? 2 : run_all(&options);
}
