/*
 * Contact points of meshes, soups and compounds, with normals that know the edges of a mesh.
 *
 * Guarantee: every point is a pair, on A's surface and on B's, that differ by its depth along its normal. At a point of
 * a mesh the normal leans towards no triangle around that point: it lies in the normal cone (the Voronoi region) of the
 * face, edge or corner that the point is on. So a body that slides over a flat or hollow edge gets the normals of faces
 * alone, and on a ridge one between those of the two faces. Swapping A and B mirrors the answer bit for bit.
 *
 * For each pair of elements within reach we begin with the manifold of two convex shapes. The triangles around its
 * deepest point, found in the tree, are the neighbours: if a corner of one of them lies in front of the plane through
 * the point across the normal, the normal is one that the triangle would have alone and the mesh has not. Then the
 * face's normal takes its place, the manifold is laid out along that, and only points over the triangle itself count:
 * beside it they belong to its neighbours, which are asked too. The same where the normal is the face's but for
 * rounding, so that a plane gives one normal however finely it is cut.
 *
 * No point is deeper than the bodies are, for the way that parts the bodies parts every pair of elements. What is
 * deeper comes from a face that something passes by, as the walls of stacked boxes: there the points are those along
 * the normal that parts the bodies, if it is one of both surfaces there, and else none. Nor does a solid press with a
 * face that the normal goes into. The depth of the bodies is asked for only if a point is deeper than every pair of
 * elements is alone, and not on a shell whose contacts all push to one side. Cost: a convex manifold, a search in the
 * tree or two, and a look at the points kept so far, for each pair in reach.
 */
#include "complex/complex_contact.h"
#include "complex/traversal.h"
#include "convex/convex_query.h"
#include "math/fp_environment.h"

/* A sine: a normal that leans less towards a neighbour leans because of rounding. */
#define LEAN 1e-5

/* One minus a cosine: a normal this close (0.08 degrees) to that of its face is that of its face. */
#define SAME_NORMAL 1e-6

/* Of the size of the triangle and of its coordinates: points so near to it are on it. */
#define ON_TRIANGLE 1e-9

/* Of the smaller body's size: points nearer to each other are one. */
#define SAME_PLACE 1e-7

/* Of the smaller body's size: a point deeper than the bodies by this is deeper, and not by rounding. */
#define DEEPER 1e-9

/* Of the smaller body's size: elements this near to each other touch but for rounding, and faces may be in reach where
 * they do. */
#define TOUCHING 1e-13

/* A cosine: normals that are closer push to one side. */
#define AGREE 0.5

/* Points from which a manifold is chosen. */
#define MANIFOLD_ROOM 64

/* ---- triangles and their neighbours ------------------------------------------------------------------------------ */

typedef struct facet {
    const primitive *at;
    tact_vec3 corner[3];
    tact_vec3 normal; /* zero without area; outward for solids */
    double size;      /* largest edge, plus rounding of coordinates */
} facet;

static bool facet_make(const primitive *at, facet *f)
{
    const mesh *m = at->of->shape->mesh;
    if (at->of->shape->type != TACT_MESH)
        return false;
    f->at = at;
    mesh_triangle(m, &at->of->at, at->element, f->corner);
    tact_vec3 e = vec_sub(f->corner[1], f->corner[0]), g = vec_sub(f->corner[2], f->corner[0]);
    tact_vec3 n = vec_normalize(vec_cross(e, g));
    double length = vec_length(n); /* 1 up to rounding; once more, so that of a plane across an axis it is 1 */
    f->normal = length > 0.0 ? vec_make(n.x / length, n.y / length, n.z / length) : n;
    f->size = fmax(fmax(vec_length_safe(e), vec_length_safe(g)), vec_length_safe(vec_sub(f->corner[2], f->corner[1])));
    f->size += 1e-3 * fmax(vec_max_abs(f->corner[0]), vec_max_abs(f->corner[1]));
    const tact_transform *p = &at->of->at;
    if (m->solid && vec_dot(vec_cross(p->x_axis, p->y_axis), p->z_axis) < 0.0)
        f->normal = vec_negate(f->normal);
    return vec_max_abs(f->normal) > 0.0;
}

