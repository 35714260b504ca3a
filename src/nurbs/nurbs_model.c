/*
 * Models: division into patches, and joining of sides.
 *
 * Boundary sides are joined by position. A side is compared with those whose centres have nearly the same coordinate
 * along one generic direction, found by sorting: O(n log n) unless many centres coincide.
 */
#include "nurbs/nurbs_model.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/array.h"
#include "core/number.h"
#include "core/report.h"
#include "core/sort.h"
#include "core/union_find.h"
#include "math/vec.h"
#include "nurbs/bezier_net.h"
#include "nurbs/nurbs_edge_curves.h"

/* A side on the boundary of its surface. */
typedef struct boundary_side {
    uint32_t id; /* patch * 4 + side */
    double key;  /* coordinate of the centre of its control points along the generic direction */
} boundary_side;

static inline uint64_t boundary_side_key(const boundary_side *s)
{
    uint64_t bits;
    memcpy(&bits, &s->key, sizeof bits); /* order of doubles as unsigned integers */
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}
RADIX_SORT_OF(sort_boundary_sides, boundary_side, boundary_side_key)

static bool out_of_memory(tact_report *report)
{
    return tact_report_fill(report, TACT_OUT_OF_MEMORY, "out of memory"), false;
}

/* ---- sides ---- */

static int side_order(const nurbs_model *m, uint32_t id)
{
    const nurbs_surface *s = &m->surfaces[m->patches[id / 4].surface];
    return s->degree[id % 2] + 1; /* sides 0 and 2 run along u */
}

/* The homogeneous Bezier control points of a side, in its direction. Returns their number. */
static int extract_side(const nurbs_model *m, const tact_vec3 *points, uint32_t id, nurbs_vec4 *out)
{
    const nurbs_patch *p = &m->patches[id / 4];
    const nurbs_surface *s = &m->surfaces[p->surface];
    nurbs_vec4 net[NURBS_MAX_ORDER * NURBS_MAX_ORDER];
    tact_nurbs_extract_patch(s, points + m->first_point[p->surface], p->span, net);
    const int n = s->degree[0] + 1, k = s->degree[1] + 1;
    switch (id % 4) {
    case 0:
        for (int a = 0; a < n; a++)
            out[a] = net[a * k];
        return n;
    case 1:
        memcpy(out, net + (n - 1) * k, (size_t)k * sizeof *out);
        return k;
    case 2:
        for (int a = 0; a < n; a++)
            out[a] = net[a * k + k - 1];
        return n;
    default:
        memcpy(out, net, (size_t)k * sizeof *out);
        return k;
    }
}

static tact_vec3 project(nurbs_vec4 p) { return vec_make(p.x / p.w, p.y / p.w, p.z / p.w); }

/* The largest distance of corresponding control points; infinite if the weights are not proportional up to rounding. */
static double side_gap(const nurbs_vec4 *a, const nurbs_vec4 *b, int count, bool reversed)
{
    double gap = 0.0;
    for (int i = 0; i < count; i++) {
        const nurbs_vec4 q = b[reversed ? count - 1 - i : i], q0 = b[reversed ? count - 1 : 0];
        const double wa = a[i].w * q0.w, wb = q.w * a[0].w;
        if (!(fabs(wa - wb) <= NURBS_SEAM_ROUNDOFF * (wa + wb)))
            return INFINITY;
        gap = number_max(gap, vec_length_safe(vec_sub(project(a[i]), project(q))));
    }
    return gap;
}

/* ---- joining ---- */

/* Sets of sides with their relative direction, and sets of corners. */
typedef struct side_joiner {
    nurbs_model *model;
    uint32_t *side_parent;   /* by side id; sets are small, so paths are not shortened */
    uint8_t *side_flip;      /* the side runs against its parent */
    uint32_t *corner_parent; /* by patch * 4 + corner: core/union_find.h */
    double roundoff;         /* a length: sides with a smaller gap are the same */
} side_joiner;

static const uint8_t side_corners[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}}; /* at its beginning and end */

