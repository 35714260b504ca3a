/* The operations of `tact query`, and the loop over its lines. POSIX, for getline, fileno and fstat. */
#define _POSIX_C_SOURCE 200809L

#include "query.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tact/ccd.h>
#include <tact/query.h>
#include <unistd.h>

#include "command_line.h"
#include "error_line.h"
#include "help.h"
#include "query_ccd.h"
#include "shape_read.h"
#include "view_page.h"

/* Steps of the search of a request: minutes, where a million contacts take seconds. */
#define DEFAULT_QUERY_WORK 4000000000ULL

/* The members of a request; an operation uses some of them. */
typedef struct query_request {
    moving_shape a, b;
    tact_vec3 from;         /* ray, closest */
    tact_vec3 dir;          /* ray */
    tact_vec3 point;        /* contains */
    double max_separation;  /* contacts */
    double max;             /* ray */
    tact_toi_def toi;       /* toi */
    tact_ccd_kind pair;     /* ccd_vf, ccd_ee */
    tact_vec3 start[4];     /* ccd_vf, ccd_ee */
    tact_vec3 end[4];       /* ccd_vf, ccd_ee */
    double separation;      /* ccd_vf, ccd_ee */
    bool report_parts;      /* include the parts of meshes and compounds in the answer */
    tact_progress progress; /* of the search */
} query_request;

/* Runs the query, writes the members of the answer, and returns the status of the library. */
typedef tact_status query_function(const query_request *request, json_writer *answer);

static void parts_write(const query_request *request, json_writer *answer, tact_part a, tact_part b)
{
    if (!request->report_parts)
        return;
    tact_json_writer_part(answer, "part_a", a);
    tact_json_writer_part(answer, "part_b", b);
}

/* Writes a contact point, or the result of a penetration query. */
static void contact_write(const query_request *request, json_writer *answer, const tact_contact_point *contact)
{
    tact_json_writer_number(answer, "depth", contact->depth);
    tact_json_writer_vec(answer, "normal", contact->normal);
    tact_json_writer_vec(answer, "pa", contact->on_a);
    tact_json_writer_vec(answer, "pb", contact->on_b);
    parts_write(request, answer, contact->part_a, contact->part_b);
}

static tact_status query_intersect(const query_request *request, json_writer *answer)
{
    tact_common_point common =
        tact_shapes_common_point(request->a.shape, request->a.transform, request->b.shape, request->b.transform, NULL);
    tact_json_writer_flag(answer, "hit", common.state == TACT_HIT);
    if (common.state == TACT_HIT) {
        tact_json_writer_vec(answer, "point", common.point);
        parts_write(request, answer, common.part_a, common.part_b);
    }
    return common.status;
}

static tact_status query_distance(const query_request *request, json_writer *answer)
{
    tact_distance found =
        tact_shapes_distance(request->a.shape, request->a.transform, request->b.shape, request->b.transform);
    tact_json_writer_number(answer, "distance", found.distance);
    tact_json_writer_vec(answer, "pa", found.on_a);
    tact_json_writer_vec(answer, "pb", found.on_b);
    parts_write(request, answer, found.part_a, found.part_b);
    return found.status;
}

static tact_status query_depth(const query_request *request, json_writer *answer)
{
    tact_penetration found =
        tact_shapes_penetration(request->a.shape, request->a.transform, request->b.shape, request->b.transform);
    const tact_contact_point contact = {.on_a = found.on_a,
                                        .on_b = found.on_b,
                                        .normal = found.normal,
                                        .depth = found.depth,
                                        .part_a = found.part_a,
                                        .part_b = found.part_b};
    contact_write(request, answer, &contact);
    return found.status;
}

/* Writes the hit of a ray or of moving shapes. */
static void hit_write(json_writer *answer, tact_state state, double t, tact_vec3 point, tact_vec3 normal)
{
    tact_json_writer_flag(answer, "hit", state == TACT_HIT);
    if (state != TACT_HIT)
        return;
    tact_json_writer_number(answer, "t", t);
    tact_json_writer_vec(answer, "point", point);
    tact_json_writer_vec(answer, "normal", normal);
}

static tact_status query_toi(const query_request *request, json_writer *answer)
{
    tact_toi toi =
        tact_shapes_time_of_impact_with(request->a.shape, request->a.transform, request->a.motion, request->b.shape,
                                        request->b.transform, request->b.motion, &request->toi);
    hit_write(answer, toi.state, toi.time, toi.point, toi.normal);
    if (toi.state == TACT_HIT)
        parts_write(request, answer, toi.part_a, toi.part_b);
    return toi.status;
}

