#include "run_capture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>

static uint32_t body_number(const run_capture *capture, tact_body handle, const void *user)
{
    const scene_body *body = user;
    if (capture->numbers)
        return handle.generation != 0 ? capture->numbers[handle.index] : RUN_NONE;
    return body ? (uint32_t)(body - capture->scene->bodies) : RUN_NONE;
}

static void motion_begins(motion_observer *observer, tact_body body, void *user, const observed_motion *motion)
{
    run_capture *capture = (run_capture *)observer;
    const uint32_t number = body_number(capture, body, user);
    if (number != RUN_NONE)
        tact_run_file_motion(&capture->run, number, motion);
}

void tact_capture_body(run_capture *capture, const scene_body *body)
{
    const tact_world *world = capture->scene->world;
    tact_run_file_body(&capture->run,
                       &(run_body){.name = body->json_name,
                                   .shape = tact_run_file_shape(&capture->run, tact_body_get_shape(world, body->body)),
                                   .mass = tact_body_get_mass(world, body->body),
                                   .transform = tact_body_get_transform(world, body->body)});
}

bool tact_capture_open(run_capture *capture, const run_paths *paths, const char *command, const char *title,
                       const scene *s)
{
    *capture = (run_capture){.observer = {motion_begins}, .scene = s};
    if (!tact_run_file_open(&capture->run, paths, command, title, 0.0, s->end))
        return false;
    for (size_t i = 0; i < s->count; i++)
        tact_capture_body(capture, &s->bodies[i]);
    tact_world_set_motion_observer(s->world, &capture->observer);
    return true;
}

/* The kind of an event in a run; false: it is not written. */
static bool kind_find(tact_event_kind kind, run_event_kind *found)
{
    static const struct {
        tact_event_kind event;
        run_event_kind run;
    } kinds[] = {{TACT_EVENT_TOUCH, RUN_EVENT_TOUCH},     {TACT_EVENT_CONTACT_BEGIN, RUN_EVENT_BEGIN},
                 {TACT_EVENT_CONTACT_END, RUN_EVENT_END}, {TACT_EVENT_SLEEP, RUN_EVENT_SLEEP},
                 {TACT_EVENT_WAKE, RUN_EVENT_WAKE},       {TACT_EVENT_CRUSHED, RUN_EVENT_CRUSHED}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].event == kind) {
            *found = kinds[i].run;
            return true;
        }
    return false;
}

void tact_capture_event(run_capture *capture, const tact_event *event)
{
    run_event e = {.time = event->time,
                   .a = body_number(capture, event->a, event->user_a),
                   .b = body_number(capture, event->b, event->user_b),
                   .point = event->point,
                   .normal = event->normal,
                   .speed = NAN,
                   .features = {RUN_NONE, RUN_NONE, RUN_NONE, RUN_NONE}};
    if (!kind_find(event->kind, &e.kind))
        return;
    e.has_point = e.kind == RUN_EVENT_TOUCH || e.kind == RUN_EVENT_BEGIN || e.kind == RUN_EVENT_CRUSHED;
    if (e.kind == RUN_EVENT_TOUCH) {
        e.speed = tact_event_get_closing_speed(capture->scene->world, event);
        e.features[0] = event->features.part_a.leaf;
        e.features[1] = event->features.part_a.face;
        e.features[2] = event->features.part_b.leaf;
        e.features[3] = event->features.part_b.face;
    }
    tact_run_file_event(&capture->run, &e);
}

/* Grows an array to at least `wanted` contacts. */
static bool contacts_reserve(run_contact **contacts, size_t *capacity, size_t wanted)
{
    if (wanted <= *capacity)
        return true;
    run_contact *more = wanted <= SIZE_MAX / 2 / sizeof *more ? realloc(*contacts, 2 * wanted * sizeof *more) : NULL;
    if (!more)
        return false;
    *contacts = more;
    *capacity = 2 * wanted;
    return true;
}

/* Adds the points of the contacts of a body in which it is A. False: out of memory. */
static bool contacts_add(run_capture *capture, tact_body body, size_t *count)
{
    const scene *s = capture->scene;
    const size_t total = tact_body_get_contacts(s->world, body, NULL, 0);
    tact_persistent_contact *all = total ? calloc(total, sizeof *all) : NULL;
    bool good = total == 0 || all != NULL;
    const size_t found = all ? tact_body_get_contacts(s->world, body, all, total) : 0;
    for (size_t i = 0; i < found && i < total && good; i++) {
        const tact_persistent_contact *c = &all[i];
        if (c->a.index != body.index)
            continue;
        good = contacts_reserve(&capture->contacts, &capture->contact_capacity, *count + (size_t)c->count);
        for (int k = 0; k < c->count && good; k++)
            capture->contacts[(*count)++] =
                (run_contact){body_number(capture, c->a, tact_body_get_user(s->world, c->a)),
                              body_number(capture, c->b, tact_body_get_user(s->world, c->b)), c->points[k].point,
                              c->points[k].normal, tact_vec_length(c->points[k].impulse)};
    }
    free(all);
    return good;
}

static bool is_equal(tact_vec3 a, tact_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool is_written(const run_capture *capture, size_t count)
{
    if (count != capture->written_count)
        return false;
    for (size_t i = 0; i < count; i++) {
        const run_contact *a = &capture->contacts[i], *b = &capture->written[i];
        if (a->a != b->a || a->b != b->b || !is_equal(a->point, b->point) || !is_equal(a->normal, b->normal))
            return false;
    }
    return true;
}

void tact_capture_contacts(run_capture *capture)
{
    size_t count = 0;
    for (size_t i = 0; i < capture->scene->count && !capture->failed; i++)
        capture->failed = !contacts_add(capture, capture->scene->bodies[i].body, &count);
    if (capture->failed || is_written(capture, count))
        return;
    tact_run_file_contacts(&capture->run, tact_world_get_time(capture->scene->world), capture->contacts, count);
    if (!contacts_reserve(&capture->written, &capture->written_capacity, count)) {
        capture->failed = true;
        return;
    }
    if (count > 0)
        memcpy(capture->written, capture->contacts, count * sizeof *capture->contacts);
    capture->written_count = count;
}

bool tact_capture_close(run_capture *capture, bool keep)
{
    if (capture->scene->world)
        tact_world_set_motion_observer(capture->scene->world, NULL);
    capture->run.failed = capture->run.failed || capture->failed;
    free(capture->contacts);
    free(capture->written);
    capture->contacts = capture->written = NULL;
    return tact_run_file_close(&capture->run, keep);
}
