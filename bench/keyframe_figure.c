/*
 * The figure with a shirt of `tact-bench weller-zachmann-2006`: see keyframe_scene.h. A figure, read or made from
 * formulas, gets a shirt. Then the longest edges are divided until there are enough triangles. New vertices lie on
 * cubic curves between the ends of their edges, tangential to the surface there (PN triangles, Vlachos et al. 2001),
 * in every key frame: divided faces are not flat.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/little_endian.h"
#include "keyframe_scene.h"
#include "math/vec.h"
#include "mesh_file.h"

#define KICK_FIRST_FRAME 44 /* of 121: in the middle of the motion; the figure rests from 84 on */

static const double pi = 3.141592653589793;

/* A figure before it is dressed and divided: `rest` has its arms stretched out sideways. */
typedef struct figure {
    keyframe_scene mesh;
    tact_vec3 *rest;
} figure;

static void release(figure *f)
{
    tact_keyframe_scene_release(&f->mesh);
    free(f->rest);
    f->rest = NULL;
}

/* ---- the figure of the shared data ---- */

/* Reads key frames of a Point Cache 2 file: 32 bytes of header, then floats. */
static bool read_frames(keyframe_scene *mesh, const char *path)
{
    enum { HEADER = 32, COUNT_AT = 16, FRAMES_AT = 28 };
    FILE *file = fopen(path, "rb");
    unsigned char header[HEADER];
    bool done = file != NULL && fread(header, HEADER, 1, file) == 1 && memcmp(header, "POINTCACHE2", 12) == 0 &&
                load_le32(header + COUNT_AT) == mesh->vertex_count &&
                load_le32(header + FRAMES_AT) >= KICK_FIRST_FRAME + mesh->frame_count &&
                fseek(file, (long)(HEADER + KICK_FIRST_FRAME * mesh->vertex_count * 12), SEEK_SET) == 0;
    for (size_t i = 0; done && i < mesh->frame_count * mesh->vertex_count; i++) {
        unsigned char bytes[12];
        float x[3] = {0};
        done = fread(bytes, sizeof bytes, 1, file) == 1;
        for (int k = 0; done && k < 3; k++) {
            const uint32_t bits = load_le32(bytes + 4 * k);
            memcpy(&x[k], &bits, sizeof bits);
        }
        mesh->positions[i] = tact_vec((double)x[0], (double)x[1], (double)x[2]);
    }
    if (file != NULL)
        (void)fclose(file);
    return done;
}

static bool read_figure(figure *f, int frames, const char *data)
{
    char path[1024], error[MESH_FILE_ERROR];
    mesh_file file;
    if (data == NULL || snprintf(path, sizeof path, "%s/mesh.obj", data) >= (int)sizeof path ||
        !tact_mesh_file_read(path, &file, error, sizeof error))
        return false;
    bool done = file.index_count == 3 * file.face_count &&
                tact_keyframe_scene_allocate(&f->mesh, file.vertex_count, file.face_count, (size_t)frames);
    f->rest = done ? malloc((file.vertex_count + 1) * sizeof *f->rest) : NULL;
    if (f->rest != NULL) {
        memcpy(f->mesh.triangles, file.indices, file.index_count * sizeof *file.indices);
        for (size_t i = 0; i < file.vertex_count; i++)
            f->rest[i] = tact_vec(file.vertices[3 * i], file.vertices[3 * i + 1], file.vertices[3 * i + 2]);
        done = snprintf(path, sizeof path, "%s/frames.pc2", data) < (int)sizeof path && read_frames(&f->mesh, path);
    }
    tact_mesh_file_release(&file);
    if (!done || f->rest == NULL)
        release(f);
    return f->rest != NULL;
}

/* ---- a figure from formulas ---- */

typedef enum limb_kind { TRUNK, HEAD, LEG, ARM } limb_kind;

/* A closed tube along y, or along x for an arm, from the joint at `begin` to `end`; `side` is -1 or 1. */
typedef struct limb {
    limb_kind kind;
    double side, begin, end, radius;
} limb;