static tact_status query_ray(const query_request *request, json_writer *answer)
{
    tact_ray_hit hit =
        tact_shape_ray(request->a.shape, request->a.transform, request->from, request->dir, request->max);
    hit_write(answer, hit.state, hit.t, hit.point, hit.normal);
    if (hit.state == TACT_HIT && request->report_parts)
        tact_json_writer_part(answer, "part", hit.part);
    return hit.status;
}

static tact_status query_closest(const query_request *request, json_writer *answer)
{
    tact_closest found = tact_shape_closest(request->a.shape, request->a.transform, request->from);
    tact_json_writer_number(answer, "distance", found.distance);
    tact_json_writer_vec(answer, "point", found.point);
    tact_json_writer_vec(answer, "normal", found.normal);
    if (request->report_parts)
        tact_json_writer_part(answer, "part", found.part);
    return found.status;
}

static tact_status query_contains(const query_request *request, json_writer *answer)
{
    tact_overlap overlap = tact_shape_contains(request->a.shape, request->a.transform, request->point);
    tact_json_writer_flag(answer, "hit", overlap.state == TACT_HIT);
    return overlap.status;
}

static void contacts_write(const query_request *request, json_writer *answer, const tact_contact_point *points,
                           size_t count)
{
    tact_json_writer_flag(answer, "hit", count > 0);
    if (count == 0)
        return;
    tact_json_writer_list(answer, "contacts");
    for (size_t i = 0; i < count; i++) {
        tact_json_writer_item(answer);
        contact_write(request, answer, &points[i]);
        tact_json_writer_item_end(answer);
    }
    tact_json_writer_list_end(answer);
}

static tact_status query_contacts(const query_request *request, json_writer *answer)
{
    const moving_shape *a = &request->a, *b = &request->b;
    tact_contacts counted =
        tact_shapes_contacts(a->shape, a->transform, b->shape, b->transform, request->max_separation, NULL, 0);
    tact_contact_point *points = NULL;
    if (counted.status != TACT_OK)
        return counted.status;
    if (counted.count > 0 && !(points = calloc(counted.count, sizeof *points)))
        return TACT_OUT_OF_MEMORY;
    /* with capacity for all points, points at one position are merged */
    tact_contacts all = tact_shapes_contacts(a->shape, a->transform, b->shape, b->transform, request->max_separation,
                                             points, counted.count);
    contacts_write(request, answer, points, all.count < counted.count ? all.count : counted.count);
    free(points);
    return all.status;
}

static void intersections_write(const query_request *request, json_writer *answer, const tact_intersection *segments,
                                size_t count)
{
    tact_json_writer_flag(answer, "hit", count > 0);
    if (count == 0)
        return;
    tact_json_writer_list(answer, "segments");
    for (size_t i = 0; i < count; i++) {
        const tact_intersection *s = &segments[i];
        tact_json_writer_item(answer);
        tact_json_writer_word(answer, "type",
                              s->type == TACT_INTERSECTION_SEGMENT   ? "segment"
                              : s->type == TACT_INTERSECTION_OUTLINE ? "outline"
                                                                     : "point");
        tact_json_writer_vec(answer, "from", s->from);
        tact_json_writer_vec(answer, "to", s->to);
        parts_write(request, answer, s->part_a, s->part_b);
        if (request->report_parts) {
            tact_json_writer_number(answer, "facet_a", s->facet_a);
            tact_json_writer_number(answer, "facet_b", s->facet_b);
            if (s->type == TACT_INTERSECTION_OUTLINE)
                tact_json_writer_edge(answer, s->edge_of_b ? "edge_b" : "edge_a", s->edge);
        }
        tact_json_writer_item_end(answer);
    }
    tact_json_writer_list_end(answer);
}

static tact_status query_intersections(const query_request *request, json_writer *answer)
{
    const moving_shape *a = &request->a, *b = &request->b;
    tact_intersections found = tact_shapes_intersections(a->shape, a->transform, b->shape, b->transform, NULL, 0);
    tact_intersection *segments = NULL;
    if (found.status == TACT_OUT_OF_MEMORY && (segments = calloc(found.count, sizeof *segments)))
        found = tact_shapes_intersections(a->shape, a->transform, b->shape, b->transform, segments, found.count);
    if (found.status == TACT_OK)
        intersections_write(request, answer, segments, found.count);
    free(segments);
    return found.status;
}

