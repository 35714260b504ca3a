/*
 * The command. The record is replayed twice: first to learn how it ends, and how many bodies it creates, then for the
 * output. Bodies have no names in a record: they are numbered in the order in which they appear.
 */
#include "replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/record.h>

#include "command_line.h"
#include "error_line.h"
#include "help.h"
#include "progress_bar.h"
#include "run_capture.h"
#include "run_report.h"

typedef struct replay_options {
    const char *path;
    run_paths run;
    unsigned long long limit; /* of events in the table */
    bool json;
} replay_options;

typedef struct replay_run {
    const replay_options *options;
    tact_bytes bytes;
    tact_replay *replay;
    tact_replay_state state;
    tact_report report;
    scene scene;       /* with the bodies that have appeared; in the second pass */
    size_t body_total; /* of the first pass */
    double end;
    uint64_t calls;
    unsigned long long contacts; /* of tests */
    uint32_t *numbers;           /* by the index of a body */
    uint32_t *generations;       /* of the body with this number, by index; 0: none */
    size_t capacity;             /* of both */
    run_report table;
    run_capture capture;
    double samples; /* of persistent contacts, so far */
    bool captures, second;
} replay_run;

static bool fail(const replay_run *r, const char *reason)
{
    return tact_error_line("%s: %s", r->options->path, reason);
}

/* ---- bodies ---- */

/* Makes room for a body of this index. */
static bool numbers_reserve(replay_run *r, size_t index)
{
    if (index < r->capacity)
        return true;
    const size_t capacity = 2 * index + 64;
    uint32_t *numbers = realloc(r->numbers, capacity * sizeof *numbers);
    r->numbers = numbers ? numbers : r->numbers;
    uint32_t *generations = numbers ? realloc(r->generations, capacity * sizeof *generations) : NULL;
    if (!generations)
        return fail(r, "out of memory");
    r->generations = generations;
    memset(generations + r->capacity, 0, (capacity - r->capacity) * sizeof *generations);
    r->capacity = capacity;
    r->capture.numbers = r->numbers;
    return true;
}

/* Gives a body its number, and in the second pass its name. */
static bool body_add(replay_run *r, tact_body handle)
{
    char text[24];
    const size_t number = r->second ? r->scene.count : r->body_total;
    r->numbers[handle.index] = (uint32_t)number;
    r->generations[handle.index] = handle.generation;
    if (!r->second) {
        r->body_total++;
        return true;
    }
    scene_body *body = &r->scene.bodies[r->scene.count++];
    (void)snprintf(text, sizeof text, "\"%zu\"", number);
    body->body = handle;
    body->json_name = malloc(strlen(text) + 1);
    body->name = malloc(strlen(text) + 1);
    if (!body->json_name || !body->name)
        return fail(r, "out of memory");
    memcpy(body->json_name, text, strlen(text) + 1);
    (void)snprintf(body->name, strlen(text) + 1, "%zu", number);
    if (r->captures)
        tact_capture_body(&r->capture, body);
    return true;
}

/* Finds the bodies that are new. */
static bool bodies_update(replay_run *r)
{
    const tact_world *world = tact_replay_get_world(r->replay);
    tact_body b = {0, 0};
    if (!world)
        return true;
    while ((b = tact_world_next_body(world, b)).generation != 0)
        if (!numbers_reserve(r, b.index) || (r->generations[b.index] != b.generation && !body_add(r, b)))
            return false;
    return true;
}

/* ---- passes ---- */

static void contact_count(void *context, const tact_contact *contact)
{
    (void)contact;
    ++*(unsigned long long *)context;
}

static bool pass_begin(replay_run *r)
{
    const tact_record_def def = {.contact_callback = contact_count, .contact_context = &r->contacts};
    r->replay = tact_replay_begin(r->bytes.data, r->bytes.size, &def, &r->report);
    r->contacts = 0;
    if (r->capacity > 0)
        memset(r->generations, 0, r->capacity * sizeof *r->generations);
    return r->replay ? bodies_update(r) : fail(r, r->report.text);
}

static void event_output(replay_run *r, tact_event *event)
{
    const tact_body handles[2] = {event->a, event->b};
    void **const users[2] = {&event->user_a, &event->user_b};
    for (int k = 0; k < 2; k++) {
        const uint32_t index = handles[k].index;
        *users[k] = handles[k].generation != 0 && index < r->capacity ? &r->scene.bodies[r->numbers[index]] : NULL;
    }
    if (r->captures)
        tact_capture_event(&r->capture, event);
    tact_run_report_event(&r->table, event);
}