/* The distance from a point to a triangle (squared distances would lose what is near). */
static double from_triangle(const tact_vec3 p[3], tact_vec3 q)
{
    double nearest = INFINITY;
    bool inside = true;
    tact_vec3 n = vec_normalize(vec_cross(vec_sub(p[1], p[0]), vec_sub(p[2], p[0])));
    for (int i = 0; i < 3; i++) {
        tact_vec3 d = vec_sub(p[(i + 1) % 3], p[i]), to = vec_sub(q, p[i]);
        double square = vec_length_squared(d), t = square > 0.0 ? fmin(fmax(vec_dot(d, to) / square, 0.0), 1.0) : 0.0;
        nearest = fmin(nearest, vec_length_safe(vec_mul_add(to, -t, d)));
        inside = inside && vec_dot(vec_cross(n, d), to) >= 0.0;
    }
    return inside && vec_max_abs(n) > 0.0 ? fabs(vec_dot(n, vec_sub(q, p[0]))) : nearest;
}

typedef struct neighbours {
    const instance *of;
    tact_vec3 point, normal;
    double near;
    bool leans;
} neighbours;

static double look_at_neighbour(void *context, uint32_t triangle, double limit)
{
    neighbours *s = context;
    tact_vec3 corner[3];
    mesh_triangle(s->of->shape->mesh, &s->of->at, triangle, corner);
    if (from_triangle(corner, s->point) > s->near)
        return limit;
    for (int i = 0; i < 3; i++) {
        tact_vec3 to = vec_sub(corner[i], s->point);
        double size = vec_length_safe(to);
        if (size > 2.0 * s->near && vec_dot(s->normal, to) > LEAN * size + s->near)
            s->leans = true;
    }
    return s->leans ? -1.0 : limit;
}

/* Whether a normal at a point of the triangle leans towards a triangle around that point. */
static bool leans(const facet *f, tact_vec3 point, tact_vec3 normal)
{
    const tact_transform frame = tact_identity();
    neighbours s = {f->at->of, point, normal, ON_TRIANGLE * f->size, false};
    const box query = box_of_point(point);
    (void)tact_aabb_tree_nearest(&f->at->of->shape->mesh->tree, &f->at->of->at, &query, &frame, 2.0 * s.near,
                                 look_at_neighbour, &s);
    return s.leans;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

typedef struct collection {
    tact_contact_point *points; /* the deepest first */
    size_t room, kept, found;
    double same; /* a length */
    double reach;
    bool one_normal; /* only points with this normal */
    tact_vec3 normal;
    const tact_allocator *allocator;
    tact_status status;
    tact_contact_point deepest; /* of all pairs, for want of a better one */
    bool any;
    double touch;       /* a length: elements this near to each other touch but for rounding */
    double slack;       /* a length, for comparing depths */
    double pairs_most;  /* the depth of the deepest pair of elements alone: no more than that of the bodies */
    double points_most; /* the depth of the deepest contact */
    bool goes_in;       /* a contact's normal goes into a face */
    bool some;          /* there was a point, with this normal; others disagree with it */
    tact_vec3 first_normal;
    bool disagree;
    bool touches; /* a face that is touched but for rounding, and its normal from A to B */
    tact_vec3 touched;
    bool bounded; /* the depth of the bodies is known: */
    tact_penetration bodies;
} collection;

static void add_point(collection *c, const tact_contact_point *p)
{
    c->first_normal = c->some ? c->first_normal : p->normal;
    c->some = true;
    c->disagree = c->disagree || vec_dot(p->normal, c->first_normal) < AGREE;
    if (c->one_normal && !(vec_dot(p->normal, c->normal) >= 1.0 - SAME_NORMAL))
        return;
    for (size_t i = 0; i < c->kept; i++) {
        const tact_contact_point *q = &c->points[i];
        if (vec_max_abs(vec_sub(p->on_a, q->on_a)) <= c->same && vec_max_abs(vec_sub(p->on_b, q->on_b)) <= c->same &&
            vec_dot(p->normal, q->normal) >= 1.0 - SAME_NORMAL)
            return;
    }
    c->found++;
    size_t at = c->kept < c->room ? c->kept++ : c->room;
    if (at == c->room && (at == 0 || !(p->depth > c->points[at - 1].depth)))
        return;
    at = at == c->room ? at - 1 : at;
    for (; at > 0 && c->points[at - 1].depth < p->depth; at--)
        c->points[at] = c->points[at - 1];
    c->points[at] = *p;
}

/* Corners of B's triangle on A's, or of A's on B's, where that is across the normal: clipping an edge that lies along
 * the rim of a triangle loses the ends of it to rounding. */
static void add_corners(collection *c, const facet *face, const facet *other, bool face_of_a, const tact_penetration *d,
                        double margin_a, double margin_b)
{
    if (!(fabs(vec_dot(face->normal, d->normal)) >= 1.0 - SAME_NORMAL))
        return;
    tact_vec3 up = face_of_a ? d->normal : vec_negate(d->normal); /* away from the face */
    for (int i = 0; i < 3; i++) {
        tact_vec3 p = other->corner[i];
        double core = vec_dot(up, vec_sub(face->corner[0], p)), depth = core + (margin_a + margin_b);
        tact_vec3 on = vec_mul_add(p, core, up);
        if (!(depth >= -c->reach) || !(fabs(depth - d->depth) <= c->slack) ||
            from_triangle(face->corner, on) > ON_TRIANGLE * face->size)
            continue;
        tact_contact_point q = {.normal = d->normal, .depth = depth, .part_a = d->part_a, .part_b = d->part_b};
        q.on_a = vec_mul_add(face_of_a ? on : p, margin_a, d->normal);
        q.on_b = vec_mul_add(face_of_a ? p : on, -margin_b, d->normal);
        add_point(c, &q);
    }
}

/* The points of two elements along the normal of `d`; those on `over`, if it is not NULL. */
static void add_points(collection *c, const convex *ca, const convex *cb, const tact_penetration *d, const facet *over,
                       bool over_a)
{
    tact_manifold m = {.status = TACT_OK};
    tact_convex_manifold_along(ca, cb, d, c->reach, &m);
    for (int i = 0; i < m.count; i++) {
        const tact_manifold_point *q = &m.points[i];
        if (over != NULL) {
            double margin = over_a ? ca->margin : -cb->margin;
            tact_vec3 on = vec_mul_add(over_a ? q->on_a : q->on_b, -margin, d->normal);
            if (from_triangle(over->corner, on) > ON_TRIANGLE * over->size)
                continue;
        }
        c->points_most = fmax(c->points_most, q->depth);
        add_point(c, &(tact_contact_point){q->on_a, q->on_b, d->normal, q->depth, d->part_a, d->part_b});
    }
}

static double height(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin));
}