static uint32_t side_root(const side_joiner *j, uint32_t id, uint8_t *flip)
{
    *flip = 0;
    while (j->side_parent[id] != id) {
        *flip ^= j->side_flip[id];
        id = j->side_parent[id];
    }
    return id;
}

static uint32_t corner_of(uint32_t id, int end) { return id / 4 * 4 + side_corners[id % 4][end]; }

static void join_sides(side_joiner *j, uint32_t a, uint32_t b, bool reversed)
{
    uint8_t flip_a, flip_b;
    const uint32_t root_a = side_root(j, a, &flip_a), root_b = side_root(j, b, &flip_b);
    if (root_a != root_b) {
        const uint32_t low = root_a < root_b ? root_a : root_b, high = root_a < root_b ? root_b : root_a;
        j->side_parent[high] = low;
        j->side_flip[high] = (uint8_t)(flip_a ^ flip_b ^ (reversed ? 1 : 0));
    }
    for (int end = 0; end < 2; end++)
        union_find_unite(j->corner_parent, corner_of(a, end), corner_of(b, reversed ? 1 - end : end));
}

/* Joins adjacent patches of each surface. */
static void join_inside(side_joiner *j)
{
    const nurbs_model *m = j->model;
    for (uint32_t s = 0; s < m->surface_count; s++) {
        const uint32_t *spans = m->surfaces[s].span_count;
        for (uint32_t a = 0; a < spans[0]; a++)
            for (uint32_t b = 0; b < spans[1]; b++) {
                const uint32_t patch = m->first_patch[s] + a * spans[1] + b;
                if (a + 1 < spans[0])
                    join_sides(j, patch * 4 + 1, (patch + spans[1]) * 4 + 3, false);
                if (b + 1 < spans[1])
                    join_sides(j, patch * 4 + 2, (patch + 1) * 4 + 0, false);
            }
    }
}

static bool side_is_on_boundary(const nurbs_model *m, uint32_t id)
{
    const nurbs_patch *p = &m->patches[id / 4];
    const uint32_t *spans = m->surfaces[p->surface].span_count;
    const int d = id % 2 == 0 ? 1 : 0; /* a side along u is at an end of v */
    return p->span[d] == (id % 4 == 0 || id % 4 == 3 ? 0 : spans[d] - 1);
}

static bool add_seam(nurbs_model *m, uint32_t a, uint32_t b, uint32_t end)
{
    if (m->seam_count == m->seam_capacity) {
        const uint32_t more = 2 * m->seam_capacity + 8;
        void *grown = tact_memory_resize(&m->allocator, m->seams, m->seam_capacity, more, sizeof *m->seams);
        if (grown == NULL)
            return false;
        m->seams = grown;
        m->seam_capacity = more;
    }
    m->seams[m->seam_count][0] = a;
    m->seams[m->seam_count][1] = b;
    m->seams[m->seam_count++][2] = end;
    return true;
}

/* Joins a boundary side with those after it in the sorted order that are the same curve. */
static bool join_matching(side_joiner *j, const tact_vec3 *points, const boundary_side *sides, size_t i, size_t count)
{
    nurbs_vec4 a[NURBS_MAX_ORDER], b[NURBS_MAX_ORDER];
    const int order = extract_side(j->model, points, sides[i].id, a);
    for (size_t k = i + 1; k < count && sides[k].key - sides[i].key <= 2.0 * j->roundoff; k++) {
        if (side_order(j->model, sides[k].id) != order)
            continue;
        extract_side(j->model, points, sides[k].id, b);
        const double along = side_gap(a, b, order, false), against = side_gap(a, b, order, true);
        if (!(number_min(along, against) <= j->roundoff))
            continue;
        join_sides(j, sides[i].id, sides[k].id, against < along);
        if (!add_seam(j->model, sides[i].id, sides[k].id, 0))
            return false;
    }
    return true;
}