/* Makes all calls. */
static bool pass_run(replay_run *r)
{
    tact_event event;
    while ((r->state = tact_replay_step(r->replay, &r->report)) == TACT_REPLAY_CALL) {
        const tact_world *world = tact_replay_get_world(r->replay);
        r->end = world ? fmax(r->end, tact_world_get_time(world)) : r->end;
        if (strncmp(tact_replay_get_call(r->replay), "tact_body_create", 16) == 0 && !bodies_update(r))
            return false;
        if (r->second && tact_replay_get_event(r->replay, &event))
            event_output(r, &event);
        if (!world)
            r->scene.world = NULL; /* a recorded call has released it */
        else if (r->captures && tact_world_get_time(world) >= r->end * (r->samples + 1.0) / CAPTURE_SAMPLES) {
            r->samples = floor(CAPTURE_SAMPLES * tact_world_get_time(world) / r->end);
            tact_capture_contacts(&r->capture);
        }
    }
    r->calls = tact_replay_get_call_count(r->replay);
    return true;
}

static bool first_pass(replay_run *r)
{
    const bool good = pass_begin(r) && pass_run(r);
    tact_replay_release(r->replay);
    r->replay = NULL;
    if (!good)
        return false;
    r->scene.bodies = calloc(r->body_total + 1, sizeof *r->scene.bodies);
    return r->scene.bodies || fail(r, "out of memory");
}

static bool second_pass(replay_run *r)
{
    r->second = true;
    if (!pass_begin(r))
        return false;
    r->scene.world = (tact_world *)(uintptr_t)tact_replay_get_world(r->replay); /* it is only observed */
    r->scene.end = r->end;
    if (r->options->run.save || r->options->run.view) {
        r->captures = tact_capture_open(&r->capture, &r->options->run, "replay", r->options->path, &r->scene);
        if (!r->captures)
            return false;
        r->capture.numbers = r->numbers;
    }
    tact_run_report_begin(&r->table);
    return pass_run(r);
}

static void summary_print(const replay_run *r)
{
    if (r->table.events > r->options->limit)
        (void)printf("%16s  (%llu more; raise --limit to list them)\n", "...", r->table.events - r->options->limit);
    (void)printf("\n%s: %zu bod%s, %llu call%s until t = %g, all results as recorded\n", r->options->path,
                 r->body_total, r->body_total == 1 ? "y" : "ies", (unsigned long long)r->calls,
                 r->calls == 1 ? "" : "s", r->end);
    (void)printf("  %llu event%s", r->table.events, r->table.events == 1 ? "" : "s");
    if (r->contacts > 0)
        (void)printf(", %llu contact%s in tests", r->contacts, r->contacts == 1 ? "" : "s");
    (void)printf("\n");
    if (r->options->run.save)
        (void)printf("  run in %s\n", r->options->run.save);
    if (r->options->run.view)
        (void)printf("  page in %s\n", r->options->run.view);
}

static int replay_file(const replay_options *options)
{
    replay_run r = {.options = options};
    r.table = (run_report){
        .scene = &r.scene, .name = options->path, .out = stdout, .table = !options->json, .limit = options->limit};
    bool good = tact_bytes_load(&r.bytes, options->path, &r.report) == TACT_OK || tact_error_line("%s", r.report.text);
    good = good && first_pass(&r) && second_pass(&r);
    if (good && r.state != TACT_REPLAY_END)
        good = fail(&r, r.report.text);
    if (r.captures)
        good = tact_capture_close(&r.capture, good) && good;
    if (good && !options->json)
        summary_print(&r);
    tact_replay_release(r.replay);
    for (size_t i = 0; i < r.scene.count; i++)
        tact_scene_body_release(&r.scene.bodies[i]);
    free(r.scene.bodies);
    free(r.numbers);
    free(r.generations);
    tact_run_report_release(&r.table);
    tact_bytes_release(&r.bytes);
    return good ? 0 : 1;
}

int tact_replay_command(int argc, char **argv)
{
    replay_options options = {.limit = ~0ULL};
    bool options_ended = false;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            if (options.path)
                return tact_help_usage("replay", "there must be one record, not both %s and %s", options.path, word);
            options.path = word;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            return tact_help_command("replay");
        } else if (strcmp(word, "--json") == 0) {
            options.json = true;
        } else if (strcmp(word, "--limit") == 0) {
            if (!tact_option_count(value, ~0ULL, &options.limit))
                return tact_option_usage("replay", "--limit", "a number of events", value);
            i++;
        } else if (strcmp(word, "--save") == 0 || strcmp(word, "--view") == 0) {
            if (tact_option_output("replay", word, value, word[2] == 's' ? &options.run.save : &options.run.view) != 0)
                return 2;
            i++;
        } else {
            return tact_help_usage("replay", "there is no option %s", word);
        }
    }
    if (!options.path)
        return tact_help_usage("replay", "a record is missing: tact run --record FILE writes one");
    if (options.limit != ~0ULL && options.json)
        return tact_help_usage("replay", "--limit is for the table of events: without --json, which writes all events");
    const char *const outputs[] = {options.run.save, options.run.view};
    for (int k = 0; k < 2; k++)
        if (outputs[k] && tact_is_same_file(outputs[k], options.path))
            return tact_help_usage("replay", "%s %s would overwrite the record", k == 0 ? "--save" : "--view",
                                   outputs[k]);
    return replay_file(&options);
}