/* The depth of two elements along the normal of a triangle that is one of them: of A, or of B. */
static tact_penetration depth_along_face(const convex *ca, const convex *cb, const facet *f, bool of_a,
                                         const tact_penetration *d)
{
    const convex *other = of_a ? cb : ca;
    tact_vec3 n = f->normal, out;
    double plane = vec_dot(n, f->corner[0]);
    if (!f->at->of->shape->mesh->solid && height(other, n) - plane < plane + height(other, vec_negate(n)))
        n = vec_negate(n); /* a shell pushes to the side where more of the other is */
    plane = vec_dot(n, f->corner[0]);
    out = vec_negate(n);
    tact_vec3 lowest = vec_add(tact_convex_support(other, out, NULL), other->transform.origin);
    double core = plane - vec_dot(n, lowest);
    tact_vec3 on_face = vec_mul_add(lowest, core, n);
    tact_penetration along = *d;
    along.depth = core + (ca->margin + cb->margin);
    along.normal = of_a ? n : out;
    along.on_a = vec_mul_add(of_a ? on_face : lowest, ca->margin, along.normal);
    along.on_b = vec_mul_add(of_a ? lowest : on_face, -cb->margin, along.normal);
    return along;
}

/* The depth of two elements along the normal that parts the bodies. Its points are farthest along it on each, and as a
 * rule not opposite each other. */
static tact_penetration depth_along(const convex *ca, const convex *cb, tact_vec3 n, const tact_penetration *d)
{
    tact_vec3 a = vec_add(tact_convex_support(ca, n, NULL), ca->transform.origin);
    tact_vec3 b = vec_add(tact_convex_support(cb, vec_negate(n), NULL), cb->transform.origin);
    tact_penetration along = *d;
    along.depth = vec_dot(n, vec_sub(a, b)) + (ca->margin + cb->margin);
    along.normal = n;
    along.on_a = vec_mul_add(a, ca->margin, n);
    along.on_b = vec_mul_add(b, -cb->margin, n);
    return along;
}

/* Whether a normal that points out of a body goes into its surface at a point there, margin left out. */
static bool goes_in(const facet *f, tact_vec3 point, tact_vec3 outwards)
{
    return (f->at->of->shape->mesh->solid && vec_dot(outwards, f->normal) < -(1.0 - SAME_NORMAL)) ||
           leans(f, point, outwards);
}