/* Marks poles, and joins the other boundary sides by position. */
static bool join_boundaries(side_joiner *j, const tact_vec3 *points, bool *pole, boundary_side *sides,
                            boundary_side *scratch)
{
    const nurbs_model *m = j->model;
    size_t count = 0;
    for (uint32_t id = 0; id < 4 * m->patch_count; id++) {
        if (!side_is_on_boundary(m, id))
            continue;
        nurbs_vec4 net[NURBS_MAX_ORDER];
        const int order = extract_side(m, points, id, net);
        double extent = 0.0;
        tact_vec3 centre = {0.0, 0.0, 0.0};
        for (int i = 0; i < order; i++) {
            extent = number_max(extent, vec_length_safe(vec_sub(project(net[i]), project(net[0]))));
            centre = vec_mul_add(centre, 1.0 / order, project(net[i]));
        }
        pole[id] = extent <= j->roundoff;
        if (pole[id])
            union_find_unite(j->corner_parent, corner_of(id, 0), corner_of(id, 1));
        else
            sides[count++] = (boundary_side){id, vec_dot(centre, vec_make(0.5316, 0.6137, 0.5837))};
    }
    sides = sort_boundary_sides(sides, scratch, count);
    for (size_t i = 0; i < count; i++)
        if (!join_matching(j, points, sides, i, count))
            return false;
    return true;
}

/* Records the poles as seams between the side and the corner that gives the position of its vertex. */
static bool add_poles(side_joiner *j, const bool *pole)
{
    for (uint32_t id = 0; id < 4 * j->model->patch_count; id++) {
        if (!pole[id])
            continue;
        const uint32_t corner = union_find_root(j->corner_parent, corner_of(id, 0));
        /* sides 0 and 2 have the corners 0 and 1, 3 and 2 at their beginning and end */
        const uint32_t side = corner / 4 * 4 + (corner % 4 < 2 ? 0 : 2), end = corner % 4 == 1 || corner % 4 == 2;
        if (!add_seam(j->model, id, side | NURBS_SEAM_POLE, end))
            return false;
    }
    return true;
}

/* Numbers the classes. */
static void number_classes(side_joiner *j, const bool *pole)
{
    nurbs_model *m = j->model;
    for (uint32_t id = 0; id < 4 * m->patch_count; id++) { /* roots are the smallest members: numbered first */
        nurbs_patch *p = &m->patches[id / 4];
        const uint32_t corner = union_find_root(j->corner_parent, id);
        p->corner[id % 4] = corner == id ? m->corner_class_count++ : m->patches[corner / 4].corner[corner % 4];
        uint8_t flip;
        const uint32_t side = side_root(j, id, &flip);
        p->side[id % 4] = pole[id]     ? NURBS_POLE
                          : side == id ? m->side_class_count++
                                       : m->patches[side / 4].side[side % 4];
        p->reversed |= (uint8_t)((flip != 0) << id % 4);
        if (side != id) {
            p->boundary &= (uint8_t) ~(1u << id % 4);
            m->patches[side / 4].boundary &= (uint8_t) ~(1u << side % 4);
        }
    }
}

static bool join(nurbs_model *m, const tact_vec3 *points, tact_report *report)
{
    const tact_allocator *allocator = &m->allocator;
    const size_t count = (size_t)4 * m->patch_count;
    double largest = 0.0;
    for (uint32_t i = 0; i < nurbs_point_count(m); i++)
        largest = number_max(largest, vec_max_abs(points[i]));
    side_joiner j = {m, tact_memory_allocate(allocator, count, sizeof(uint32_t)),
                     tact_memory_allocate(allocator, count, sizeof(uint8_t)),
                     tact_memory_allocate(allocator, count, sizeof(uint32_t)), NURBS_SEAM_ROUNDOFF * largest};
    bool *pole = tact_memory_allocate(allocator, count, sizeof *pole);
    boundary_side *sides = tact_memory_allocate(allocator, 2 * count, sizeof *sides);
    bool fine =
        j.side_parent != NULL && j.side_flip != NULL && j.corner_parent != NULL && pole != NULL && sides != NULL;
    if (fine) {
        union_find_init(j.side_parent, count);
        union_find_init(j.corner_parent, count);
        memset(j.side_flip, 0, count);
        memset(pole, 0, count * sizeof *pole);
        for (uint32_t i = 0; i < m->patch_count; i++)
            m->patches[i].boundary = 15;
        join_inside(&j);
        fine = join_boundaries(&j, points, pole, sides, sides + count) && add_poles(&j, pole);
        if (fine)
            number_classes(&j, pole);
    }
    tact_memory_free(allocator, j.side_parent, count, sizeof(uint32_t));
    tact_memory_free(allocator, j.side_flip, count, sizeof(uint8_t));
    tact_memory_free(allocator, j.corner_parent, count, sizeof(uint32_t));
    tact_memory_free(allocator, pole, count, sizeof *pole);
    tact_memory_free(allocator, sides, 2 * count, sizeof *sides);
    return fine || out_of_memory(report);
}