static tact_status query_ccd(const query_request *request, json_writer *answer)
{
    tact_ccd_def def = tact_ccd_def_default();
    def.separation = request->separation;
    tact_ccd found = request->pair == TACT_VERTEX_FACE ? tact_ccd_vertex_face(request->start, request->end, &def)
                                                       : tact_ccd_edge_edge(request->start, request->end, &def);
    tact_json_writer_flag(answer, "hit", found.state == TACT_HIT);
    if (found.state == TACT_HIT)
        tact_json_writer_pair(answer, "t", found.lower, found.upper);
    return found.status;
}

#define MAX_REQUEST_KEYS 5

typedef struct query_operation {
    const char *name;
    query_function *run;
    const char *keys[MAX_REQUEST_KEYS]; /* the members of a request */
    size_t key_count;
} query_operation;

static const query_operation operations[] = {
    {"intersect", query_intersect, {"op", "a", "b"}, 3},
    {"distance", query_distance, {"op", "a", "b"}, 3},
    {"depth", query_depth, {"op", "a", "b"}, 3},
    {"toi", query_toi, {"op", "a", "b", "end", "tolerance"}, 5},
    {"ray", query_ray, {"op", "a", "from", "dir", "max"}, 5},
    {"closest", query_closest, {"op", "a", "from"}, 3},
    {"contains", query_contains, {"op", "a", "point"}, 3},
    {"contacts", query_contacts, {"op", "a", "b", "max_separation"}, 4},
    {"intersections", query_intersections, {"op", "a", "b"}, 3},
    {"ccd_vf", query_ccd, {"op", "t0", "t1", "separation"}, 4},
    {"ccd_ee", query_ccd, {"op", "t0", "t1", "separation"}, 4},
};

#define OPERATION_COUNT (sizeof operations / sizeof operations[0])

static const char *operation_names(char names[QUERY_NAMES_LENGTH])
{
    names[0] = '\0';
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        (void)snprintf(names + strlen(names), QUERY_NAMES_LENGTH - strlen(names), "%s%s", i > 0 ? ", " : "",
                       operations[i].name);
    return names;
}

bool tact_query_has_operation(const char *name, char names[QUERY_NAMES_LENGTH])
{
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (strcmp(operations[i].name, name) == 0)
            return true;
    (void)operation_names(names);
    return false;
}

static bool operation_takes(const query_operation *operation, const char *key)
{
    for (size_t i = 0; i < operation->key_count; i++)
        if (strcmp(operation->keys[i], key) == 0)
            return true;
    return false;
}

static bool operation_read(const json_t *root, const tact_json_path *where, const query_operation **operation,
                           tact_input_error *error)
{
    static const char *const renamed[][2] = {{"reach", "max_separation"}};
    const json_t *value;
    const char *name;
    tact_json_path at = {where, "op", 0};
    if (!json_is_object(root))
        return tact_json_object(root, where, "a request", NULL, 0, error);
    char names[QUERY_NAMES_LENGTH];
    value = json_object_get(root, "op");
    if (!value)
        return tact_input_error_set(error, &at, "is missing; it must be one of %s", operation_names(names));
    if (!tact_json_text(value, &at, &name, error))
        return false;
    tact_json_rename_keys(root, renamed, sizeof renamed / sizeof renamed[0]);
    if (strcmp(name, "crossings") == 0) /* the name in earlier versions */
        name = "intersections";
    for (size_t i = 0; i < OPERATION_COUNT; i++)
        if (strcmp(operations[i].name, name) == 0) {
            *operation = &operations[i];
            return tact_json_object(root, where, operations[i].name, operations[i].keys, operations[i].key_count,
                                    error);
        }
    return tact_input_error_set(error, &at, "must be one of %s, not \"%.40s\"", operation_names(names), name);
}

static bool shape_member_read(const json_t *root, const tact_json_path *where, const char *key, mesh_cache *cache,
                              moving_shape *moving, tact_input_error *error)
{
    const json_t *value;
    tact_json_path at = {where, key, 0};
    return tact_json_member(root, where, key, &value, error) &&
           tact_moving_shape_read(value, &at, cache, moving, error);
}