/* Points along the normal that parts the bodies, where it is a normal of both surfaces. */
static void add_parting_points(collection *c, const convex *ca, const convex *cb, const tact_penetration *pair,
                               const facet *const faces[2])
{
    tact_penetration d = depth_along(ca, cb, c->bodies.normal, pair);
    if (!(d.depth >= -c->reach) || d.depth > c->bodies.depth + c->slack)
        return;
    tact_manifold m = {.status = TACT_OK};
    tact_convex_manifold_along(ca, cb, &d, c->reach, &m);
    for (int i = 0; i < 2 && faces[0] != NULL && faces[1] != NULL; i++) {
        tact_vec3 outwards = i == 0 ? d.normal : vec_negate(d.normal);
        if (!faces[i]->at->of->shape->mesh->solid || vec_dot(faces[i]->normal, outwards) > 0.0)
            add_corners(c, faces[i], faces[1 - i], i == 0, &d, ca->margin, cb->margin);
    }
    for (int i = 0; i < m.count; i++) {
        const tact_manifold_point *q = &m.points[i];
        if (vec_max_abs(vec_sub(vec_sub(q->on_a, q->on_b), vec_scale(d.normal, q->depth))) > c->same)
            continue; /* no common area: they pass by each other */
        if ((faces[0] != NULL && goes_in(faces[0], vec_mul_add(q->on_a, -ca->margin, d.normal), d.normal)) ||
            (faces[1] != NULL && goes_in(faces[1], vec_mul_add(q->on_b, cb->margin, d.normal), vec_negate(d.normal))))
            continue;
        add_point(c, &(tact_contact_point){q->on_a, q->on_b, d.normal, q->depth, d.part_a, d.part_b});
    }
}

static double contact_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    collection *c = context;
    convex ca, cb;
    tact_penetration d;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        c->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    tact_status status = tact_convex_penetration(&ca, &cb, c->allocator, &d);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED) {
        c->status = status;
        return -1.0;
    }
    if (!(d.depth >= -(c->reach + c->touch)))
        return limit;
    d.part_a = primitive_part(a);
    d.part_b = primitive_part(b);
    c->pairs_most = fmax(c->pairs_most, d.depth);
    const primitive *spots[2] = {a, b};
    const facet *over = NULL;
    facet face[2];
    const facet *faces[2] = {NULL, NULL};
    bool over_a = true;
    for (int i = 0; i < 2; i++)
        faces[i] = facet_make(spots[i], &face[i]) ? &face[i] : NULL;
    for (int i = 0; i < 2 && over == NULL; i++) {
        if (faces[i] == NULL)
            continue;
        tact_vec3 outwards = i == 0 ? d.normal : vec_negate(d.normal);
        tact_vec3 on = i == 0 ? vec_mul_add(d.on_a, -ca.margin, d.normal) : vec_mul_add(d.on_b, cb.margin, d.normal);
        double straight = vec_dot(outwards, face[i].normal);
        bool solid = face[i].at->of->shape->mesh->solid;
        if ((solid ? straight : fabs(straight)) >= 1.0 - SAME_NORMAL || (solid && straight < 0.0) ||
            leans(&face[i], on, outwards)) {
            over = &face[i];
            over_a = i == 0;
        }
    }
    if (over != NULL)
        d = depth_along_face(&ca, &cb, over, over_a, &d);
    const facet *other = over_a ? faces[1] : faces[0];
    bool wrong = over != NULL && other != NULL && other->at->of->shape->mesh->solid &&
                 vec_dot(other->normal, over_a ? d.normal : vec_negate(d.normal)) > 1.0 - SAME_NORMAL;
    if (c->bounded && (wrong || d.depth > c->bodies.depth + c->slack)) {
        add_parting_points(c, &ca, &cb, &d, faces);
        return limit;
    }
    c->goes_in = c->goes_in || wrong;
    if (over != NULL && !wrong && !c->touches && fabs(d.depth) <= c->touch) {
        c->touches = true;
        c->touched = d.normal;
    }
    if (!c->any || d.depth > c->deepest.depth)
        c->deepest = (tact_contact_point){d.on_a, d.on_b, d.normal, d.depth, d.part_a, d.part_b};
    c->any = true;
    if (d.depth >= -c->reach)
        add_points(c, &ca, &cb, &d, over, over_a);
    if (over != NULL && other != NULL)
        add_corners(c, over, other, over_a, &d, ca.margin, cb.margin);
    return limit;
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