double tact_nurbs_model_seam_gap(const nurbs_model *m, uint32_t seam, const tact_vec3 *points)
{
    nurbs_vec4 a[NURBS_MAX_ORDER], b[NURBS_MAX_ORDER];
    const uint32_t first = m->seams[seam][0], second = m->seams[seam][1] & ~NURBS_SEAM_POLE;
    const int order = extract_side(m, points, first, a);
    const int other = extract_side(m, points, second, b);
    if ((m->seams[seam][1] & NURBS_SEAM_POLE) != 0) {
        double gap = 0.0; /* the pole is one vertex: a corner of `second` */
        const tact_vec3 corner = project(b[m->seams[seam][2] == 0 ? 0 : other - 1]);
        for (int i = 0; i < order; i++)
            gap = number_max(gap, vec_length_safe(vec_sub(project(a[i]), corner)));
        return gap;
    }
    const unsigned flip = m->patches[first / 4].reversed >> first % 4 ^ m->patches[second / 4].reversed >> second % 4;
    return side_gap(a, b, order, (flip & 1u) != 0);
}

/* ---- creation ---- */

static void add_patches(nurbs_model *m)
{
    for (uint32_t s = 0; s < m->surface_count; s++) {
        const uint32_t *spans = m->surfaces[s].span_count;
        for (uint32_t a = 0; a < spans[0]; a++)
            for (uint32_t b = 0; b < spans[1]; b++)
                m->patches[m->first_patch[s] + a * spans[1] + b] = (nurbs_patch){.surface = s, .span = {a, b}};
    }
}

/* The tolerance of a def without one. For a surface that is a point, the error of rounding. */
static double default_tolerance(const tact_vec3 *points, size_t count)
{
    tact_vec3 low = points[0], high = points[0];
    for (size_t i = 1; i < count; i++) {
        low = vec_make(number_min(low.x, points[i].x), number_min(low.y, points[i].y), number_min(low.z, points[i].z));
        high =
            vec_make(number_max(high.x, points[i].x), number_max(high.y, points[i].y), number_max(high.z, points[i].z));
    }
    const double largest = number_max(vec_max_abs(low), vec_max_abs(high));
    return number_max(NURBS_DEFAULT_TOLERANCE * 0.5 * vec_max_abs(vec_sub(high, low)), NURBS_SEAM_ROUNDOFF * largest);
}

/* The trimming loops of a surface, so accurate that they take NURBS_TRIM_FRACTION of the tolerance. */
static bool init_trim(nurbs_model *m, uint32_t i, const tact_nurbs_def *def, tact_report *report)
{
    const nurbs_surface *s = &m->surfaces[i];
    if (def->trim_count == 0)
        return true;
    double fastest[2] = {0.0, 0.0}, accuracy[2];
    for (uint32_t k = 0; k < s->span_count[0] * s->span_count[1]; k++) {
        const uint32_t span[2] = {k / s->span_count[1], k % s->span_count[1]};
        nurbs_vec4 net[BEZIER_MAX_NET];
        double speeds[2];
        tact_nurbs_extract_patch(s, def->points, span, net);
        tact_bezier_speeds(net, s->degree, speeds);
        for (int d = 0; d < 2; d++) {
            const double *knot = s->knots[d] + s->spans[d][span[d]];
            fastest[d] = number_max(fastest[d], speeds[d] / (knot[1] - knot[0]));
        }
    }
    for (int d = 0; d < 2; d++) {
        const double size = s->knots[d][s->counts[d]] - s->knots[d][s->degree[d]];
        accuracy[d] =
            number_min(NURBS_TRIM_MAX_ERROR * size, 0.5 * NURBS_TRIM_FRACTION * m->tolerances[i].cells / fastest[d]);
    }
    m->trims[i] = tact_nurbs_trim_create(def, s, accuracy, &m->allocator, report);
    m->tolerances[i].cells *= 1.0 - 2.0 * NURBS_TRIM_FRACTION;
    if (m->trims[i] == NULL)
        return false;
    const double *deviation = m->trims[i]->deviation;
    m->tolerances[i].edges =
        number_max(m->tolerances[i].surface, 2.0 * (fastest[0] * deviation[0] + fastest[1] * deviation[1]));
    return true;
}

