/* POSIX, for getline, fileno and fstat. */
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

#include "help.h"
#include "query_ccd.h"
#include "shape_read.h"

/* All that a request can hold; what an op does not take was refused before. */
typedef struct request {
    tact_actor a, b;
    tact_vec3 from;        /* ray, closest */
    tact_vec3 dir;         /* ray */
    tact_vec3 point;       /* contains */
    double max_separation; /* contacts */
    double max;            /* ray */
    tact_toi_def impact;   /* toi */
    tact_ccd_kind pair;    /* ccd_vf, ccd_ee */
    tact_vec3 start[4];    /* likewise */
    tact_vec3 end[4];      /* likewise */
    double separation;     /* likewise */
    bool parts;            /* tell the parts of meshes and compounds */
} request;

/* Writes the members of an answer; returns the status of the library. */
typedef tact_status ask_function(const request *asked, tact_answer *answer);

static void parts_write(const request *asked, tact_answer *answer, tact_part a, tact_part b)
{
    if (!asked->parts)
        return;
    tact_answer_part(answer, "part_a", a);
    tact_answer_part(answer, "part_b", b);
}

static tact_status ask_intersect(const request *asked, tact_answer *answer)
{
    tact_common_point common =
        tact_shapes_common_point(asked->a.shape, asked->a.place, asked->b.shape, asked->b.place, NULL);
    tact_answer_flag(answer, "hit", common.state == TACT_HIT);
    if (common.state == TACT_HIT) {
        tact_answer_vec(answer, "point", common.point);
        parts_write(asked, answer, common.part_a, common.part_b);
    }
    return common.status;
}

static tact_status ask_distance(const request *asked, tact_answer *answer)
{
    tact_distance found = tact_shapes_distance(asked->a.shape, asked->a.place, asked->b.shape, asked->b.place);
    tact_answer_number(answer, "distance", found.distance);
    tact_answer_vec(answer, "pa", found.on_a);
    tact_answer_vec(answer, "pb", found.on_b);
    parts_write(asked, answer, found.part_a, found.part_b);
    return found.status;
}

static tact_status ask_depth(const request *asked, tact_answer *answer)
{
    tact_penetration found = tact_shapes_penetration(asked->a.shape, asked->a.place, asked->b.shape, asked->b.place);
    tact_answer_number(answer, "depth", found.depth);
    tact_answer_vec(answer, "normal", found.normal);
    tact_answer_vec(answer, "pa", found.on_a);
    tact_answer_vec(answer, "pb", found.on_b);
    parts_write(asked, answer, found.part_a, found.part_b);
    return found.status;
}

/* A hit of a ray or of moving shapes: when, where, and against what. */
static void hit_write(tact_answer *answer, tact_state state, double t, tact_vec3 point, tact_vec3 normal)
{
    tact_answer_flag(answer, "hit", state == TACT_HIT);
    if (state != TACT_HIT)
        return;
    tact_answer_number(answer, "t", t);
    tact_answer_vec(answer, "point", point);
    tact_answer_vec(answer, "normal", normal);
}

static tact_status ask_toi(const request *asked, tact_answer *answer)
{
    tact_toi impact = tact_shapes_time_of_impact_with(asked->a.shape, asked->a.place, asked->a.motion, asked->b.shape,
                                                      asked->b.place, asked->b.motion, &asked->impact);
    hit_write(answer, impact.state, impact.time, impact.point, impact.normal);
    if (impact.state == TACT_HIT)
        parts_write(asked, answer, impact.part_a, impact.part_b);
    return impact.status;
}

static tact_status ask_ray(const request *asked, tact_answer *answer)
{
    tact_ray_hit hit = tact_shape_ray(asked->a.shape, asked->a.place, asked->from, asked->dir, asked->max);
    hit_write(answer, hit.state, hit.t, hit.point, hit.normal);
    if (hit.state == TACT_HIT && asked->parts)
        tact_answer_part(answer, "part", hit.part);
    return hit.status;
}

