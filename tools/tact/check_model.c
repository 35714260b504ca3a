/*
 * Distances of all pairs of bodies but those that a joint connects. A pair whose boxes are farther apart than the pairs
 * to be listed needs no exact distance.
 */
#include "check_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/math.h>
#include <tact/query.h>

#include "byte_buffer.h"
#include "cad_file.h"
#include "error_line.h"
#include "mesh_file.h"
#include "nurbs_file.h"
#include "progress_bar.h"

/* Bodies of all files: 2e8 pairs of boxes take about a second. */
#define MAX_BODIES 20000

static const tact_allocator standard = {NULL, NULL};

typedef struct check_body {
    const char *name; /* in the model */
    size_t file;
    const tact_shape *shape;
    tact_transform transform;
    tact_bounds bounds;
} check_body;

/* Two bodies: overlapping by `depth`, or `depth` is minus their distance. */
typedef struct body_pair {
    size_t a, b;
    double depth;
    tact_vec3 on_a, on_b, normal;
} body_pair;

ARRAY_OF(check_body_array, check_body);
ARRAY_OF(body_pair_array, body_pair);

typedef struct model_check {
    const check_model_options *options;
    model_file *models;
    size_t model_count;
    check_body_array bodies;
    size_t *connected; /* sorted: a * bodies + b, a < b */
    size_t connected_count;
    body_pair_array overlaps;
    body_pair_array closest; /* at most `limit`, a heap with the largest distance first, at last sorted */
    size_t untested;
    double seconds;
    progress_bar bar;
} model_check;

static bool fail(model_check *c, const char *reason)
{
    tact_progress_end(&c->bar);
    return tact_error_line("%s", reason);
}

static bool out_of_memory(model_check *c) { return fail(c, "tact check: out of memory"); }

bool tact_check_has_model(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tact_model_file_is(paths[i]))
            return true;
    return false;
}

/* ---- reading ---- */

/* Reads a file that is one shape: a mesh, a NURBS shape or CAD. */
static tact_shape *shape_read(const check_model_options *options, const char *path, const char **format, char *error,
                              size_t error_size)
{
    cad_conversion unused;
    *format = tact_cad_file_is(path) ? "CAD" : "NURBS";
    if (tact_cad_file_is(path))
        return tact_cad_file_read(path, options->tolerance, &unused, error, error_size);
    if (tact_nurbs_file_is(path))
        return tact_nurbs_file_read(path, error, error_size);
    return tact_model_mesh_read(path, format, error, error_size);
}

static bool file_read(model_check *c, const char *path, model_file *model)
{
    char error[MESH_FILE_ERROR];
    tact_progress_label(&c->bar, "reading", path);
    if (tact_model_file_is(path))
        return tact_model_file_read(path, &c->options->model, model, error, sizeof error) || fail(c, error);
    const mesh_source source = {.path = path, .allocator = &standard, .error = error, .error_size = sizeof error};
    const char *format, *slash = strrchr(path, '/');
    tact_shape *shape = shape_read(c->options, path, &format, error, sizeof error);
    if (!shape || !tact_model_begin(model) ||
        !tact_model_add(model, &source, NULL, slash ? slash + 1 : path, shape, tact_identity()))
        return fail(c, error);
    model->format = format;
    return true;
}