static double size_of(const instance *p)
{
    tact_bounds bounds;
    if (tact_instance_bounds(p, &bounds) != TACT_OK)
        return 0.0;
    return vec_max_abs(vec_sub(bounds.max, bounds.min));
}

/* All points of two placed shapes, in their one order. */
static void collect(const instance both[2], collection *c)
{
    if (shape_is_empty(both[0].shape) || shape_is_empty(both[1].shape))
        return;
    double sizes[2] = {size_of(&both[0]), size_of(&both[1])};
    double smaller = fmin(sizes[0], sizes[1]);
    c->same = SAME_PLACE * (smaller > 0.0 ? smaller : fmax(sizes[0], sizes[1]));
    c->slack = DEEPER * c->same / SAME_PLACE;
    c->touch = TOUCHING * c->same / SAME_PLACE;
    c->pairs_most = -INFINITY;
    c->points_most = -INFINITY;
    c->allocator = &both[0].shape->allocator;
    traversal w = {c, contact_pair, NULL, false, TACT_OK};
    (void)tact_traverse_pairs(&w, &both[0], &both[1], c->reach + c->touch);
    if (w.status != TACT_OK)
        c->status = w.status;
}

static void swap_point(tact_contact_point *p)
{
    *p = (tact_contact_point){p->on_b, p->on_a, vec_negate(p->normal), p->depth, p->part_b, p->part_a};
}

static bool is_shell(const instance *p) { return p->shape->type == TACT_MESH && !p->shape->mesh->solid; }

/* Whether points may be deeper than the bodies. On a shell whose contacts push to one side, as a landscape, they are
 * what is asked for, and the depth would cost some six times as much as they. */
static bool in_doubt(const instance both[2], const collection *c)
{
    if (c->goes_in || (c->found == 0 && c->any))
        return true;
    return c->points_most > c->pairs_most + c->slack && (c->disagree || !(is_shell(&both[0]) || is_shell(&both[1])));
}

static tact_contacts contacts_of(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                 const tact_transform *transform_b, const complex_casts *casts, collection *c)
{
    instance both[2];
    bool swapped;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return (tact_contacts){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    if (swapped && c->one_normal)
        c->normal = vec_negate(c->normal);
    if (swapped && c->bounded)
        c->bodies.normal = vec_negate(c->bodies.normal);
    const collection before = *c;
    collect(both, c);
    if (c->status == TACT_OK && !c->bounded && in_doubt(both, c)) {
        tact_penetration d = tact_complex_penetration(both[0].shape, &both[0].at, both[1].shape, &both[1].at, casts);
        if (d.status == TACT_OK) {
            if (c->touches && fabs(d.depth) <= c->touch)
                d.normal = c->touched; /* a gap of a few roundings has any direction */
            *c = before;
            c->bounded = true;
            c->bodies = d;
            collect(both, c);
            if (c->status == TACT_OK && c->found == 0 && d.depth >= -c->reach)
                add_point(c, &(tact_contact_point){d.on_a, d.on_b, d.normal, d.depth, d.part_a, d.part_b});
        } else if (d.status != TACT_NOT_CONVERGED) {
            c->status = d.status;
        }
    }
    if (c->status != TACT_OK)
        return (tact_contacts){.status = c->status, .state = TACT_UNKNOWN};
    if (c->found == 0 && !c->one_normal && c->any && c->deepest.depth >= -c->reach)
        add_point(c, &c->deepest);
    for (size_t i = 0; swapped && i < c->kept; i++)
        swap_point(&c->points[i]);
    return (tact_contacts){TACT_OK, c->found > 0 ? TACT_HIT : TACT_MISS, c->found};
}

static TACT_NOINLINE tact_contacts compute_contacts(const tact_shape *a, const tact_transform *transform_a,
                                                    const tact_shape *b, const tact_transform *transform_b,
                                                    double reach, tact_contact_point *points, size_t room,
                                                    const complex_casts *casts)
{
    collection c = {.points = points, .room = room, .reach = reach, .status = TACT_OK};
    tact_contacts out = contacts_of(a, transform_a, b, transform_b, casts, &c);
    if (out.state != TACT_MISS)
        return out;
    /* No elements in reach: one may be inside the other. */
    tact_overlap touch = tact_complex_within(a, transform_a, b, transform_b, 0.0);
    if (touch.state != TACT_HIT)
        return (tact_contacts){.status = touch.status, .state = touch.state};
    tact_penetration d = tact_complex_penetration(a, transform_a, b, transform_b, casts);
    if (d.status != TACT_OK)
        return (tact_contacts){.status = d.status, .state = TACT_UNKNOWN};
    if (room > 0)
        points[0] = (tact_contact_point){d.on_a, d.on_b, d.normal, d.depth, d.part_a, d.part_b};
    return (tact_contacts){TACT_OK, TACT_HIT, 1};
}

tact_contacts tact_complex_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double max_separation,
                                    tact_contact_point *points, size_t capacity, const complex_casts *casts)
{
    const fp_environment found = fp_environment_enter();
    const tact_contacts answer =
        compute_contacts(a, transform_a, b, transform_b, max_separation, points, capacity, casts);
    fp_environment_leave(found);
    return answer;
}