static bool init_surface(nurbs_model *m, uint32_t i, const tact_nurbs_def *def, double fraction, tact_report *report)
{
    nurbs_surface *s = &m->surfaces[i];
    if (!tact_nurbs_surface_init(s, def, &m->allocator, report))
        return false;
    m->surface_count++;
    if (!(def->tolerance >= 0.0 && isfinite(def->tolerance)))
        return tact_report_fill(report, TACT_BAD_ARGUMENT, "surface %u: the tolerance is negative or not finite", i),
               false;
    const double tolerance =
        def->tolerance > 0.0 ? def->tolerance : default_tolerance(def->points, (size_t)s->counts[0] * s->counts[1]);
    m->tolerances[i] = (nurbs_tolerance){tolerance, NURBS_TOLERANCE_FRACTION * fraction * tolerance, tolerance};
    return init_trim(m, i, def, report);
}

static bool init_surfaces(nurbs_model *m, const tact_nurbs_def *defs, size_t count, tact_report *report)
{
    const double fraction = defs[0].edge_count > 0 ? NURBS_EDGE_FRACTION : 1.0;
    uint64_t points = 0, patches = 0;
    for (uint32_t i = 0; i < count; i++) {
        m->first_point[i] = (uint32_t)points;
        m->first_patch[i] = (uint32_t)patches;
        const size_t *n = defs[i].counts;
        const bool few = n[0] <= NURBS_MAX_MODEL_POINTS && n[1] <= NURBS_MAX_MODEL_POINTS; /* else init_surface fails */
        points += few ? (uint64_t)n[0] * n[1] : 0;
        if (points <= NURBS_MAX_MODEL_POINTS) { /* before they are copied */
            if (!init_surface(m, i, &defs[i], fraction, report))
                return false;
            const nurbs_surface *s = &m->surfaces[i];
            patches += (uint64_t)s->span_count[0] * s->span_count[1];
        }
        if (points > NURBS_MAX_MODEL_POINTS || patches > NURBS_MAX_PATCHES)
            return tact_report_fill(report, TACT_BAD_ARGUMENT, "more than %u control points or %u patches",
                                    NURBS_MAX_MODEL_POINTS, NURBS_MAX_PATCHES),
                   false;
    }
    m->first_point[count] = (uint32_t)points;
    m->first_patch[count] = m->patch_count = (uint32_t)patches;
    return true;
}

/* Joins the patches at the control points of the defs. */
static bool join_defs(nurbs_model *m, const tact_nurbs_def *defs, tact_report *report)
{
    m->patches = tact_memory_allocate(&m->allocator, m->patch_count, sizeof *m->patches);
    tact_vec3 *points = tact_memory_allocate(&m->allocator, nurbs_point_count(m), sizeof *points);
    bool fine = m->patches != NULL && points != NULL;
    if (fine) {
        add_patches(m);
        for (uint32_t i = 0; i < m->surface_count; i++)
            memcpy(points + m->first_point[i], defs[i].points,
                   (m->first_point[i + 1] - m->first_point[i]) * sizeof *points);
        fine = join(m, points, report);
    } else {
        (void)out_of_memory(report);
    }
    tact_memory_free(&m->allocator, points, nurbs_point_count(m), sizeof *points);
    return fine;
}