/* Reads the optional members end and tolerance. */
static bool toi_def_read(const json_t *root, const tact_json_path *where, tact_toi_def *def, tact_input_error *error)
{
    const tact_json_path at_tolerance = {where, "tolerance", 0};
    *def = tact_toi_def_default();
    if (!tact_json_optional_length(root, where, "end", &def->end, error) ||
        !tact_json_optional_length(root, where, "tolerance", &def->tolerance, error))
        return false;
    if (json_object_get(root, "tolerance") && def->tolerance == 0.0)
        return tact_input_error_set(error, &at_tolerance, "must be greater than 0");
    return true;
}

/* Reads dir and the optional member max. */
static bool ray_read(const json_t *root, const tact_json_path *where, query_request *request, tact_input_error *error)
{
    tact_json_path at_dir = {where, "dir", 0};
    if (!tact_json_member_vec(root, where, "dir", &request->dir, error))
        return false;
    if (request->dir.x == 0.0 && request->dir.y == 0.0 && request->dir.z == 0.0)
        return tact_input_error_set(error, &at_dir, "must not be zero");
    request->max = INFINITY;
    return tact_json_optional_length(root, where, "max", &request->max, error);
}

/* Reads the four points of a vertex-face or edge-edge pair. */
static bool four_points_read(const json_t *root, const tact_json_path *where, const char *key, tact_vec3 four[4],
                             tact_input_error *error)
{
    const json_t *value;
    tact_json_path at = {where, key, 0};
    tact_vec3 *points = NULL;
    size_t count = 0;
    if (!tact_json_member(root, where, key, &value, error) || !tact_json_points(value, &at, &points, &count, error))
        return false;
    if (count == 4)
        memcpy(four, points, 4 * sizeof *points);
    free(points);
    return count == 4 || tact_input_error_set(error, &at, "must have 4 points, not %zu", count);
}

static bool is_complex(const moving_shape *moving)
{
    tact_shape_type type = tact_shape_get_type(moving->shape);
    return type == TACT_MESH || type == TACT_COMPOUND || type == TACT_NURBS || type == TACT_HEIGHTFIELD;
}

/* Explains TACT_BAD_ARGUMENT. The input is finite and well formed, so a shape is out of range, or a mesh or compound is
 * empty or not supported by the operation. Always returns false. */
static bool bad_argument_explain(const query_request *request, const char *name, tact_input_error *error)
{
    const moving_shape *shapes[2] = {&request->a, &request->b};
    const char *const keys[2] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        tact_bounds bounds;
        if (shapes[i]->shape && is_complex(shapes[i]) &&
            tact_shape_bounds(shapes[i]->shape, shapes[i]->transform, &bounds) != TACT_OK)
            return tact_input_error_set(
                error, NULL, "%s could not be answered: %s is empty or its coordinates are too large", name, keys[i]);
    }
    if (shapes[0]->shape && shapes[1]->shape && tact_shape_get_type(shapes[0]->shape) == TACT_HALFSPACE &&
        tact_shape_get_type(shapes[1]->shape) == TACT_HALFSPACE)
        return tact_input_error_set(
            error, NULL,
            "%s could not be answered: two half-spaces overlap without end, and no translation separates them", name);
    tact_bounds bounds;
    if (strcmp(name, "intersections") == 0 &&
        tact_shape_bounds(request->a.shape, request->a.transform, &bounds) == TACT_OK &&
        tact_shape_bounds(request->b.shape, request->b.transform, &bounds) == TACT_OK)
        return tact_input_error_set(error, NULL,
                                    "intersections could not be answered: a curved shape or a shape with a margin has "
                                    "no flat faces, and a half-space "
                                    "has none of finite size");
    return tact_input_error_set(error, NULL, "%s could not be answered: the numbers are too large or too small", name);
}