/* Chooses points that are far from those chosen before. */
static void spread(tact_manifold *m, tact_contact_point *points, size_t count)
{
    while (m->count < TACT_MANIFOLD_POINTS && count > 0) {
        size_t best = 0;
        double farthest = -1.0;
        for (size_t i = 0; i < count; i++) {
            double nearest = INFINITY;
            for (int k = 0; k < m->count; k++)
                nearest = fmin(nearest, vec_length_safe(vec_sub(points[i].on_a, m->points[k].on_a)));
            if (nearest > farthest) {
                farthest = nearest;
                best = i;
            }
        }
        /* Its own normal may lean a little from that of all: its depth is taken along the latter, and B's point lies
         * there. */
        const tact_contact_point *p = &points[best];
        double depth = fmin(vec_dot(vec_sub(p->on_a, p->on_b), m->normal), m->depth);
        if (farthest > 0.0)
            m->points[m->count++] =
                (tact_manifold_point){p->on_a, vec_mul_add(p->on_a, -depth, m->normal), depth, p->part_a, p->part_b};
        points[best] = points[--count];
    }
    /* the deepest first, as promised: along the one normal the order may be another */
    for (int i = 1; i < m->count; i++)
        for (int k = i; k > 1 && m->points[k].depth > m->points[k - 1].depth; k--) {
            tact_manifold_point p = m->points[k];
            m->points[k] = m->points[k - 1];
            m->points[k - 1] = p;
        }
}

static TACT_NOINLINE tact_manifold compute_manifold(const tact_shape *a, const tact_transform *transform_a,
                                                    const tact_shape *b, const tact_transform *transform_b,
                                                    double reach, const complex_casts *casts)
{
    tact_manifold out = {.status = TACT_OK};
    tact_penetration d = tact_complex_penetration(a, transform_a, b, transform_b, casts);
    out.status = d.status;
    if (d.status != TACT_OK)
        return out;
    out.normal = d.normal;
    out.depth = d.depth;
    out.state = d.depth >= -reach ? TACT_HIT : TACT_MISS;
    if (out.state == TACT_MISS)
        return out;
    tact_contact_point points[MANIFOLD_ROOM];
    collection c = {.points = points, .room = MANIFOLD_ROOM, .reach = reach, .one_normal = true, .normal = d.normal};
    c.status = TACT_OK;
    c.bounded = true;
    c.bodies = d;
    tact_contacts found = contacts_of(a, transform_a, b, transform_b, casts, &c);
    if (found.status != TACT_OK)
        return (tact_manifold){.status = found.status};
    /* The deepest point found is the depth's own, unless something else keeps them together. */
    size_t count = c.kept, from = 0;
    tact_manifold_point first = {d.on_a, d.on_b, d.depth, d.part_a, d.part_b};
    if (count > 0 && points[0].depth >= d.depth - c.same) {
        first = (tact_manifold_point){points[0].on_a, vec_mul_add(points[0].on_a, -d.depth, d.normal), d.depth,
                                      points[0].part_a, points[0].part_b};
        from = 1;
    }
    out.points[out.count++] = first;
    spread(&out, points + from, count - from);
    return out;
}

tact_manifold tact_complex_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double max_separation,
                                    const complex_casts *casts)
{
    const fp_environment found = fp_environment_enter();
    const tact_manifold answer = compute_manifold(a, transform_a, b, transform_b, max_separation, casts);
    fp_environment_leave(found);
    return answer;
}