static const limb limbs[] = {{TRUNK, 1, 0.72, 1.30, 0.15}, {HEAD, 1, 1.31, 1.52, 0.085}, {LEG, -1, 0.70, 0.02, 0.075},
                             {LEG, 1, 0.70, 0.02, 0.075},  {ARM, -1, 0.22, 0.64, 0.042}, {ARM, 1, 0.22, 0.64, 0.042}};

enum { LIMBS = sizeof limbs / sizeof limbs[0] };

static tact_vec3 limb_rest(const limb *l, double along, double around)
{
    const double at = l->begin + along * (l->end - l->begin), round_ends = pow(sin(pi * along), 0.4);
    const double radius = l->radius * round_ends * (1.0 + 0.12 * cos(5.0 * along + 1.0));
    const double p = radius * cos(2.0 * pi * around), q = radius * sin(2.0 * pi * around);
    switch (l->kind) {
    case TRUNK:
        return tact_vec(1.1 * p, at, 0.75 * q);
    case HEAD:
        return tact_vec(p, at, q);
    case LEG:
        return tact_vec(0.09 * l->side + p, at, q);
    default:
        return tact_vec(l->side * at, 1.2 + p, q);
    }
}

/* The position of a point in a walk of two steps per second. */
static tact_vec3 limb_position(const limb *l, tact_vec3 rest, double time)
{
    const double phase = 2.0 * pi * time, swing = 0.5 * l->side * sin(phase);
    tact_vec3 p = rest;
    if (l->kind == LEG) {
        const double y = rest.y - l->begin, c = cos(swing), s = sin(swing);
        p = tact_vec(rest.x, l->begin + c * y - s * rest.z, s * y + c * rest.z);
    } else if (l->kind == ARM) {
        const double down = l->side * -1.2, x = rest.x - l->side * l->begin, y = rest.y - 1.2;
        const tact_vec3 hanging = tact_vec(cos(down) * x - sin(down) * y, sin(down) * x + cos(down) * y, rest.z);
        const double c = cos(-swing), s = sin(-swing);
        p = tact_vec(l->side * l->begin + hanging.x, 1.2 + c * hanging.y - s * hanging.z,
                     s * hanging.y + c * hanging.z);
    } else {
        const double twist = 0.12 * sin(phase) * (rest.y - 0.9);
        p = tact_vec(cos(twist) * rest.x - sin(twist) * rest.z, rest.y, sin(twist) * rest.x + cos(twist) * rest.z);
    }
    return vec_add(p, tact_vec(0.0, 0.02 * sin(2.0 * phase), 1.4 * time));
}

/* Turns the triangles of a limb to the outside. */
static void orient(const tact_vec3 *rest, tact_vec3 inside, uint32_t (*triangles)[3], size_t count)
{
    double volume = 0.0;
    for (size_t i = 0; i < count; i++) {
        const tact_vec3 a = vec_sub(rest[triangles[i][0]], inside), b = vec_sub(rest[triangles[i][1]], inside),
                        c = vec_sub(rest[triangles[i][2]], inside);
        volume += vec_dot(a, vec_cross(b, c));
    }
    for (size_t i = 0; i < count && volume < 0.0; i++) {
        const uint32_t swapped = triangles[i][1];
        triangles[i][1] = triangles[i][2];
        triangles[i][2] = swapped;
    }
}

