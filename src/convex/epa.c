/*
 * The expanding polytope algorithm (EPA): the depth of the origin in the Minkowski difference A - B of two convex
 * cores.
 *
 * Guarantee: `depth` is the support value of A - B along `normal`, so it is at least the true depth, up to rounding.
 * For polytopes it is the true depth within a few ulps of the largest coordinate. For curved shapes it is proved within
 * a relative EPA_CURVED_GAP, or up to EPA_CURVED_GAP_MAX where very many directions are nearly as good. Newton's method
 * refines it last and mostly reaches 1e-10.
 * Cost: at most EPA_MAX_FACETS facets, each built once; about 20 support points for hulls of 20 points, 60 for curved
 * shapes. Memory beyond the first EPA_STACK_FACETS facets comes from the allocator.
 *
 * After van den Bergen 2001, "Proximity queries and penetration depth computation on 3D game objects". Departures:
 * - Visibility of a facet is decided by the exact orientation predicate on the rounded points. So the polytope stays
 *   convex and closed for any input, also for flat and needle-thin differences, without repair or epsilon.
 * - A facet's normal is perpendicular to its edges to the last bit, also on slivers (tact_sat_normal). Only then is its
 *   distance as accurate as its vertices.
 * - The heap orders facets by the distance of their plane, without a test of where the foot of the origin lies: the
 *   foot on the nearest plane is always inside its facet.
 * - The result is refined (epa_refine.c): on polytopes by the features of A and B, on curved shapes by Newton's method.
 *   Newton's method starts at the first facet close to the surface, and restarts elsewhere while the facets are many.
 */
#include "convex/epa.h"

#include <string.h>

#include "convex/convex_constants.h"
#include "convex/sat.h"
#include "core/heap.h"
#include "core/memory.h"
#include "core/number.h"
#include "math/filter.h"
#include "shape/support.h"
#include <tact/predicates.h>

#define NO_FACET UINT32_MAX

typedef struct epa_facet {
    uint32_t vertex[3];    /* counter-clockwise seen from outside */
    uint32_t neighbour[3]; /* across the edge from vertex i to vertex i + 1 */
    tact_vec3 normal;      /* outward, unit; zero for a sliver thinner than rounding */
    double distance;       /* of its plane from the origin: negative if the origin is outside */
    uint32_t visit;        /* number of the last traversal that reached the facet */
    uint32_t next;         /* queue of that traversal: the next facet, or NO_FACET */
    bool visible;          /* from the new vertex, in that traversal */
    bool deleted;
} epa_facet;

typedef struct epa_heap_entry {
    double key;
    uint32_t id;
} epa_heap_entry;

typedef struct epa_polytope {
    const epa_pair *pair;
    const tact_allocator *allocator;
    void *block;           /* from the allocator; NULL while all arrays are on the stack */
    epa_facet *facets;     /* `capacity` of them */
    epa_vertex *vertices;  /* capacity / 2: every vertex after the fourth makes at least three facets */
    epa_heap_entry *heap;  /* `capacity`: facets to expand, the nearest plane first; some may be deleted */
    uint32_t *first_facet; /* capacity / 2: for a vertex on the horizon, the new facet whose first vertex it is */
    uint32_t capacity, facet_count, vertex_count, heap_count;
    uint32_t visit;     /* number of the current traversal */
    double upper_bound; /* of the depth: facets farther than this from the origin need no expansion */
    bool full;          /* EPA_MAX_FACETS would be exceeded */
    bool out_of_memory;
} epa_polytope;

/* The first arrays of a polytope. */
typedef struct epa_stack {
    epa_facet facets[EPA_STACK_FACETS];
    epa_vertex vertices[EPA_STACK_FACETS / 2];
    epa_heap_entry heap[EPA_STACK_FACETS];
    uint32_t first_facet[EPA_STACK_FACETS / 2];
} epa_stack;

epa_pair tact_epa_pair(const convex *a, const convex *b)
{
    epa_pair pair = {a, b, vec_sub(b->transform.origin, a->transform.origin), 0.0, false};
    pair.curved = !tact_convex_is_polytope(a) || !tact_convex_is_polytope(b);
    pair.noise = EPA_NOISE * CONVEX_ROUNDOFF * (a->bounding_radius + b->bounding_radius + vec_max_abs(pair.offset));
    return pair;
}