/* Reads and answers a request. The caller releases the shapes in `request`. */
static bool root_answer(const json_t *root, mesh_cache *cache, query_request *request, json_writer *answer,
                        tact_input_error *error)
{
    const tact_json_path where = {NULL, NULL, 0};
    const query_operation *operation = NULL;
    if (!operation_read(root, &where, &operation, error))
        return false;
    if (operation_takes(operation, "a") && !shape_member_read(root, &where, "a", cache, &request->a, error))
        return false;
    if (operation_takes(operation, "b") && !shape_member_read(root, &where, "b", cache, &request->b, error))
        return false;
    if (operation_takes(operation, "end") && !toi_def_read(root, &where, &request->toi, error))
        return false;
    if (operation_takes(operation, "from") && !tact_json_member_vec(root, &where, "from", &request->from, error))
        return false;
    if (operation_takes(operation, "point") && !tact_json_member_vec(root, &where, "point", &request->point, error))
        return false;
    if (operation_takes(operation, "max_separation") &&
        !tact_json_optional_length(root, &where, "max_separation", &request->max_separation, error))
        return false;
    if (operation_takes(operation, "t0") && (!four_points_read(root, &where, "t0", request->start, error) ||
                                             !four_points_read(root, &where, "t1", request->end, error)))
        return false;
    request->pair = strcmp(operation->name, "ccd_vf") == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
    if (operation_takes(operation, "separation") &&
        !tact_json_optional_length(root, &where, "separation", &request->separation, error))
        return false;
    if (operation_takes(operation, "dir") && !ray_read(root, &where, request, error))
        return false;

    tact_json_writer_begin(answer);
    (void)tact_work_begin(request->progress);
    tact_status status = operation->run(request, answer);
    const tact_work work = tact_work_end();
    tact_json_writer_end(answer);
    if (work.cancelled)
        return tact_input_error_set(error, NULL, "%s was given up after %llu steps of the search", operation->name,
                                    (unsigned long long)work.units);
    if (status == TACT_BAD_ARGUMENT)
        return bad_argument_explain(request, operation->name, error);
    if (status != TACT_OK)
        return tact_input_error_set(error, NULL, "%s could not be answered: %s", operation->name,
                                    tact_status_text(status));
    if (answer->out_of_memory)
        return tact_input_error_set(error, NULL, "%s could not be answered: out of memory", operation->name);
    if (answer->not_finite)
        return tact_input_error_set(error, NULL, "%s could not be answered: a number is too large for a double",
                                    operation->name);
    return true;
}

/* Adds an answered request to the page of --view. */
static void request_capture(query_capture *capture, const json_t *root, const query_request *request,
                            const json_writer *answer)
{
    const query_operation *operation = NULL;
    tact_input_error error;
    if (!operation_read(root, &(tact_json_path){NULL, NULL, 0}, &operation, &error))
        return;
    const bool is_ccd = operation_takes(operation, "t0"), is_point = operation_takes(operation, "point");
    tact_query_capture_add(capture, &(query_shown){.operation = operation->name,
                                                   .a = &request->a,
                                                   .b = &request->b,
                                                   .end = operation->run == query_toi ? request->toi.end : 0.0,
                                                   .from = is_point ? request->point : request->from,
                                                   .dir = request->dir,
                                                   .has_from = is_point || operation_takes(operation, "from"),
                                                   .start = is_ccd ? request->start : NULL,
                                                   .stop = is_ccd ? request->end : NULL,
                                                   .answer = answer->text,
                                                   .answer_length = answer->length});
}

bool tact_query_answer_root(query_session *session, const json_t *root, json_writer *answer, tact_input_error *error)
{
    query_request request;
    memset(&request, 0, sizeof request);
    request.report_parts = session->report_parts;
    request.progress = session->progress;
    const bool good = root_answer(root, &session->cache, &request, answer, error);
    if (good && session->capture)
        request_capture(session->capture, root, &request, answer);
    tact_shape_release(request.a.shape);
    tact_shape_release(request.b.shape);
    return good;
}

bool tact_query_answer(query_session *session, const char *line, size_t length, json_writer *answer,
                       tact_input_error *error)
{
    json_error_t syntax;
    bool good = false;
    json_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &syntax);
    if (root) {
        good = tact_query_answer_root(session, root, answer, error);
        json_decref(root);
    } else {
        (void)tact_input_error_set(error, NULL, "not valid JSON at column %d: %s", syntax.column, syntax.text);
    }
    if (!good)
        tact_json_writer_error(answer, error);
    return good;
}

bool tact_query_line_is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '\n')
            return false;
    return true;
}