static tact_status ask_closest(const request *asked, tact_answer *answer)
{
    tact_closest found = tact_shape_closest(asked->a.shape, asked->a.place, asked->from);
    tact_answer_number(answer, "distance", found.distance);
    tact_answer_vec(answer, "point", found.point);
    tact_answer_vec(answer, "normal", found.normal);
    if (asked->parts)
        tact_answer_part(answer, "part", found.part);
    return found.status;
}

static tact_status ask_contains(const request *asked, tact_answer *answer)
{
    tact_overlap verdict = tact_shape_contains(asked->a.shape, asked->a.place, asked->point);
    tact_answer_flag(answer, "hit", verdict.state == TACT_HIT);
    return verdict.status;
}

static void contacts_write(const request *asked, tact_answer *answer, const tact_contact_point *points, size_t count)
{
    tact_answer_flag(answer, "hit", count > 0);
    if (count == 0)
        return;
    tact_answer_list(answer, "contacts");
    for (size_t i = 0; i < count; i++) {
        tact_answer_item(answer);
        tact_answer_number(answer, "depth", points[i].depth);
        tact_answer_vec(answer, "normal", points[i].normal);
        tact_answer_vec(answer, "pa", points[i].on_a);
        tact_answer_vec(answer, "pb", points[i].on_b);
        parts_write(asked, answer, points[i].part_a, points[i].part_b);
        tact_answer_item_end(answer);
    }
    tact_answer_list_end(answer);
}

static tact_status ask_contacts(const request *asked, tact_answer *answer)
{
    const tact_actor *a = &asked->a, *b = &asked->b;
    tact_contacts some = tact_shapes_contacts(a->shape, a->place, b->shape, b->place, asked->max_separation, NULL, 0);
    tact_contact_point *points = NULL;
    if (some.status != TACT_OK)
        return some.status;
    if (some.count > 0 && !(points = calloc(some.count, sizeof *points)))
        return TACT_OUT_OF_MEMORY;
    /* with room for all, points at one place are one */
    tact_contacts all =
        tact_shapes_contacts(a->shape, a->place, b->shape, b->place, asked->max_separation, points, some.count);
    contacts_write(asked, answer, points, all.count < some.count ? all.count : some.count);
    free(points);
    return all.status;
}

static void intersections_write(const request *asked, tact_answer *answer, const tact_intersection *segments,
                                size_t count)
{
    tact_answer_flag(answer, "hit", count > 0);
    if (count == 0)
        return;
    tact_answer_list(answer, "segments");
    for (size_t i = 0; i < count; i++) {
        const tact_intersection *s = &segments[i];
        tact_answer_item(answer);
        tact_answer_word(answer, "type",
                         s->type == TACT_INTERSECTION_SEGMENT   ? "segment"
                         : s->type == TACT_INTERSECTION_OUTLINE ? "outline"
                                                                : "point");
        tact_answer_vec(answer, "from", s->from);
        tact_answer_vec(answer, "to", s->to);
        parts_write(asked, answer, s->part_a, s->part_b);
        if (asked->parts) {
            tact_answer_number(answer, "facet_a", s->facet_a);
            tact_answer_number(answer, "facet_b", s->facet_b);
            if (s->type == TACT_INTERSECTION_OUTLINE)
                tact_answer_edge(answer, s->edge_of_b ? "edge_b" : "edge_a", s->edge);
        }
        tact_answer_item_end(answer);
    }
    tact_answer_list_end(answer);
}

static tact_status ask_intersections(const request *asked, tact_answer *answer)
{
    const tact_actor *a = &asked->a, *b = &asked->b;
    tact_intersections found = tact_shapes_intersections(a->shape, a->place, b->shape, b->place, NULL, 0);
    tact_intersection *segments = NULL;
    if (found.status == TACT_OUT_OF_MEMORY && (segments = calloc(found.count, sizeof *segments)))
        found = tact_shapes_intersections(a->shape, a->place, b->shape, b->place, segments, found.count);
    if (found.status == TACT_OK)
        intersections_write(asked, answer, segments, found.count);
    free(segments);
    return found.status;
}