static int sizes_compare(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Lists the bodies of all files, and the pairs that joints connect. */
static bool bodies_list(model_check *c)
{
    size_t joints = 0, first = 0;
    for (size_t m = 0; m < c->model_count; m++) {
        joints += c->models[m].joints.count;
        for (size_t i = 0; i < c->models[m].bodies.count; i++) {
            const model_body *from = &c->models[m].bodies.items[i];
            check_body body = {from->name, m, from->shape, from->transform, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
            if (c->bodies.count == MAX_BODIES) {
                (void)tact_error_line("%s: there are more than %d bodies", c->options->paths[m], MAX_BODIES);
                return false;
            }
            (void)tact_shape_bounds(body.shape, body.transform, &body.bounds);
            if (!check_body_array_push(&c->bodies, &standard, body))
                return out_of_memory(c);
        }
    }
    c->connected = calloc(joints + 1, sizeof *c->connected);
    if (!c->connected)
        return out_of_memory(c);
    for (size_t m = 0; m < c->model_count && !c->options->adjacent; first += c->models[m++].bodies.count)
        for (size_t i = 0; i < c->models[m].joints.count; i++) {
            const model_joint joint = c->models[m].joints.items[i];
            const size_t a = first + joint.a, b = first + joint.b;
            c->connected[c->connected_count++] = (a < b ? a : b) * c->bodies.count + (a < b ? b : a);
        }
    qsort(c->connected, c->connected_count, sizeof *c->connected, sizes_compare);
    return true;
}

static bool joints_check(model_check *c)
{
    for (size_t i = 0; i < c->options->model.joint_count; i++)
        if (!c->options->model.joints[i].used) {
            (void)tact_error_line("%s: there is no joint \"%.60s\"", c->options->paths[0],
                                  c->options->model.joints[i].name);
            return false;
        }
    return true;
}

/* ---- testing ---- */

/* The distance of two boxes: not greater than that of the shapes in them. */
static double bounds_distance(const tact_bounds *a, const tact_bounds *b)
{
    const double gaps[3] = {fmax(a->min.x - b->max.x, b->min.x - a->max.x),
                            fmax(a->min.y - b->max.y, b->min.y - a->max.y),
                            fmax(a->min.z - b->max.z, b->min.z - a->max.z)};
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += gaps[k] > 0.0 ? gaps[k] * gaps[k] : 0.0;
    return sqrt(sum) * (1.0 - 1e-12); /* rounding */
}

/* Adds a pair to the closest ones: a heap by distance, the greatest first. */
static bool closest_add(model_check *c, const body_pair *pair)
{
    body_pair_array *heap = &c->closest;
    const size_t limit = c->options->limit;
    if (limit == 0 || (heap->count == limit && pair->depth <= heap->items[0].depth))
        return true;
    size_t at;
    if (heap->count < limit) {
        if (!body_pair_array_push(heap, &standard, *pair))
            return out_of_memory(c);
        for (at = heap->count - 1; at > 0 && heap->items[(at - 1) / 2].depth > pair->depth; at = (at - 1) / 2)
            heap->items[at] = heap->items[(at - 1) / 2];
    } else {
        at = 0;
        for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
            if (child + 1 < heap->count && heap->items[child + 1].depth < heap->items[child].depth)
                child++;
            if (heap->items[child].depth >= pair->depth)
                break;
            heap->items[at] = heap->items[child];
            at = child;
        }
    }
    heap->items[at] = *pair;
    return true;
}

static bool pair_test(model_check *c, size_t i, size_t j)
{
    const check_body *a = &c->bodies.items[i], *b = &c->bodies.items[j];
    const size_t key = i * c->bodies.count + j;
    if (bsearch(&key, c->connected, c->connected_count, sizeof key, sizes_compare)) {
        c->untested++;
        return true;
    }
    const double least = bounds_distance(&a->bounds, &b->bounds);
    if (least > 0.0 &&
        (c->options->limit == 0 || (c->closest.count == c->options->limit && -least <= c->closest.items[0].depth)))
        return true;
    const tact_distance d = tact_shapes_distance(a->shape, a->transform, b->shape, b->transform);
    body_pair pair = {.a = i, .b = j, .depth = -d.distance, .on_a = d.on_a, .on_b = d.on_b};
    if (d.status != TACT_OK && d.status != TACT_NOT_CONVERGED) {
        (void)fail(c, tact_status_text(d.status));
        return false;
    }
    if (d.distance > 0.0)
        return closest_add(c, &pair);
    const tact_penetration p = tact_shapes_penetration(a->shape, a->transform, b->shape, b->transform);
    if (p.status == TACT_OK || p.status == TACT_NOT_CONVERGED) {
        pair.depth = fmax(p.depth, 0.0);
        pair.on_a = p.on_a;
        pair.on_b = p.on_b;
        pair.normal = p.normal;
    } else {
        pair.depth = 0.0;
    }
    return body_pair_array_push(&c->overlaps, &standard, pair) || out_of_memory(c);
}

/* Deepest first, then nearest. */
static int pairs_compare(const void *a, const void *b)
{
    const body_pair *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static bool pairs_test(model_check *c)
{
    const size_t count = c->bodies.count;
    tact_progress_label(&c->bar, "testing", c->options->paths[0]);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            if (!pair_test(c, i, j))
                return false;
        tact_progress_set(&c->bar, (double)(i + 1) / (double)count);
    }
    if (c->overlaps.count > 0)
        qsort(c->overlaps.items, c->overlaps.count, sizeof *c->overlaps.items, pairs_compare);
    if (c->closest.count > 0)
        qsort(c->closest.items, c->closest.count, sizeof *c->closest.items, pairs_compare);
    return true;
}

/* ---- output ---- */

static size_t pair_total(const model_check *c)
{
    const size_t n = c->bodies.count;
    return n > 0 ? n * (n - 1) / 2 - c->untested : 0;
}

static void name_print(const model_check *c, size_t body)
{
    const check_body *b = &c->bodies.items[body];
    if (c->model_count > 1 && c->models[b->file].bodies.count > 1)
        (void)printf("%s of %s", b->name, c->options->paths[b->file]);
    else
        (void)printf("%s", b->name);
}

static void vec_print(tact_vec3 v) { (void)printf("%.9g %.9g %.9g", v.x + 0.0, v.y + 0.0, v.z + 0.0); }

static void pair_print(const model_check *c, const body_pair *pair, bool overlap)
{
    (void)printf("  ");
    name_print(c, pair->a);
    (void)printf(" and ");
    name_print(c, pair->b);
    if (overlap && pair->depth > 0.0)
        (void)printf(" overlap: depth %.6g, near ", pair->depth);
    else if (overlap)
        (void)printf(" touch near ");
    else
        (void)printf(": distance %.9g, from ", -pair->depth);
    vec_print(pair->on_a);
    if (!overlap) {
        (void)printf(" to ");
        vec_print(pair->on_b);
    }
    (void)printf("\n");
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static void result_print(const model_check *c)
{
    const size_t limit = c->options->limit;
    const size_t shown = c->overlaps.count < limit ? c->overlaps.count : limit;
    for (size_t i = 0; i < c->model_count; i++) {
        const size_t bodies = c->models[i].bodies.count, skipped = c->models[i].skipped;
        (void)printf("%s: %s, %zu bod%s\n", c->options->paths[i], c->models[i].format, bodies,
                     bodies == 1 ? "y" : "ies");
        if (skipped > 0)
            (void)printf("  %zu geometr%s of other kinds skipped\n", skipped, skipped == 1 ? "y" : "ies");
    }
    for (size_t i = 0; i < shown; i++)
        pair_print(c, &c->overlaps.items[i], true);
    if (shown < c->overlaps.count && shown > 0)
        (void)printf("  and %zu more (--all lists them)\n", c->overlaps.count - shown);
    for (size_t i = 0; i < c->closest.count; i++)
        pair_print(c, &c->closest.items[i], false);
    (void)printf("%zu of %zu pair%s of bodies touch or overlap\n", c->overlaps.count, pair_total(c),
                 plural(pair_total(c)));
    if (c->untested > 0)
        (void)printf("%zu pair%s of bodies at a joint not tested (--adjacent tests them)\n", c->untested,
                     plural(c->untested));
    (void)printf("%.1f ms in total\n", 1e3 * c->seconds);
}

static void text_json(const char *text)
{
    byte_buffer json = {NULL, 0, 0, false};
    tact_buffer_add_json_string(&json, text);
    if (!json.failed)
        (void)fwrite(json.data, 1, json.size, stdout);
    else
        (void)fputs("\"\"", stdout);
    tact_buffer_release(&json);
}

static void vec_json(const char *name, tact_vec3 v)
{
    (void)printf(",\"%s\":[%.17g,%.17g,%.17g]", name, v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

static void pairs_json(const char *name, const body_pair_array *pairs, size_t limit, bool overlap)
{
    (void)printf(",\"%s\":[", name);
    for (size_t i = 0; i < pairs->count && i < limit; i++) {
        const body_pair *p = &pairs->items[i];
        (void)printf("%s{\"a\":%zu,\"b\":%zu,\"%s\":%.17g", i > 0 ? "," : "", p->a, p->b,
                     overlap ? "depth" : "distance", overlap ? p->depth : -p->depth);
        if (overlap)
            vec_json("normal", p->normal);
        vec_json("pa", p->on_a);
        vec_json("pb", p->on_b);
        (void)printf("}");
    }
    (void)printf("]");
}

static void result_print_json(const model_check *c)
{
    (void)printf("{\"files\":[");
    for (size_t i = 0; i < c->model_count; i++) {
        (void)printf("%s{\"file\":", i > 0 ? "," : "");
        text_json(c->options->paths[i]);
        (void)printf(",\"format\":");
        text_json(c->models[i].format);
        (void)printf(",\"bodies\":%zu,\"skipped\":%zu}", c->models[i].bodies.count, c->models[i].skipped);
    }
    (void)printf("],\"bodies\":[");
    for (size_t i = 0; i < c->bodies.count; i++) {
        (void)printf("%s{\"name\":", i > 0 ? "," : "");
        text_json(c->bodies.items[i].name);
        (void)printf(",\"file\":%zu", c->bodies.items[i].file);
        vec_json("origin", c->bodies.items[i].transform.origin);
        (void)printf("}");
    }
    (void)printf("]");
    pairs_json("overlaps", &c->overlaps, c->options->limit, true);
    pairs_json("closest", &c->closest, c->options->limit, false);
    (void)printf(",\"pairs\":%zu,\"touching\":%zu,\"untested\":%zu,\"seconds\":%.6f}\n", pair_total(c),
                 c->overlaps.count, c->untested, c->seconds);
}

/* Writes the bodies and the listed pairs to a run. */
static bool capture(const model_check *c)
{
    const body_pair_array *const lists[] = {&c->overlaps, &c->closest};
    run_file run;
    byte_buffer name = {NULL, 0, 0, false};
    if (!c->options->run.save && !c->options->run.view)
        return true;
    if (!tact_run_file_open(&run, &c->options->run, "check", c->options->paths[0], 0.0, 0.0))
        return false;
    for (size_t i = 0; i < c->bodies.count && !run.failed; i++) {
        const check_body *body = &c->bodies.items[i];
        tact_buffer_clear(&name);
        tact_buffer_add_json_string(&name, body->name);
        tact_buffer_add(&name, "", 1);
        run.failed = run.failed || name.failed;
        if (!run.failed)
            tact_run_file_body(&run, &(run_body){.name = (const char *)name.data,
                                                 .shape = tact_run_file_shape(&run, body->shape),
                                                 .transform = body->transform});
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < lists[k]->count && i < c->options->limit; i++) {
            const body_pair *p = &lists[k]->items[i];
            const tact_vec3 along = tact_vec_sub(p->on_b, p->on_a);
            const double length = tact_vec_length(along);
            tact_run_file_event(&run, &(run_event){.kind = k == 0 ? RUN_EVENT_TOUCH : RUN_EVENT_SEGMENT,
                                                   .a = (uint32_t)p->a,
                                                   .b = (uint32_t)p->b,
                                                   .has_point = true,
                                                   .point = p->on_a,
                                                   .normal = k == 0 ? p->normal : tact_vec_scale(along, 1.0 / length),
                                                   .speed = k == 0 ? NAN : length,
                                                   .features = {RUN_NONE, RUN_NONE, RUN_NONE, RUN_NONE}});
        }
    tact_buffer_release(&name);
    return tact_run_file_close(&run, true);
}

int tact_check_models(const check_model_options *options)
{
    model_check c = {.options = options};
    const double start = tact_clock_now();
    c.bar = tact_progress_begin(1.0);
    c.models = calloc(options->path_count, sizeof *c.models);
    bool good = c.models != NULL || out_of_memory(&c);
    for (; good && c.model_count < options->path_count; c.model_count++)
        good = file_read(&c, options->paths[c.model_count], &c.models[c.model_count]);
    if (good) {
        good = bodies_list(&c) && pairs_test(&c);
        tact_progress_end(&c.bar);
        c.seconds = tact_clock_now() - start;
        good = good && joints_check(&c);
        if (good && options->json)
            result_print_json(&c);
        else if (good)
            result_print(&c);
        good = good && capture(&c);
    }
    for (size_t i = 0; c.models && i < options->path_count; i++)
        tact_model_file_release(&c.models[i]);
    free(c.models);
    free(c.connected);
    check_body_array_release(&c.bodies, &standard);
    body_pair_array_release(&c.overlaps, &standard);
    body_pair_array_release(&c.closest, &standard);
    return good ? 0 : 1;
}