nurbs_model *tact_nurbs_model_create(const tact_nurbs_def *defs, size_t count, const tact_allocator *allocator,
                                     tact_report *report)
{
    if (count == 0 || count > NURBS_MAX_PATCHES) {
        (void)tact_report_fill(report, TACT_BAD_ARGUMENT, count == 0 ? "there is no surface" : "too many surfaces");
        return NULL;
    }
    nurbs_model *m = tact_memory_allocate(allocator, 1, sizeof *m);
    if (m == NULL) {
        (void)out_of_memory(report);
        return NULL;
    }
    memset(m, 0, sizeof *m);
    m->allocator = *allocator;
    m->surfaces = tact_memory_allocate(allocator, count, sizeof *m->surfaces);
    m->tolerances = tact_memory_allocate(allocator, count, sizeof *m->tolerances);
    m->trims = tact_memory_allocate(allocator, count, sizeof *m->trims);
    if (m->trims != NULL)
        memset(m->trims, 0, count * sizeof *m->trims);
    m->first_point = tact_memory_allocate(allocator, count + 1, sizeof *m->first_point);
    m->first_patch = tact_memory_allocate(allocator, count + 1, sizeof *m->first_patch);
    m->capacity = (uint32_t)count;
    const bool allocated = m->surfaces != NULL && m->trims != NULL && m->tolerances != NULL && m->first_point != NULL &&
                           m->first_patch != NULL;
    if (!allocated)
        (void)out_of_memory(report);
    if (allocated && init_surfaces(m, defs, count, report) && join_defs(m, defs, report) &&
        tact_nurbs_model_set_edges(m, defs[0].edges, defs[0].edge_count, report))
        return m;
    tact_nurbs_model_free(m);
    return NULL;
}

void tact_nurbs_model_free(nurbs_model *m)
{
    if (m == NULL)
        return;
    const tact_allocator allocator = m->allocator;
    for (uint32_t i = 0; i < m->surface_count; i++) {
        tact_nurbs_surface_release(&m->surfaces[i], &allocator);
        tact_nurbs_trim_free(m->trims[i], &allocator);
    }
    tact_memory_free(&allocator, m->trims, m->capacity, sizeof *m->trims);
    tact_memory_free(&allocator, m->surfaces, m->capacity, sizeof *m->surfaces);
    tact_memory_free(&allocator, m->tolerances, m->capacity, sizeof *m->tolerances);
    tact_memory_free(&allocator, m->first_point, (size_t)m->capacity + 1, sizeof *m->first_point);
    tact_memory_free(&allocator, m->first_patch, (size_t)m->capacity + 1, sizeof *m->first_patch);
    tact_memory_free(&allocator, m->patches, m->patch_count, sizeof *m->patches);
    tact_memory_free(&allocator, m->seams, m->seam_capacity, sizeof *m->seams);
    tact_memory_free(&allocator, m->edges, m->edge_count, sizeof *m->edges);
    if (m->junctions != NULL)
        tact_memory_free(&allocator, m->junctions, m->first_junction[m->surface_count], sizeof *m->junctions);
    tact_memory_free(&allocator, m->first_junction, (size_t)m->surface_count + 1, sizeof *m->first_junction);
    tact_memory_free(&allocator, m, 1, sizeof *m);
}

size_t tact_nurbs_model_byte_count(const nurbs_model *m)
{
    size_t bytes = sizeof *m + m->capacity * (sizeof *m->surfaces + sizeof *m->tolerances) +
                   ((size_t)m->capacity + 1) * (sizeof *m->first_point + sizeof *m->first_patch) +
                   m->patch_count * sizeof *m->patches + m->seam_capacity * sizeof *m->seams +
                   m->edge_count * sizeof *m->edges;
    if (m->junctions != NULL)
        bytes += m->first_junction[m->surface_count] * sizeof *m->junctions +
                 ((size_t)m->surface_count + 1) * sizeof *m->first_junction;
    for (uint32_t i = 0; i < m->surface_count; i++)
        bytes += tact_nurbs_surface_byte_count(&m->surfaces[i]) + tact_nurbs_trim_byte_count(m->trims[i]);
    return bytes;
}