static bool make_figure(figure *f, size_t triangles, int frames)
{
    const int columns = (int)fmax(6.0, sqrt((double)triangles / 12.0)), rings = columns; /* without the two poles */
    const size_t each = (size_t)(rings * columns + 2), faces = 2 * (size_t)(rings * columns);
    if (!tact_keyframe_scene_allocate(&f->mesh, LIMBS * each, LIMBS * faces, (size_t)frames))
        return false;
    f->rest = malloc(LIMBS * each * sizeof *f->rest);
    if (f->rest == NULL) {
        release(f);
        return false;
    }
    uint32_t(*t)[3] = f->mesh.triangles;
    for (size_t i = 0; i < LIMBS; i++) {
        const limb *l = &limbs[i];
        const uint32_t first = (uint32_t)(i * each), top = first + (uint32_t)each - 2, bottom = top + 1;
        for (int r = 0; r < rings; r++)
            for (int c = 0; c < columns; c++) {
                const uint32_t a = first + (uint32_t)(r * columns + c);
                const uint32_t b = first + (uint32_t)(r * columns + (c + 1) % columns);
                const uint32_t d = b + (uint32_t)columns, e = a + (uint32_t)columns;
                f->rest[a] = limb_rest(l, (r + 1.0) / (rings + 1.0), (c + 0.5 * (r % 2)) / columns);
                if (r == 0)
                    memcpy(*t++, (uint32_t[3]){top, b, a}, sizeof *t);
                memcpy(*t++, r + 1 < rings ? (uint32_t[3]){a, b, d} : (uint32_t[3]){a, b, bottom}, sizeof *t);
                if (r + 1 < rings)
                    memcpy(*t++, (uint32_t[3]){a, d, e}, sizeof *t);
            }
        f->rest[top] = limb_rest(l, 0.0, 0.0);
        f->rest[bottom] = limb_rest(l, 1.0, 0.0);
        orient(f->rest, f->rest[top], f->mesh.triangles + i * faces, faces);
    }
    for (size_t k = 0; k < (size_t)frames; k++)
        for (size_t i = 0; i < LIMBS * each; i++)
            f->mesh.positions[k * LIMBS * each + i] = limb_position(&limbs[i / each], f->rest[i], 0.04 * (double)k);
    return true;
}

/* ---- the shirt ---- */

/* The unit normals of the vertices at a key frame. */
static void find_normals(const keyframe_scene *mesh, size_t frame, tact_vec3 *normals)
{
    const tact_vec3 *p = keyframe_positions(mesh, frame);
    memset(normals, 0, mesh->vertex_count * sizeof *normals);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *t = mesh->triangles[i];
        const tact_vec3 n = vec_cross(vec_sub(p[t[1]], p[t[0]]), vec_sub(p[t[2]], p[t[0]]));
        for (int k = 0; k < 3; k++)
            normals[t[k]] = vec_add(normals[t[k]], n);
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        const double length = vec_length(normals[i]);
        normals[i] = length > 0.0 ? vec_scale(normals[i], 1.0 / length) : tact_vec(0, 0, 0);
    }
}

/* Is this vertex of the figure below the shirt? The trunk and the upper arms. */
static bool is_dressed(tact_vec3 rest) { return rest.y > 0.82 && rest.y < 1.285 && fabs(rest.x) < 0.42; }