static tact_status ask_ccd(const request *asked, tact_answer *answer)
{
    tact_ccd_def def = tact_ccd_def_default();
    def.separation = asked->separation;
    tact_ccd found = asked->pair == TACT_VERTEX_FACE ? tact_ccd_vertex_face(asked->start, asked->end, &def)
                                                     : tact_ccd_edge_edge(asked->start, asked->end, &def);
    tact_answer_flag(answer, "hit", found.state == TACT_HIT);
    if (found.state == TACT_HIT)
        tact_answer_span(answer, "t", found.lower, found.upper);
    return found.status;
}

/* The most members of any request. */
#define MEMBERS_MOST 5

typedef struct op {
    const char *name;
    ask_function *ask;
    const char *keys[MEMBERS_MOST]; /* the members it takes */
    size_t key_count;
} op;

static const op ops[] = {
    {"intersect", ask_intersect, {"op", "a", "b"}, 3},
    {"distance", ask_distance, {"op", "a", "b"}, 3},
    {"depth", ask_depth, {"op", "a", "b"}, 3},
    {"toi", ask_toi, {"op", "a", "b", "end", "tolerance"}, 5},
    {"ray", ask_ray, {"op", "a", "from", "dir", "max"}, 5},
    {"closest", ask_closest, {"op", "a", "from"}, 3},
    {"contains", ask_contains, {"op", "a", "point"}, 3},
    {"contacts", ask_contacts, {"op", "a", "b", "max_separation"}, 4},
    {"intersections", ask_intersections, {"op", "a", "b"}, 3},
    {"ccd_vf", ask_ccd, {"op", "t0", "t1", "separation"}, 4},
    {"ccd_ee", ask_ccd, {"op", "t0", "t1", "separation"}, 4},
};

#define OP_COUNT (sizeof ops / sizeof ops[0])

static bool op_takes(const op *asked, const char *key)
{
    for (size_t i = 0; i < asked->key_count; i++)
        if (strcmp(asked->keys[i], key) == 0)
            return true;
    return false;
}

static bool op_read(const json_t *root, const tact_json_path *where, const op **asked, tact_complaint *complaint)
{
    static const char *const renamed[][2] = {{"reach", "max_separation"}};
    const json_t *value;
    const char *name;
    tact_json_path at = {where, "op", 0};
    if (!json_is_object(root))
        return tact_json_object(root, where, "a request", NULL, 0, complaint);
    if (!tact_json_member(root, where, "op", &value, complaint) || !tact_json_text(value, &at, &name, complaint))
        return false;
    tact_json_rename_keys(root, renamed, sizeof renamed / sizeof renamed[0]);
    if (strcmp(name, "crossings") == 0) /* the name in earlier versions */
        name = "intersections";
    for (size_t i = 0; i < OP_COUNT; i++)
        if (strcmp(ops[i].name, name) == 0) {
            *asked = &ops[i];
            return tact_json_object(root, where, ops[i].name, ops[i].keys, ops[i].key_count, complaint);
        }
    return tact_complaint_make(complaint, &at,
                               "must be one of intersect, distance, depth, toi, ray, closest, contains, contacts, "
                               "crossings, ccd_vf, ccd_ee, not \"%.40s\"",
                               name);
}

static bool shape_member_read(const json_t *root, const tact_json_path *where, const char *key, mesh_cache *cache,
                              tact_actor *actor, tact_complaint *complaint)
{
    const json_t *value;
    tact_json_path at = {where, key, 0};
    return tact_json_member(root, where, key, &value, complaint) &&
           tact_actor_read(value, &at, cache, actor, complaint);
}