double tact_epa_support(const epa_pair *pair, tact_vec3 n, epa_vertex *out)
{
    out->a = convex_support(pair->a, n, &out->branch_a);
    out->b = convex_support(pair->b, vec_negate(n), &out->branch_b);
    out->p = vec_sub(vec_sub(out->a, out->b), pair->offset);
    out->direction = n;
    if (!(vec_max_abs(n) > 0.0)) /* a zero vector proves no bound */
        return INFINITY;
    return vec_finite(out->p) ? vec_dot(n, out->p) : NAN;
}

/* ---- the heap --------------------------------------------------------------------------------------------------- */

/* Ties go to the older facet, so that the order does not depend on the heap's history. */
static inline bool facet_order(const void *context, const epa_heap_entry *a, const epa_heap_entry *b)
{
    (void)context;
    return a->key < b->key || (a->key == b->key && a->id < b->id);
}

HEAP_OF(facet_heap, epa_heap_entry, const void *, facet_order)

static void heap_push(epa_polytope *t, double key, uint32_t id)
{
    facet_heap_push(NULL, t->heap, t->heap_count++, (epa_heap_entry){key, id});
}

static void heap_pop(epa_polytope *t) { facet_heap_pop(NULL, t->heap, t->heap_count--); }

/* The facet to expand with the nearest plane, or NO_FACET. */
static uint32_t nearest_facet(epa_polytope *t)
{
    while (t->heap_count > 0 && t->facets[t->heap[0].id].deleted)
        heap_pop(t);
    return t->heap_count > 0 ? t->heap[0].id : NO_FACET;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

/* The bytes of one facet with its share of the other arrays. */
#define BYTES_PER_FACET (sizeof(epa_facet) + sizeof(epa_heap_entry) + sizeof(epa_vertex) / 2 + sizeof(uint32_t) / 2)

/* Provides capacity for `more` facets. False, with `full` or `out_of_memory` set, if that fails. */
static bool reserve(epa_polytope *t, uint32_t more)
{
    if (t->facet_count + more <= t->capacity)
        return true;
    if (t->facet_count + more > EPA_MAX_FACETS) {
        t->full = true;
        return false;
    }
    uint32_t capacity = 2 * t->capacity;
    while (capacity < t->facet_count + more)
        capacity *= 2;
    /* One block, the widest alignment first. */
    char *block = tact_memory_allocate(t->allocator, capacity, BYTES_PER_FACET);
    if (block == NULL) {
        t->out_of_memory = true;
        return false;
    }
    epa_facet *facets = (epa_facet *)block;
    epa_vertex *vertices = (epa_vertex *)(facets + capacity);
    epa_heap_entry *heap = (epa_heap_entry *)(vertices + capacity / 2);
    uint32_t *first_facet = (uint32_t *)(heap + capacity);
    memcpy(facets, t->facets, t->facet_count * sizeof(epa_facet));
    memcpy(vertices, t->vertices, t->vertex_count * sizeof(epa_vertex));
    memcpy(heap, t->heap, t->heap_count * sizeof(epa_heap_entry));
    tact_memory_free(t->allocator, t->block, t->capacity, BYTES_PER_FACET);
    t->block = block;
    t->facets = facets;
    t->vertices = vertices;
    t->heap = heap;
    t->first_facet = first_facet;
    t->capacity = capacity;
    return true;
}

/* ---- facets ----------------------------------------------------------------------------------------------------- */

/* The outward unit normal of a triangle, from its two shortest edges. */
static tact_vec3 facet_normal(tact_vec3 p, tact_vec3 q, tact_vec3 r)
{
    tact_vec3 pq = vec_sub(q, p), qr = vec_sub(r, q), rp = vec_sub(p, r);
    double lpq = vec_length_squared(pq), lqr = vec_length_squared(qr), lrp = vec_length_squared(rp);
    tact_vec3 e = pq, f = qr;
    double le = lpq, lf = lqr;
    if (lpq >= lqr && lpq >= lrp) {
        e = qr, f = rp, le = lqr, lf = lrp;
    } else if (lqr >= lrp) {
        e = rp, f = pq, le = lrp, lf = lpq;
    }
    tact_vec3 n = vec_cross(e, f);
    double square = vec_length_squared(n);
    if (square > EPA_WIDE_ANGLE * le * lf)
        return vec_scale(n, 1.0 / sqrt(square));
    return tact_sat_normal(e, f);
}

static uint32_t add_facet(epa_polytope *t, uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t id = t->facet_count++;
    epa_facet *f = &t->facets[id];
    tact_vec3 p = t->vertices[i].p, q = t->vertices[j].p, r = t->vertices[k].p;
    f->vertex[0] = i;
    f->vertex[1] = j;
    f->vertex[2] = k;
    f->normal = facet_normal(p, q, r);
    f->distance = number_min(number_min(vec_dot(f->normal, p), vec_dot(f->normal, q)), vec_dot(f->normal, r));
    f->visit = 0;
    f->next = NO_FACET;
    f->visible = false;
    f->deleted = false;
    /* A sliver without a normal is never expanded: its neighbours have nearly the same plane. */
    if (f->distance < t->upper_bound && vec_max_abs(f->normal) > 0.0)
        heap_push(t, f->distance, id);
    return id;
}

/* Whether p is strictly outside the plane of the facet. Exact. */
static bool is_visible(const epa_polytope *t, tact_vec3 p, const epa_facet *f)
{
    tact_vec3 a = t->vertices[f->vertex[0]].p, b = t->vertices[f->vertex[1]].p, c = t->vertices[f->vertex[2]].p;
    int sign = filter_orient3d(a, b, c, p);
    if (sign == 0 && !vec_equal(p, a) && !vec_equal(p, b) && !vec_equal(p, c))
        sign = tact_orient3d(a, b, c, p);
    return sign > 0;
}

/* Adds a vertex to the polytope, given one facet that is visible from it. Because the predicate is exact, the visible
 * facets form one disc and its horizon one loop. The new facets along the horizon make the polytope convex and closed
 * again. Facets coplanar with the vertex are not visible and get a coplanar neighbour. False if reserve fails. */
static bool insert(epa_polytope *t, uint32_t vertex, uint32_t first)
{
    tact_vec3 p = t->vertices[vertex].p;
    uint32_t visit = ++t->visit, last = first, visible_count = 1;
    t->facets[first].visit = visit;
    t->facets[first].visible = true;
    t->facets[first].next = NO_FACET;
    for (uint32_t id = first; id != NO_FACET; id = t->facets[id].next)
        for (int i = 0; i < 3; i++) {
            uint32_t other = t->facets[id].neighbour[i];
            epa_facet *g = &t->facets[other];
            if (g->visit == visit)
                continue;
            g->visit = visit;
            g->visible = is_visible(t, p, g);
            if (!g->visible)
                continue;
            g->next = NO_FACET;
            t->facets[last].next = other;
            last = other;
            visible_count++;
        }
    /* A disc of k triangles has at most k + 2 boundary edges. */
    if (!reserve(t, visible_count + 2))
        return false;
    uint32_t first_new = t->facet_count;
    for (uint32_t id = first; id != NO_FACET; id = t->facets[id].next) {
        t->facets[id].deleted = true;
        for (int i = 0; i < 3; i++) {
            uint32_t other = t->facets[id].neighbour[i];
            if (t->facets[other].visible && t->facets[other].visit == visit)
                continue;
            uint32_t from = t->facets[id].vertex[i], to = t->facets[id].vertex[(i + 1) % 3];
            uint32_t made = add_facet(t, from, to, vertex);
            t->facets[made].neighbour[0] = other;
            epa_facet *g = &t->facets[other];
            int edge = g->vertex[0] == to && g->vertex[1] == from   ? 0
                       : g->vertex[1] == to && g->vertex[2] == from ? 1
                                                                    : 2;
            g->neighbour[edge] = made;
            t->first_facet[from] = made;
        }
    }
    for (uint32_t id = first_new; id < t->facet_count; id++) {
        uint32_t after = t->first_facet[t->facets[id].vertex[1]];
        t->facets[id].neighbour[1] = after;
        t->facets[after].neighbour[2] = id;
    }
    return true;
}

/* ---- first tetrahedron ------------------------------------------------------------------------------------------ */

/* Whether the first points of A - B span a tetrahedron. */
typedef enum epa_start { EPA_START_SOLID, EPA_START_FLAT, EPA_START_FAILED } epa_start;

static double volume_of(tact_vec3 p, tact_vec3 q, tact_vec3 r, tact_vec3 s)
{
    return vec_dot(vec_cross(vec_sub(q, p), vec_sub(r, p)), vec_sub(s, p));
}

static bool good_tetrahedron(const epa_vertex *v)
{
    double longest = 0.0;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            longest = number_max(longest, vec_length_squared(vec_sub(v[i].p, v[j].p)));
    return fabs(volume_of(v[0].p, v[1].p, v[2].p, v[3].p)) > EPA_START_VOLUME * longest * sqrt(longest);
}

/* Makes the first four vertices a tetrahedron. False if they are exactly coplanar. */
static bool make_tetrahedron(epa_polytope *t)
{
    const epa_vertex *v = t->vertices;
    int sign = tact_orient3d(v[0].p, v[1].p, v[2].p, v[3].p);
    if (sign == 0)
        return false;
    /* A positive sign means that vertex 3 is outside the plane of 0 1 2: then the outward face is 0 2 1. */
    static const uint32_t faces[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                            {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
    for (int i = 0; i < 4; i++) {
        const uint32_t *c = faces[sign > 0][i];
        (void)add_facet(t, c[0], c[1], c[2]);
    }
    for (uint32_t i = 0; i < 4; i++)
        for (int e = 0; e < 3; e++) {
            epa_facet *f = &t->facets[i];
            uint32_t from = f->vertex[e], to = f->vertex[(e + 1) % 3];
            for (uint32_t j = 0; j < 4; j++)
                for (int d = 0; d < 3; d++)
                    if (t->facets[j].vertex[d] == to && t->facets[j].vertex[(d + 1) % 3] == from)
                        f->neighbour[e] = j;
        }
    return true;
}

/* The result for a flat A - B: of the given directions, the one with the least support value. */
static void finish_flat(const epa_pair *pair, const tact_vec3 *directions, int count, const gjk_result *from,
                        epa_depth *out)
{
    out->depth = INFINITY;
    for (int i = 0; i < count; i++) {
        epa_vertex v;
        double value = tact_epa_support(pair, directions[i], &v);
        if (value < out->depth) {
            out->depth = value;
            out->normal = directions[i];
        }
    }
    out->lower = number_min(out->depth, 0.0);
    out->a = vec_sub(from->on_a, pair->a->transform.origin);
    out->b = vec_sub(from->on_b, pair->b->transform.origin);
    out->status = out->depth < INFINITY ? TACT_OK : TACT_BAD_ARGUMENT;
}

/* The distance of p from the line through o with the unit direction u. */
static double distance_from_line(tact_vec3 o, tact_vec3 u, tact_vec3 p)
{
    tact_vec3 d = vec_sub(p, o);
    return vec_length(vec_mul_add(d, -vec_dot(d, u), u));
}

/* Swaps the candidates at the indices `at` and `best`. */
static void move_candidate(epa_vertex *v, int at, int best)
{
    epa_vertex swap = v[at];
    v[at] = v[best];
    v[best] = swap;
}

static epa_start start_polytope(epa_polytope *t, const gjk_result *from, epa_depth *out)
{
    const epa_pair *pair = t->pair;
    epa_vertex v[EPA_START_POINTS];
    int count = 0;
    for (int i = 0; from->status == GJK_OVERLAP && i < from->count; i++) {
        /* GJK does not return the direction of the point: it is unknown, and the branch is unique. */
        v[count++] =
            (epa_vertex){vec_negate(from->simplex[i].w), from->simplex[i].a,      from->simplex[i].b, {0.0, 0.0, 0.0},
                         UINT64_MAX - (uint64_t)i,       UINT64_MAX - (uint64_t)i};
    }
    if (!(count == 4 && good_tetrahedron(v))) {
        const tact_vec3 axes[6] = {{1.0, 0.0, 0.0},  {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},
                                   {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0},  {0.0, 0.0, -1.0}};
        for (int i = 0; i < 6; i++)
            if (isnan(tact_epa_support(pair, axes[i], &v[count++])))
                return EPA_START_FAILED;
        double flat = EPA_FLAT_NOISE * pair->noise;
        int first = 0, second = 0;
        double longest = 0.0;
        for (int i = 0; i < count; i++)
            for (int j = i + 1; j < count; j++) {
                double square = vec_length_squared(vec_sub(v[i].p, v[j].p));
                if (square > longest) {
                    longest = square;
                    first = i;
                    second = j;
                }
            }
        if (!(longest > flat * flat)) { /* a point */
            finish_flat(pair, axes, 6, from, out);
            return EPA_START_FLAT;
        }
        flat = number_max(flat, EPA_FLAT_RELATIVE * sqrt(longest));
        move_candidate(v, 0, first);
        move_candidate(v, 1, second);
        tact_vec3 line = vec_normalize(vec_sub(v[1].p, v[0].p));
        tact_vec3 across[4];
        vec_tangent_basis(line, &across[0], &across[1]);
        across[2] = vec_negate(across[0]);
        across[3] = vec_negate(across[1]);
        double widest = 0.0;
        for (int pass = 0; pass < 2 && !(widest > flat); pass++) {
            for (int i = 0; i < 4 && pass == 1; i++)
                if (isnan(tact_epa_support(pair, across[i], &v[count++])))
                    return EPA_START_FAILED;
            int best = 2;
            for (int i = 2; i < count; i++) {
                double off = distance_from_line(v[0].p, line, v[i].p);
                if (off > widest) {
                    widest = off;
                    best = i;
                }
            }
            if (count > 2)
                move_candidate(v, 2, best);
        }
        tact_vec3 plane_normal[2];
        if (!(widest > flat)) { /* a segment */
            finish_flat(pair, across, 4, from, out);
            return EPA_START_FLAT;
        }
        plane_normal[0] = facet_normal(v[0].p, v[1].p, v[2].p);
        plane_normal[1] = vec_negate(plane_normal[0]);
        double thickest = 0.0;
        for (int pass = 0; pass < 2 && !(thickest > flat); pass++) {
            for (int i = 0; i < 2 && pass == 1; i++)
                if (isnan(tact_epa_support(pair, plane_normal[i], &v[count++])))
                    return EPA_START_FAILED;
            int best = 3;
            for (int i = 3; i < count; i++) {
                double off = fabs(vec_dot(plane_normal[0], vec_sub(v[i].p, v[0].p)));
                if (off > thickest) {
                    thickest = off;
                    best = i;
                }
            }
            if (count > 3)
                move_candidate(v, 3, best);
        }
        if (!(thickest > flat)) { /* flat */
            finish_flat(pair, plane_normal, 2, from, out);
            return EPA_START_FLAT;
        }
    }
    for (int i = 0; i < 4; i++)
        t->vertices[t->vertex_count++] = v[i];
    if (!make_tetrahedron(t)) {
        tact_vec3 plane_normal[2];
        plane_normal[0] = facet_normal(v[0].p, v[1].p, v[2].p);
        plane_normal[1] = vec_negate(plane_normal[0]);
        finish_flat(pair, plane_normal, 2, from, out);
        return EPA_START_FLAT;
    }
    for (int i = 4; i < count; i++)
        for (uint32_t id = 0; id < t->facet_count; id++)
            if (!t->facets[id].deleted && is_visible(t, v[i].p, &t->facets[id])) {
                t->vertices[t->vertex_count++] = v[i];
                (void)insert(t, t->vertex_count - 1, id); /* at most 10 more points, which fit on the stack */
                break;
            }
    return EPA_START_SOLID;
}

/* ---- closest facet and its points ------------------------------------------------------------------------------- */

/* The barycentric coordinates of the foot of the origin in the facet's plane. Returns the smallest; -INFINITY if the
 * facet has no area. */
static double foot_weights(const epa_polytope *t, const epa_facet *f, double weight[3])
{
    tact_vec3 foot = vec_scale(f->normal, f->distance), q[3];
    for (int i = 0; i < 3; i++)
        q[i] = vec_sub(t->vertices[f->vertex[i]].p, foot);
    double sum = 0.0, least = INFINITY;
    for (int i = 0; i < 3; i++) {
        weight[i] = vec_dot(f->normal, vec_cross(q[(i + 1) % 3], q[(i + 2) % 3]));
        sum += weight[i];
    }
    if (!(sum > 0.0))
        return -INFINITY;
    for (int i = 0; i < 3; i++) {
        weight[i] /= sum;
        least = number_min(least, weight[i]);
    }
    return least;
}

/* Of the facets coplanar with `first` (to within `slack`), the one that contains the foot of the origin. */
static uint32_t facet_containing_foot(epa_polytope *t, uint32_t first, double slack)
{
    tact_vec3 n = t->facets[first].normal;
    double plane = t->facets[first].distance - slack, weight[3];
    uint32_t best = first, visit = ++t->visit, last = first;
    double most = foot_weights(t, &t->facets[first], weight);
    t->facets[first].visit = visit;
    t->facets[first].next = NO_FACET;
    for (uint32_t id = first; id != NO_FACET && most < 0.0; id = t->facets[id].next)
        for (int i = 0; i < 3; i++) {
            uint32_t other = t->facets[id].neighbour[i];
            epa_facet *g = &t->facets[other];
            if (g->visit == visit)
                continue;
            g->visit = visit;
            if (!(vec_dot(n, t->vertices[g->vertex[0]].p) >= plane &&
                  vec_dot(n, t->vertices[g->vertex[1]].p) >= plane && vec_dot(n, t->vertices[g->vertex[2]].p) >= plane))
                continue;
            g->next = NO_FACET;
            t->facets[last].next = other;
            last = other;
            double least = foot_weights(t, g, weight);
            if (least > most) {
                most = least;
                best = other;
            }
        }
    return best;
}

/* Sets out->a and out->b to the points of A and B at the foot of the origin in the facet. */
static void foot_points(const epa_polytope *t, uint32_t id, epa_depth *out)
{
    const epa_facet *f = &t->facets[id];
    double weight[3], sum = 0.0;
    if (!(foot_weights(t, f, weight) > -INFINITY))
        weight[0] = weight[1] = weight[2] = 1.0;
    for (int i = 0; i < 3; i++) {
        weight[i] = number_max(weight[i], 0.0);
        sum += weight[i];
    }
    out->a = out->b = vec_make(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; i++) {
        out->a = vec_mul_add(out->a, weight[i] / sum, t->vertices[f->vertex[i]].a);
        out->b = vec_mul_add(out->b, weight[i] / sum, t->vertices[f->vertex[i]].b);
    }
}

/* ---- expansion -------------------------------------------------------------------------------------------------- */

/* The gap between the bounds of the depth at which the expansion ends. */
static double allowed_gap(const epa_polytope *t, double depth)
{
    double part = EPA_POLYTOPE_GAP;
    if (t->pair->curved) {
        double easy = (double)t->facet_count / EPA_EASY_FACETS, hard = (double)t->facet_count / EPA_HARD_FACETS;
        part = EPA_CURVED_GAP * number_max(easy, 1.0);
        if (hard > 1.0)
            part = number_min(part * (hard * hard) * (hard * hard), EPA_CURVED_GAP_MAX);
    }
    return part * fabs(depth) + t->pair->noise;
}

/* Newton's method from the direction of the support point vertex[0]; the other vertices are those of a facet. Stores
 * the result if it is better. `stationary`: it also stored out->a and out->b. */
static bool refine(epa_polytope *t, const epa_vertex *vertex, int count, epa_depth *out, bool *stationary)
{
    tact_vec3 n = vertex[0].direction, a = {0.0, 0.0, 0.0}, b = {0.0, 0.0, 0.0};
    double value = vec_dot(n, vertex[0].p);
    bool rest = tact_epa_refine_curved(t->pair, vertex, count, &n, &value, &a, &b);
    if (!(value < out->depth))
        return false;
    out->depth = value;
    out->normal = n;
    *stationary = rest;
    if (rest) {
        out->a = a;
        out->b = b;
    }
    t->upper_bound = value;
    return true;
}

/* A start of Newton's method: the support point along a facet's normal, and the facet's vertices. */
typedef struct epa_candidate {
    double value;
    epa_vertex w;
    uint32_t vertex[3];
} epa_candidate;

static void candidate_vertices(const epa_polytope *t, const epa_vertex *w, const uint32_t id[3], epa_vertex vertex[4])
{
    vertex[0] = *w;
    for (int i = 0; i < 3; i++)
        vertex[i + 1] = t->vertices[id[i]];
}

/* Finds a support point on the other side of a kink of the support function than w. Where equally good directions form
 * a ring along a kink, facets have vertices on both sides. The support point along a facet's normal is then always on
 * the rounder side, and the other side would stay coarse. So the normal turns towards a vertex of another branch than
 * w, until that branch has the largest value. False if no such point is outside the facet. */
static bool sample_across_kink(const epa_polytope *t, const epa_facet *f, const epa_vertex *w, epa_vertex *v)
{
    double value = vec_dot(f->normal, w->p);
    for (int i = 0; i < 3; i++) {
        const epa_vertex *vertex = &t->vertices[f->vertex[i]];
        if (vertex->branch_a == w->branch_a && vertex->branch_b == w->branch_b)
            continue;
        tact_vec3 d = vec_sub(vertex->p, w->p);
        d = vec_mul_add(d, -vec_dot(d, f->normal), f->normal);
        double square = vec_length_squared(d), turn = EPA_KINK_TURN * (value - vec_dot(f->normal, vertex->p)) / square;
        if (!(turn * turn * square < EPA_KINK_MAX_TURN * EPA_KINK_MAX_TURN) ||
            isnan(tact_epa_support(t->pair, vec_normalize(vec_mul_add(f->normal, turn, d)), v)))
            continue;
        if (!(v->branch_a == w->branch_a && v->branch_b == w->branch_b) &&
            vec_dot(f->normal, v->p) - f->distance > t->pair->noise && is_visible(t, v->p, f))
            return true;
    }
    return false;
}

static void expand(epa_polytope *t, const gjk_result *from, epa_depth *out)
{
    const epa_pair *pair = t->pair;
    uint32_t best = NO_FACET;
    bool stationary = false; /* out->a and out->b are known from Newton's method */
    epa_vertex w, vertex[4];
    epa_candidate other = {.value = INFINITY};
    double expanded = 0.0, next_restart = EPA_RESTART_AFTER;
    bool tried_gjk_axis = !pair->curved; /* or it is not needed */
    if (pair->curved && tact_epa_refine_caps(pair, &out->normal, &out->depth)) {
        t->upper_bound = out->depth;
        stationary = false;
    }
    for (;;) {
        uint32_t id = nearest_facet(t);
        if (id == NO_FACET)
            break; /* every facet nearer than the upper bound is on the surface */
        epa_facet f = t->facets[id];
        out->lower = f.distance;
        if (out->depth < INFINITY && out->depth - f.distance <= allowed_gap(t, out->depth))
            break; /* no direction is better by more than the allowed gap */
        double value = tact_epa_support(pair, f.normal, &w);
        if (isnan(value)) {
            out->status = TACT_BAD_ARGUMENT;
            return;
        }
        expanded += 1.0;
        if (value < out->depth) {
            best = id;
            if (pair->curved && value - f.distance <= EPA_NEWTON_GAP * fabs(value) + pair->noise) {
                tried_gjk_axis = true;
                candidate_vertices(t, &w, f.vertex, vertex);
                (void)refine(t, vertex, 4, out, &stationary);
            } else {
                out->depth = t->upper_bound = value;
                out->normal = f.normal;
                stationary = false;
            }
        } else if (pair->curved && value < other.value &&
                   vec_length_squared(vec_sub(f.normal, out->normal)) * expanded > EPA_RESTART_ANGLE) {
            other = (epa_candidate){value, w, {f.vertex[0], f.vertex[1], f.vertex[2]}};
        }
        /* Near touch GJK has tried good directions already, while the facets may be far from them. */
        if (!tried_gjk_axis && (expanded >= EPA_GJK_AXIS_AFTER || from->status != GJK_OVERLAP)) {
            tried_gjk_axis = true;
            if (vec_max_abs(from->best_axis) > 0.0 && !isnan(tact_epa_support(pair, from->best_axis, &vertex[0])) &&
                refine(t, vertex, 1, out, &stationary))
                best = NO_FACET;
        }
        if (expanded >= next_restart && other.value < INFINITY) {
            next_restart *= EPA_RESTART_FACTOR;
            candidate_vertices(t, &other.w, other.vertex, vertex);
            if (refine(t, vertex, 4, out, &stationary))
                best = NO_FACET;
            other.value = INFINITY;
        }
        heap_pop(t);
        /* A support point beyond the plane by no more than rounding means that the facet is on the surface. A facet
         * that is not visible although its value says so is a sliver with a normal of rounding error. Its neighbours
         * have nearly the same plane. */
        if (value - f.distance <= pair->noise || !is_visible(t, w.p, &f))
            continue;
        if (pair->curved && expanded >= EPA_KINK_AFTER && fmod(expanded, 2.0) == 0.0) {
            epa_vertex v;
            if (sample_across_kink(t, &f, &w, &v))
                w = v;
        }
        if (!reserve(t, 3)) /* reserves a vertex as well */
            break;
        t->vertices[t->vertex_count++] = w;
        if (!insert(t, t->vertex_count - 1, id))
            break;
    }
    out->facets = (int)t->facet_count;
    if (t->out_of_memory || t->full || !(out->depth < INFINITY)) {
        out->status = t->out_of_memory ? TACT_OUT_OF_MEMORY : TACT_NOT_CONVERGED;
        if (t->out_of_memory || !(out->depth < INFINITY))
            return;
    }
    /* The facet that gave the depth if it still exists, else the nearest one. */
    if (best == NO_FACET || t->facets[best].deleted) {
        uint32_t nearest = nearest_facet(t);
        for (uint32_t id = 0; nearest == NO_FACET && id < t->facet_count; id++)
            if (!t->facets[id].deleted &&
                (best == NO_FACET || t->facets[best].deleted || t->facets[id].distance < t->facets[best].distance))
                best = id;
        if (nearest != NO_FACET)
            best = nearest;
        /* Of several equally good directions, the normal of this facet. */
        epa_vertex v;
        double value = tact_epa_support(pair, t->facets[best].normal, &v);
        if (!stationary && value <= out->depth + pair->noise) {
            out->depth = value;
            out->normal = t->facets[best].normal;
        }
    }
    best = facet_containing_foot(t, best, allowed_gap(t, out->depth) + 2.0 * pair->noise);
    candidate_vertices(t, &t->vertices[0], t->facets[best].vertex, vertex);
    if (!pair->curved)
        tact_epa_refine_polytope(pair, &vertex[1], out);
    else if (!stationary &&
             !isnan(tact_epa_support(pair, out->normal, &vertex[0]))) /* once more, with the closest vertices */
        stationary = tact_epa_refine_curved(pair, vertex, 4, &out->normal, &out->depth, &out->a, &out->b);
    if (!stationary)
        foot_points(t, best, out);
    out->lower = number_min(out->lower, out->depth);
}

void tact_epa_expand(const epa_pair *pair, const gjk_result *from, const tact_allocator *allocator, epa_depth *out)
{
    epa_stack stack; /* not initialised: every element is written before it is read */
    epa_polytope t = {.pair = pair, .allocator = allocator, .capacity = EPA_STACK_FACETS, .upper_bound = INFINITY};
    t.facets = stack.facets;
    t.vertices = stack.vertices;
    t.heap = stack.heap;
    t.first_facet = stack.first_facet;
    *out = (epa_depth){.status = TACT_OK, .depth = INFINITY, .lower = -INFINITY, .normal = {0.0, 0.0, 1.0}};
    switch (start_polytope(&t, from, out)) {
    case EPA_START_SOLID:
        expand(&t, from, out);
        break;
    case EPA_START_FAILED:
        out->status = TACT_BAD_ARGUMENT;
        break;
    case EPA_START_FLAT:
        break;
    }
    tact_memory_free(allocator, t.block, t.capacity, BYTES_PER_FACET);
}