/* Adds an offset copy of the dressed faces, with waves that move. `dressed`: the figure with its shirt. */
static bool add_shirt(const figure *f, keyframe_scene *dressed)
{
    const keyframe_scene *mesh = &f->mesh;
    uint32_t *copy = malloc((mesh->vertex_count + 1) * sizeof *copy); /* of each vertex: its copy, or UINT32_MAX */
    tact_vec3 *normals = malloc((mesh->vertex_count + 1) * sizeof *normals);
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    bool done = copy != NULL && normals != NULL;
    if (done) {
        memset(copy, 0xff, mesh->vertex_count * sizeof *copy);
        for (size_t i = 0; i < mesh->triangle_count; i++) {
            const uint32_t *t = mesh->triangles[i];
            if (!is_dressed(f->rest[t[0]]) || !is_dressed(f->rest[t[1]]) || !is_dressed(f->rest[t[2]]))
                continue;
            triangles++;
            for (int k = 0; k < 3; k++)
                if (copy[t[k]] == UINT32_MAX)
                    copy[t[k]] = (uint32_t)vertices++;
        }
        done = tact_keyframe_scene_allocate(dressed, vertices, triangles, mesh->frame_count);
    }
    if (done) {
        memcpy(dressed->triangles, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
        uint32_t(*next)[3] = dressed->triangles + mesh->triangle_count;
        for (size_t i = 0; i < mesh->triangle_count; i++) {
            const uint32_t *t = mesh->triangles[i];
            if (copy[t[0]] == UINT32_MAX || copy[t[1]] == UINT32_MAX || copy[t[2]] == UINT32_MAX ||
                !is_dressed(f->rest[t[0]]) || !is_dressed(f->rest[t[1]]) || !is_dressed(f->rest[t[2]]))
                continue;
            memcpy(*next++, (uint32_t[3]){copy[t[0]], copy[t[1]], copy[t[2]]}, sizeof *next);
        }
        for (size_t frame = 0; frame < mesh->frame_count; frame++) {
            const tact_vec3 *body = keyframe_positions(mesh, frame);
            tact_vec3 *out = dressed->positions + frame * vertices;
            find_normals(mesh, frame, normals);
            memcpy(out, body, mesh->vertex_count * sizeof *out);
            for (size_t i = 0; i < mesh->vertex_count; i++) {
                const tact_vec3 r = f->rest[i];
                const double wave = sin(45.0 * r.y + 30.0 * r.x + 0.5 * (double)frame) *
                                    sin(35.0 * r.z - 25.0 * r.x + 0.3 * (double)frame);
                if (copy[i] != UINT32_MAX)
                    out[copy[i]] = vec_mul_add(body[i], 0.012 + 0.0125 * wave, normals[i]);
            }
        }
    }
    free(copy);
    free(normals);
    return done;
}

/* ---- division of edges ---- */

typedef struct mesh_edge {
    uint32_t low, high;
    uint32_t first, count; /* its sides in the list of sides */
    double length;
} mesh_edge;

typedef struct edge_side {
    uint32_t low, high, triangle;
} edge_side;

static int compare_sides(const void *p, const void *q)
{
    const edge_side *a = p, *b = q;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static int compare_lengths(const void *p, const void *q)
{
    const mesh_edge *a = p, *b = q;
    if (a->length != b->length)
        return a->length > b->length ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

/* Lists the edges, longest at the first key frame first. Returns their number. */
static size_t list_edges(const keyframe_scene *mesh, edge_side *sides, mesh_edge *edges)
{
    const size_t side_count = 3 * mesh->triangle_count;
    for (size_t i = 0; i < side_count; i++) {
        const uint32_t a = mesh->triangles[i / 3][i % 3], b = mesh->triangles[i / 3][(i + 1) % 3];
        sides[i] = (edge_side){a < b ? a : b, a < b ? b : a, (uint32_t)(i / 3)};
    }
    qsort(sides, side_count, sizeof *sides, compare_sides);
    size_t count = 0;
    for (size_t i = 0; i < side_count; i++) {
        if (i > 0 && sides[i].low == sides[i - 1].low && sides[i].high == sides[i - 1].high) {
            edges[count - 1].count++;
            continue;
        }
        const tact_vec3 d = vec_sub(mesh->positions[sides[i].low], mesh->positions[sides[i].high]);
        edges[count++] = (mesh_edge){sides[i].low, sides[i].high, (uint32_t)i, 1, vec_length(d)};
    }
    qsort(edges, count, sizeof *edges, compare_lengths);
    return count;
}

/* Moves edges to the front that have no triangle in common, from the longest tenth, as many as are needed for `target`
 * triangles. Returns their number; *added: the number of new triangles. */
static size_t choose_edges(const keyframe_scene *mesh, const edge_side *sides, mesh_edge *edges, size_t count,
                           size_t target, uint8_t *touched, size_t *added)
{
    size_t chosen = 0;
    memset(touched, 0, mesh->triangle_count);
    *added = 0;
    for (size_t i = 0; i < count / 10 + 1 && i < count; i++) {
        const mesh_edge e = edges[i];
        bool is_free = mesh->triangle_count + *added + e.count <= target;
        for (uint32_t k = 0; k < e.count; k++)
            is_free = is_free && touched[sides[e.first + k].triangle] == 0;
        if (!is_free)
            continue;
        for (uint32_t k = 0; k < e.count; k++)
            touched[sides[e.first + k].triangle] = 1;
        *added += e.count;
        edges[chosen++] = e;
    }
    return chosen;
}

/* Divides a triangle at the edge from `low` to `high`. */
static void divide(uint32_t triangle[3], uint32_t low, uint32_t high, uint32_t middle, uint32_t other[3])
{
    memcpy(other, triangle, 3 * sizeof *other);
    for (int k = 0; k < 3; k++) {
        const uint32_t a = triangle[k], b = triangle[(k + 1) % 3];
        if ((a == low && b == high) || (a == high && b == low)) {
            triangle[(k + 1) % 3] = middle;
            other[k] = middle;
            return;
        }
    }
}

/* The middle of the cubic curve between two points that is orthogonal to the normals there. */
static tact_vec3 curve_middle(tact_vec3 a, tact_vec3 na, tact_vec3 b, tact_vec3 nb)
{
    const tact_vec3 d = vec_sub(b, a);
    const tact_vec3 bulge = vec_sub(vec_scale(nb, vec_dot(d, nb)), vec_scale(na, vec_dot(d, na)));
    return vec_mul_add(vec_scale(vec_add(a, b), 0.5), 0.125, bulge);
}

/* One pass of divisions. Sets *grown to whether there were any. */
static bool divide_edges(keyframe_scene *mesh, size_t target, bool *grown)
{
    keyframe_scene finer = {.name = mesh->name};
    edge_side *sides = malloc(3 * mesh->triangle_count * sizeof *sides);
    mesh_edge *edges = malloc(3 * mesh->triangle_count * sizeof *edges);
    uint8_t *touched = malloc(mesh->triangle_count);
    tact_vec3 *normals = malloc(mesh->vertex_count * sizeof *normals);
    bool done = sides != NULL && edges != NULL && touched != NULL && normals != NULL;
    size_t chosen = 0, added = 0;
    if (done) {
        const size_t count = list_edges(mesh, sides, edges);
        chosen = choose_edges(mesh, sides, edges, count, target, touched, &added);
        done = tact_keyframe_scene_allocate(&finer, mesh->vertex_count + chosen, mesh->triangle_count + added,
                                            mesh->frame_count);
    }
    if (done) {
        memcpy(finer.triangles, mesh->triangles, mesh->triangle_count * sizeof *mesh->triangles);
        size_t next = mesh->triangle_count;
        for (size_t i = 0; i < chosen; i++)
            for (uint32_t k = 0; k < edges[i].count; k++)
                divide(finer.triangles[sides[edges[i].first + k].triangle], edges[i].low, edges[i].high,
                       (uint32_t)(mesh->vertex_count + i), finer.triangles[next++]);
        for (size_t frame = 0; frame < mesh->frame_count; frame++) {
            const tact_vec3 *p = keyframe_positions(mesh, frame);
            tact_vec3 *out = finer.positions + frame * finer.vertex_count;
            find_normals(mesh, frame, normals);
            memcpy(out, p, mesh->vertex_count * sizeof *out);
            for (size_t i = 0; i < chosen; i++) {
                const uint32_t a = edges[i].low, b = edges[i].high;
                out[mesh->vertex_count + i] = curve_middle(p[a], normals[a], p[b], normals[b]);
            }
        }
        tact_keyframe_scene_release(mesh);
        *mesh = finer;
    }
    free(sides);
    free(edges);
    free(touched);
    free(normals);
    *grown = chosen > 0;
    return done;
}

bool tact_keyframe_figure(keyframe_scene *scene, size_t triangles, int frames, const char *data)
{
    *scene = (keyframe_scene){.name = "figure with shirt"};
    figure f = {.rest = NULL};
    bool done = read_figure(&f, frames, data) || make_figure(&f, triangles / 2, frames);
    done = done && add_shirt(&f, scene);
    release(&f);
    for (bool grown = true; done && grown && scene->triangle_count < triangles;)
        done = divide_edges(scene, triangles, &grown);
    if (done)
        tact_keyframe_scene_round(scene);
    else
        tact_keyframe_scene_release(scene);
    return done;
}