/* end and tolerance, which may be left out. */
static bool impact_read(const json_t *root, const tact_json_path *where, tact_toi_def *def, tact_complaint *complaint)
{
    const json_t *end = json_object_get(root, "end"), *tolerance = json_object_get(root, "tolerance");
    tact_json_path at_end = {where, "end", 0}, at_tolerance = {where, "tolerance", 0};
    *def = tact_toi_def_default();
    if (end && !tact_json_length(end, &at_end, &def->end, complaint))
        return false;
    if (tolerance && !tact_json_length(tolerance, &at_tolerance, &def->tolerance, complaint))
        return false;
    if (tolerance && def->tolerance == 0.0)
        return tact_complaint_make(complaint, &at_tolerance, "must be greater than 0");
    return true;
}

static bool vec_read(const json_t *root, const tact_json_path *where, const char *key, tact_vec3 *vec,
                     tact_complaint *complaint)
{
    const json_t *value;
    tact_json_path at = {where, key, 0};
    return tact_json_member(root, where, key, &value, complaint) && tact_json_vec(value, &at, vec, complaint);
}

/* dir, and max, which may be left out. */
static bool ray_read(const json_t *root, const tact_json_path *where, request *asked, tact_complaint *complaint)
{
    const json_t *max = json_object_get(root, "max");
    tact_json_path at_dir = {where, "dir", 0}, at_max = {where, "max", 0};
    if (!vec_read(root, where, "dir", &asked->dir, complaint))
        return false;
    if (asked->dir.x == 0.0 && asked->dir.y == 0.0 && asked->dir.z == 0.0)
        return tact_complaint_make(complaint, &at_dir, "must not be zero");
    asked->max = INFINITY;
    return !max || tact_json_length(max, &at_max, &asked->max, complaint);
}

/* A length that may be left out: `length` then stays what it is. */
static bool length_read(const json_t *root, const tact_json_path *where, const char *key, double *length,
                        tact_complaint *complaint)
{
    const json_t *value = json_object_get(root, key);
    tact_json_path at = {where, key, 0};
    return !value || tact_json_length(value, &at, length, complaint);
}

/* Where the four points of a pair are. */
static bool four_points_read(const json_t *root, const tact_json_path *where, const char *key, tact_vec3 four[4],
                             tact_complaint *complaint)
{
    const json_t *value;
    tact_json_path at = {where, key, 0};
    tact_vec3 *points = NULL;
    size_t count = 0;
    if (!tact_json_member(root, where, key, &value, complaint) ||
        !tact_json_points(value, &at, &points, &count, complaint))
        return false;
    if (count == 4)
        memcpy(four, points, 4 * sizeof *points);
    free(points);
    return count == 4 || tact_complaint_make(complaint, &at, "must have 4 points, not %zu", count);
}

static bool is_complex(const tact_actor *actor)
{
    tact_shape_type type = tact_shape_get_type(actor->shape);
    return type == TACT_MESH || type == TACT_COMPOUND;
}

/* Says why the library refused shapes that were read: all is finite and well formed, so they are out of its range or,
 * of the shapes that are not convex, without a point or not what it can be asked about. Always returns false. */
static bool refusal_explain(const request *asked, const char *name, tact_complaint *complaint)
{
    const tact_actor *actors[2] = {&asked->a, &asked->b};
    const char *const keys[2] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        tact_bounds bounds;
        if (actors[i]->shape && is_complex(actors[i]) &&
            tact_shape_bounds(actors[i]->shape, actors[i]->place, &bounds) != TACT_OK)
            return tact_complaint_make(complaint, NULL, "%s could not be answered: %s is empty or reaches too far",
                                       name, keys[i]);
    }
    tact_bounds bounds;
    if (strcmp(name, "intersections") == 0 && tact_shape_bounds(asked->a.shape, asked->a.place, &bounds) == TACT_OK &&
        tact_shape_bounds(asked->b.shape, asked->b.place, &bounds) == TACT_OK)
        return tact_complaint_make(
            complaint, NULL,
            "intersections could not be answered: a curved shape or one with a margin has no segments");
    return tact_complaint_make(complaint, NULL, "%s could not be answered: numbers too large or too small", name);
}