int tact_query_stream(query_session *session, FILE *in, const char *name, FILE *out, FILE *err)
{
    char *line = NULL;
    size_t capacity = 0;
    int status = 0;
    json_writer answer;
    memset(&answer, 0, sizeof answer);
    for (unsigned long long number = 1;; number++) {
        errno = 0;
        ssize_t got = getline(&line, &capacity, in);
        if (got < 0)
            break;
        size_t length = (size_t)got;
        if (tact_query_line_is_blank(line, length))
            continue;
        if (line[length - 1] == '\n')
            length--;
        tact_input_error error;
        if (!tact_query_answer(session, line, length, &answer, &error)) {
            if (status == 0)
                (void)fprintf(err, "%s:%llu: %s\n", name, number, error.text);
            status = 1;
        }
        answer.text[answer.length] = '\n';
        if (fwrite(answer.text, 1, answer.length + 1, out) != answer.length + 1 ||
            (session->flush_each && fflush(out) != 0)) {
            status = 1;
            break;
        }
    }
    /* without end of file, reading failed or memory ran out */
    if (!ferror(out) && !feof(in)) {
        (void)fprintf(err, "%s: cannot be read: %s\n", name, strerror(errno ? errno : EIO));
        status = 1;
    }
    tact_json_writer_release(&answer);
    free(line);
    return status;
}

/* True for a pipe or terminal, whose reader may wait for each answer. */
static bool is_interactive(FILE *file)
{
    struct stat status;
    return fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode);
}

static int requests_answer(query_session *session, FILE *in, const char *name)
{
    char *folder = in == stdin ? NULL : tact_path_folder(name);
    session->cache.folder = folder;
    if (in == stdin && isatty(STDIN_FILENO))
        (void)tact_error_line("Type one JSON request a line; Ctrl-D ends. `tact help query` shows examples.");
    int status = tact_query_stream(session, in, name, stdout, stderr);
    free(folder);
    tact_mesh_cache_release(&session->cache);
    return status;
}

int tact_query_command(int argc, char **argv)
{
    const char *name = NULL, *pairs = NULL;
    query_capture capture = {.path = NULL};
    query_session session;
    memset(&session, 0, sizeof session);
    unsigned long long work = DEFAULT_QUERY_WORK;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return tact_help_command("query");
        if (strcmp(argv[i], "--json") == 0)
            continue; /* requests and answers are JSON in any case */
        if (strcmp(argv[i], "--parts") == 0) {
            session.report_parts = true;
            continue;
        }
        if (strcmp(argv[i], "--ccd") == 0) {
            pairs = i + 1 < argc ? argv[++i] : "";
            if (strcmp(pairs, "vf") != 0 && strcmp(pairs, "ee") != 0)
                return tact_help_usage("query", "--ccd needs vf or ee");
            continue;
        }
        if (strcmp(argv[i], "--work") == 0) {
            const char *value = i + 1 < argc ? argv[++i] : NULL;
            if (!tact_option_count(value, ~0ULL, &work))
                return tact_option_usage("query", "--work", "a number of steps", value);
            continue;
        }
        if (strcmp(argv[i], "--view") == 0) {
            if (tact_option_output("query", "--view", i + 1 < argc ? argv[i + 1] : NULL, &capture.path) != 0)
                return 2;
            session.capture = &capture;
            i++;
            continue;
        }
        if (argv[i][0] == '-' && argv[i][1] != '\0')
            return tact_help_usage("query", "there is no option %s", argv[i]);
        if (name)
            return tact_help_usage("query", "there must be one file, not both %s and %s", name, argv[i]);
        name = argv[i];
    }
    session.progress.work_limit = work;
    if (pairs && session.report_parts)
        return tact_help_usage("query", "--parts does not apply to --ccd");
    if (pairs && capture.path)
        return tact_help_usage("query", "--view does not apply to --ccd: use the operations ccd_vf and ccd_ee");
    if (capture.path && name && strcmp(name, "-") != 0 && tact_is_same_file(capture.path, name))
        return tact_help_usage("query", "--view %s would overwrite the requests", capture.path);
    if (capture.path && !tact_view_page_check())
        return 1;
    FILE *in = stdin;
    if (!name || strcmp(name, "-") == 0) {
        name = "stdin";
    } else if (!(in = fopen(name, "r"))) {
        if (name[0] == '{')
            return tact_help_usage("query", "a request is read from a file or standard input, not from an argument");
        (void)tact_error_line("%s: cannot be opened: %s", name, strerror(errno));
        return 1;
    }
    int status;
    session.flush_each = is_interactive(stdout);
    if (pairs) {
        tact_ccd_kind kind = strcmp(pairs, "vf") == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
        /* input from a regular file does not wait for answers */
        status = tact_query_ccd_stream(kind, session.flush_each && is_interactive(in), in, name, stdout, stderr);
    } else {
        status = requests_answer(&session, in, name);
        if (capture.path && !tact_query_capture_close(&capture))
            status = 1;
    }
    if (in != stdin)
        (void)fclose(in);
    return status;
}