/* Reads and answers. Shapes that were read are left in `asked` for the caller to release. */
static bool root_answer(const json_t *root, mesh_cache *cache, request *asked, tact_answer *answer,
                        tact_complaint *complaint)
{
    const tact_json_path where = {NULL, NULL, 0};
    const op *which = NULL;
    if (!op_read(root, &where, &which, complaint))
        return false;
    if (op_takes(which, "a") && !shape_member_read(root, &where, "a", cache, &asked->a, complaint))
        return false;
    if (op_takes(which, "b") && !shape_member_read(root, &where, "b", cache, &asked->b, complaint))
        return false;
    if (op_takes(which, "end") && !impact_read(root, &where, &asked->impact, complaint))
        return false;
    if (op_takes(which, "from") && !vec_read(root, &where, "from", &asked->from, complaint))
        return false;
    if (op_takes(which, "point") && !vec_read(root, &where, "point", &asked->point, complaint))
        return false;
    if (op_takes(which, "max_separation") &&
        !length_read(root, &where, "max_separation", &asked->max_separation, complaint))
        return false;
    if (op_takes(which, "t0") && (!four_points_read(root, &where, "t0", asked->start, complaint) ||
                                  !four_points_read(root, &where, "t1", asked->end, complaint)))
        return false;
    asked->pair = strcmp(which->name, "ccd_vf") == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
    if (op_takes(which, "separation") && !length_read(root, &where, "separation", &asked->separation, complaint))
        return false;
    if (op_takes(which, "dir") && !ray_read(root, &where, asked, complaint))
        return false;

    tact_answer_begin(answer);
    tact_status status = which->ask(asked, answer);
    tact_answer_end(answer);
    if (status == TACT_BAD_ARGUMENT)
        return refusal_explain(asked, which->name, complaint);
    if (status != TACT_OK)
        return tact_complaint_make(complaint, NULL, "%s could not be answered: %s", which->name,
                                   tact_status_text(status));
    if (answer->starved)
        return tact_complaint_make(complaint, NULL, "%s could not be answered: out of memory", which->name);
    if (answer->unfit)
        return tact_complaint_make(complaint, NULL, "%s could not be answered: a number is too large for a double",
                                   which->name);
    return true;
}

bool tact_query_answer(tact_query_def *def, const char *line, size_t length, tact_answer *answer,
                       tact_complaint *complaint)
{
    json_error_t error;
    request asked;
    bool good = false;
    memset(&asked, 0, sizeof asked);
    asked.parts = def->parts;
    json_t *root = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
    if (root) {
        good = root_answer(root, &def->cache, &asked, answer, complaint);
        tact_shape_release(asked.a.shape);
        tact_shape_release(asked.b.shape);
        json_decref(root);
    } else {
        (void)tact_complaint_make(complaint, NULL, "not JSON at column %d: %s", error.column, error.text);
    }
    if (!good)
        tact_answer_fail(answer, complaint);
    return good;
}

/* Only spaces, tabs and line ends. */
static bool is_blank(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '\n')
            return false;
    return true;
}

int tact_query_stream(tact_query_def *def, FILE *in, const char *name, FILE *out, FILE *err)
{
    char *line = NULL;
    size_t room = 0;
    int status = 0;
    tact_answer answer;
    memset(&answer, 0, sizeof answer);
    for (unsigned long long number = 1;; number++) {
        errno = 0;
        ssize_t got = getline(&line, &room, in);
        if (got < 0)
            break;
        size_t length = (size_t)got;
        if (is_blank(line, length))
            continue;
        if (line[length - 1] == '\n')
            length--;
        tact_complaint complaint;
        if (!tact_query_answer(def, line, length, &answer, &complaint)) {
            if (status == 0)
                (void)fprintf(err, "%s:%llu: %s\n", name, number, complaint.text);
            status = 1;
        }
        answer.text[answer.length] = '\n';
        if (fwrite(answer.text, 1, answer.length + 1, out) != answer.length + 1 || (def->prompt && fflush(out) != 0)) {
            status = 1;
            break;
        }
    }
    /* getline ends without the end of the file when reading failed or memory ran out. */
    if (!ferror(out) && !feof(in)) {
        (void)fprintf(err, "%s: cannot be read: %s\n", name, strerror(errno ? errno : EIO));
        status = 1;
    }
    tact_answer_release(&answer);
    free(line);
    return status;
}

/* Nobody reads along in a regular file, so there answers may wait in the buffer. */
static bool is_watched(FILE *out)
{
    struct stat about;
    return fstat(fileno(out), &about) != 0 || !S_ISREG(about.st_mode);
}

/* Where the meshes of a file's requests are looked for: the part of its name before the last slash, for the caller to
 * free. NULL if there is none (or no memory for it). */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    if (!slash)
        return NULL;
    size_t length = slash > name ? (size_t)(slash - name) : 1;
    char *folder = malloc(length + 1);
    if (folder) {
        memcpy(folder, name, length);
        folder[length] = '\0';
    }
    return folder;
}

static int requests_answer(tact_query_def *def, FILE *in, const char *name)
{
    char *folder = in == stdin ? NULL : folder_of(name);
    def->cache.folder = folder;
    if (in == stdin && isatty(STDIN_FILENO))
        (void)fprintf(stderr, "Type one request a line, Ctrl-D to end. `tact help query` shows some.\n");
    int status = tact_query_stream(def, in, name, stdout, stderr);
    free(folder);
    tact_mesh_cache_release(&def->cache);
    return status;
}

int tact_query_command(int argc, char **argv)
{
    const char *name = NULL, *pairs = NULL;
    tact_query_def def;
    memset(&def, 0, sizeof def);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return tact_help_command("query");
        if (strcmp(argv[i], "--json") == 0)
            continue; /* requests and answers are JSON in any case */
        if (strcmp(argv[i], "--parts") == 0) {
            def.parts = true;
            continue;
        }
        if (strcmp(argv[i], "--ccd") == 0) {
            pairs = i + 1 < argc ? argv[++i] : "";
            if (strcmp(pairs, "vf") != 0 && strcmp(pairs, "ee") != 0)
                return tact_help_usage("query", "--ccd is followed by vf or ee");
            continue;
        }
        if (argv[i][0] == '-' && argv[i][1] != '\0')
            return tact_help_usage("query", "tact query has no option %s", argv[i]);
        if (name)
            return tact_help_usage("query", "tact query reads one file, not both %s and %s", name, argv[i]);
        name = argv[i];
    }
    if (pairs && def.parts)
        return tact_help_usage("query", "--parts is for requests; lines of --ccd have no parts");
    FILE *in = stdin;
    if (!name || strcmp(name, "-") == 0) {
        name = "stdin";
    } else if (!(in = fopen(name, "r"))) {
        if (name[0] == '{')
            return tact_help_usage("query", "requests come from a file or on standard input, not as an argument");
        (void)fprintf(stderr, "%s: cannot be opened: %s\n", name, strerror(errno));
        return 1;
    }
    int status;
    def.prompt = is_watched(stdout);
    if (pairs) {
        tact_ccd_kind kind = strcmp(pairs, "vf") == 0 ? TACT_VERTEX_FACE : TACT_EDGE_EDGE;
        /* what comes from a file does not wait for answers */
        status = tact_query_ccd_stream(kind, def.prompt && is_watched(in), in, name, stdout, stderr);
    } else {
        status = requests_answer(&def, in, name);
    }
    if (in != stdin)
        (void)fclose(in);
    return status;
}
