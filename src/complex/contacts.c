/*
 * Contact points of meshes, soups and compounds, with normals that respect the edges of a mesh.
 *
 * Guarantee: every contact is a pair of points, on the surface of A and of B, that differ by its depth along its
 * normal. At a point of a mesh the normal lies in the normal cone (the Voronoi region) of the face, edge or vertex that
 * the point is on. So a body that slides over a flat or concave edge gets face normals only, and on a convex edge a
 * normal between those of the two faces. Swapping A and B mirrors the answer bit for bit.
 *
 * Method. Each pair of primitives within max_separation starts with the manifold of two convex shapes. The tree
 * finds the triangles around its deepest point. Take the plane through that point perpendicular to the normal. If a
 * vertex of one of these triangles lies in front of it, a triangle alone would have that normal, but the mesh does
 * not. Then the normal of the face replaces it, the manifold is computed along that, and only points over the
 * triangle itself count: those beside it belong to neighbours, which are visited too. The same applies where the
 * normal is that of the face up to rounding, so a plane has one normal however finely it is triangulated.
 *
 * Flat regions (shape/flat_regions.h) of a mesh are one face to a convex shape. The contact area is the intersection of
 * its support face and the region. The corners of that are corners of the support face over the region, or on the rim
 * of the region. The former are found from the plane alone, the latter are points of triangles at the rim, which are
 * examined one by one. All other points of the area are convex combinations of these, and so are their depths: contact
 * forces at the corners have all resultants that those in the whole area have.
 *
 * Depth. The displacement that separates the bodies separates every pair of primitives, so no pair of primitives is
 * deeper than the bodies. A contact that is deeper comes from a face that the other body passes by, such as the side
 * walls of stacked boxes. A pair of primitives with such a contact gives points along the normal that separates the
 * bodies, if that is a normal of both surfaces there, and no points otherwise. A solid has no contacts on a face
 * that the normal points into. The depth of the bodies is computed only if a contact is deeper than every pair of
 * primitives alone, and not on an open mesh whose contacts all push to one side.
 *
 * Cost: for each pair within max_separation a convex manifold and one or two searches for the triangles around a point,
 * in the tree or, where many boxes contain the point, in cells (contact_cells.h). For each contact
 * found one among those stored so far: an index, where they are many (contact_index.h). For a flat region one manifold
 * and a search for each of its points.
 */
#include "complex/closest_triangle.h"
#include "complex/complex_contact.h"
#include "complex/contact_cells.h"
#include "complex/contact_index.h"
#include "complex/primitive_feature.h"
#include "convex/convex_query.h"
#include "core/number.h"
#include "core/work.h"
#include "math/fp_environment.h"

/* ---- triangles and their neighbours ------------------------------------------------------------------------------ */

typedef struct contact_triangle {
    const primitive *at;
    contact_cells *cells; /* of its side */
    tact_vec3 vertex[3];
    tact_vec3 normal; /* unit, outward for solids; zero without area */
    double size;      /* length: the longest edge, plus rounding of coordinates */
} contact_triangle;

static bool contact_triangle_make(const primitive *at, contact_cells *cells, contact_triangle *f)
{
    const mesh *m = at->of->shape->mesh;
    if (at->of->shape->type != TACT_MESH)
        return false;
    f->at = at;
    f->cells = cells;
    mesh_triangle(m, &at->of->at, at->element, f->vertex);
    tact_vec3 e = vec_sub(f->vertex[1], f->vertex[0]), g = vec_sub(f->vertex[2], f->vertex[0]);
    tact_vec3 n = vec_normalize(vec_cross(e, g));
    double length =
        vec_length(n); /* 1 up to rounding; normalised again, so that it is exactly 1 on a coordinate plane */
    f->normal = length > 0.0 ? vec_make(n.x / length, n.y / length, n.z / length) : n;
    f->size = number_max(number_max(vec_length_safe(e), vec_length_safe(g)),
                         vec_length_safe(vec_sub(f->vertex[2], f->vertex[1])));
    f->size += 1e-3 * number_max(vec_max_abs(f->vertex[0]), vec_max_abs(f->vertex[1]));
    const tact_transform *p = &at->of->at;
    if (mesh_has_front(m) && vec_dot(vec_cross(p->x_axis, p->y_axis), p->z_axis) < 0.0)
        f->normal = vec_negate(f->normal);
    return vec_max_abs(f->normal) > 0.0;
}

typedef struct triangle_neighbours {
    const instance *of;
    tact_vec3 point, normal;
    double near;
    bool leans;
} triangle_neighbours;

/* Whether a point is certainly farther than `near` from the plane of a triangle: most of the triangles whose boxes
 * contain it, where many large ones cross. */
static bool plane_is_farther(const tact_vec3 vertex[3], tact_vec3 point, double near)
{
    const tact_vec3 e = vec_sub(vertex[1], vertex[0]), g = vec_sub(vertex[2], vertex[0]),
                    to = vec_sub(point, vertex[0]), n = vec_cross(e, g);
    const double height = fabs(vec_dot(n, to)),
                 rounding = COMPLEX_CONTACT_PLANE_ROUNDING * vec_max_abs(e) * vec_max_abs(g) * vec_max_abs(to);
    return height > 2.0 * near * vec_length(n) + rounding;
}

static double visit_neighbour(void *context, uint32_t triangle, double limit)
{
    triangle_neighbours *s = context;
    tact_vec3 vertex[3];
    mesh_triangle(s->of->shape->mesh, &s->of->at, triangle, vertex);
    if (plane_is_farther(vertex, s->point, s->near) || tact_distance_from_triangle(vertex, s->point) > s->near)
        return limit;
    for (int i = 0; i < 3; i++) {
        tact_vec3 to = vec_sub(vertex[i], s->point);
        double size = vec_length_safe(to);
        if (size > 2.0 * s->near && vec_dot(s->normal, to) > COMPLEX_CONTACT_LEAN * size + s->near)
            s->leans = true;
    }
    return s->leans ? -1.0 : limit;
}

/* Whether a normal at a point of the triangle is inclined towards a triangle around that point: it is not in the
 * normal cone. */
static bool leans(const contact_triangle *f, tact_vec3 point, tact_vec3 normal)
{
    triangle_neighbours s = {f->at->of, point, normal, COMPLEX_CONTACT_ON_TRIANGLE * f->size, false};
    tact_contact_cells_visit(f->cells, s.of, point, s.near, visit_neighbour, &s);
    return s.leans;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* A flat region of a leaf that a convex leaf of the other shape has met. */
typedef struct known_region {
    uint32_t leaf, region, other;
    bool of_a;
} known_region;

typedef struct contact_collection {
    tact_contact_point *points; /* in descending order of depth */
    size_t capacity, stored, found;
    contact_index *index; /* of a long list */
    contact_cells *cells; /* of A's triangles, and of B's */
    double extent;        /* length: bounds the coordinates of contacts */
    double same_distance; /* length: contacts closer than this are one */
    double max_separation;
    bool one_normal; /* only contacts with this normal: */
    tact_vec3 normal;
    const tact_allocator *allocator;
    tact_status status;
    tact_contact_point deepest; /* of all pairs: the contact if there is no other */
    bool any;
    double touch_distance; /* length: primitives this close touch up to rounding */
    double slack;          /* length: for comparing depths */
    double deepest_pair;   /* depth of the deepest pair of primitives alone: at most that of the bodies */
    double deepest_point;  /* depth of the deepest contact */
    bool points_inwards;   /* the normal of a contact points into a face */
    bool has_normal;       /* there was a contact, with first_normal; `disagree`: another one pushes to another side */
    tact_vec3 first_normal;
    bool disagree;
    bool has_touched_face; /* a face touches up to rounding; its normal from A to B: */
    tact_vec3 touched_normal;
    bool knows_depth; /* the depth of the bodies is known: */
    tact_penetration body_depth;
    bool deep;             /* the shape is deep in the plane of a flat region */
    uint32_t region_count; /* flat regions visited so far; the last of them: */
    known_region regions[COMPLEX_KNOWN_REGIONS];
} contact_collection;

/* Whether a short list has a point. */
static bool is_stored(const contact_collection *c, const tact_contact_point *p)
{
    for (size_t i = 0; i < c->stored; i++)
        if (tact_contact_points_same(p, &c->points[i], c->same_distance))
            return true;
    return false;
}

/* Whether the list is indexed: it is, from a length on. */
static bool use_index(contact_collection *c)
{
    if (contact_index_is_used(c->index))
        return true;
    if (c->stored < COMPLEX_INDEX_MIN || c->capacity <= COMPLEX_INDEX_MIN || !(c->extent < INFINITY))
        return false;
    if (tact_contact_index_begin(c->index, c->allocator, c->points, c->stored, c->capacity, c->same_distance,
                                 c->extent))
        return true;
    c->extent = INFINITY; /* no memory: not tried again */
    return false;
}

static void add_point(contact_collection *c, const tact_contact_point *p)
{
    c->first_normal = c->has_normal ? c->first_normal : p->normal;
    c->has_normal = true;
    c->disagree = c->disagree || vec_dot(p->normal, c->first_normal) < COMPLEX_SAME_SIDE;
    if (c->one_normal && !(vec_dot(p->normal, c->normal) >= 1.0 - COMPLEX_SAME_NORMAL))
        return;
    if (contact_index_is_used(c->index) ? tact_contact_index_has(c->index, p) : is_stored(c, p))
        return;
    c->found++;
    if (use_index(c)) {
        if (tact_contact_index_add(c->index, p)) {
            c->stored = c->index->stored;
            return;
        }
        tact_contact_index_finish(c->index); /* no memory: on as a short list */
        c->extent = INFINITY;
    }
    size_t at = c->stored < c->capacity ? c->stored++ : c->capacity;
    if (at == c->capacity && (at == 0 || !(p->depth > c->points[at - 1].depth)))
        return;
    at = at == c->capacity ? at - 1 : at;
    for (; at > 0 && c->points[at - 1].depth < p->depth; at--)
        c->points[at] = c->points[at - 1];
    c->points[at] = *p;
}

/* Adds vertices of B's triangle on A's, or of A's on B's, where that one is perpendicular to the normal. Clipping an
 * edge along the boundary of a triangle loses its ends to rounding. */
static void add_vertices(contact_collection *c, const contact_triangle *triangle, const contact_triangle *other,
                         bool face_of_a, const tact_penetration *d, double margin_a, double margin_b)
{
    if (!(fabs(vec_dot(triangle->normal, d->normal)) >= 1.0 - COMPLEX_SAME_NORMAL))
        return;
    tact_vec3 up = face_of_a ? d->normal : vec_negate(d->normal); /* away from the triangle */
    for (int i = 0; i < 3; i++) {
        tact_vec3 p = other->vertex[i];
        double core = vec_dot(up, vec_sub(triangle->vertex[0], p)), depth = core + (margin_a + margin_b);
        tact_vec3 on = vec_mul_add(p, core, up);
        if (!(depth >= -c->max_separation) || !(fabs(depth - d->depth) <= c->slack) ||
            tact_distance_from_triangle(triangle->vertex, on) > COMPLEX_CONTACT_ON_TRIANGLE * triangle->size)
            continue;
        tact_contact_point q = {.normal = d->normal, .depth = depth, .part_a = d->part_a, .part_b = d->part_b};
        const uint32_t of_face = primitive_feature(triangle->at, feature_make(FEATURE_FACE, 0)),
                       of_vertex = primitive_feature(other->at, feature_make(FEATURE_VERTEX, (uint32_t)i));
        q.feature_a = face_of_a ? of_face : of_vertex;
        q.feature_b = face_of_a ? of_vertex : of_face;
        q.on_a = vec_mul_add(face_of_a ? on : p, margin_a, d->normal);
        q.on_b = vec_mul_add(face_of_a ? p : on, -margin_b, d->normal);
        add_point(c, &q);
    }
}

/* A point of the manifold of two primitives as a contact along the normal of `d`. */
static tact_contact_point contact_of(const primitive *const pair[2], const tact_manifold_point *q,
                                     const tact_penetration *d)
{
    return (tact_contact_point){q->on_a,
                                q->on_b,
                                d->normal,
                                q->depth,
                                d->part_a,
                                d->part_b,
                                primitive_feature(pair[0], q->feature_a),
                                primitive_feature(pair[1], q->feature_b)};
}

/* Adds the contacts of two primitives along the normal of `d`; only those on `face`, if it is not NULL. */
static void add_points(contact_collection *c, const primitive *const pair[2], const convex *ca, const convex *cb,
                       const tact_penetration *d, const contact_triangle *face, bool face_of_a)
{
    tact_manifold m = {.status = TACT_OK};
    tact_convex_manifold_along(ca, cb, d, c->max_separation, &m);
    for (int i = 0; i < m.count; i++) {
        const tact_manifold_point *q = &m.points[i];
        if (face != NULL) {
            double margin = face_of_a ? ca->margin : -cb->margin;
            tact_vec3 on = vec_mul_add(face_of_a ? q->on_a : q->on_b, -margin, d->normal);
            if (tact_distance_from_triangle(face->vertex, on) > COMPLEX_CONTACT_ON_TRIANGLE * face->size)
                continue;
        }
        c->deepest_point = number_max(c->deepest_point, q->depth);
        const tact_contact_point p = contact_of(pair, q, d);
        add_point(c, &p);
    }
}

static double support_value(const convex *c, tact_vec3 n)
{
    return vec_dot(n, vec_add(tact_convex_support(c, n, NULL), c->transform.origin));
}

/* The depth of two primitives along the normal of a triangle that is one of them: of A, or of B. */
static tact_penetration depth_along_face(const convex *ca, const convex *cb, const contact_triangle *f, bool of_a,
                                         const tact_penetration *d)
{
    const convex *other = of_a ? cb : ca;
    tact_vec3 n = f->normal, out;
    double plane = vec_dot(n, f->vertex[0]);
    if (!mesh_has_front(f->at->of->shape->mesh) &&
        support_value(other, n) - plane < plane + support_value(other, vec_negate(n)))
        n = vec_negate(n); /* an open mesh pushes to the side where more of the other is */
    plane = vec_dot(n, f->vertex[0]);
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

/* The depth of two primitives along the normal that separates the bodies. Its points are the extreme ones along it, as
 * a rule not opposite each other. */
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

/* Whether the outward normal of a contact points into the surface at a point there, margin left out. */
static bool points_inwards(const contact_triangle *f, tact_vec3 point, tact_vec3 outward)
{
    return (mesh_has_front(f->at->of->shape->mesh) && vec_dot(outward, f->normal) < -(1.0 - COMPLEX_SAME_NORMAL)) ||
           leans(f, point, outward);
}

/* Adds contacts along the normal that separates the bodies, where it is a normal of both surfaces. */
static void add_separating_points(contact_collection *c, const primitive *const pair[2], const convex *ca,
                                  const convex *cb, const tact_penetration *alone,
                                  const contact_triangle *const triangles[2])
{
    tact_penetration d = depth_along(ca, cb, c->body_depth.normal, alone);
    if (!(d.depth >= -c->max_separation) || d.depth > c->body_depth.depth + c->slack)
        return;
    tact_manifold m = {.status = TACT_OK};
    tact_convex_manifold_along(ca, cb, &d, c->max_separation, &m);
    for (int i = 0; i < 2 && triangles[0] != NULL && triangles[1] != NULL; i++) {
        tact_vec3 outward = i == 0 ? d.normal : vec_negate(d.normal);
        if (!mesh_has_front(triangles[i]->at->of->shape->mesh) || vec_dot(triangles[i]->normal, outward) > 0.0)
            add_vertices(c, triangles[i], triangles[1 - i], i == 0, &d, ca->margin, cb->margin);
    }
    for (int i = 0; i < m.count; i++) {
        const tact_manifold_point *q = &m.points[i];
        if (vec_max_abs(vec_sub(vec_sub(q->on_a, q->on_b), vec_scale(d.normal, q->depth))) > c->same_distance)
            continue; /* no common area: they are beside each other */
        if ((triangles[0] != NULL &&
             points_inwards(triangles[0], vec_mul_add(q->on_a, -ca->margin, d.normal), d.normal)) ||
            (triangles[1] != NULL &&
             points_inwards(triangles[1], vec_mul_add(q->on_b, cb->margin, d.normal), vec_negate(d.normal))))
            continue;
        const tact_contact_point p = contact_of(pair, q, &d);
        add_point(c, &p);
    }
}

/* Whether the plane of one of the triangles separates two primitives by more than `distance`. */
static bool plane_separates(const convex *ca, const convex *cb, const contact_triangle *const triangles[2],
                            double distance)
{
    const convex *both[2] = {ca, cb};
    const double far = vec_max_abs(ca->transform.origin) + vec_max_abs(cb->transform.origin) + ca->bounding_radius +
                       cb->bounding_radius + ca->margin + cb->margin;
    const double least = distance + ca->margin + cb->margin + COMPLEX_CONTACT_PLANE_ROUNDING * far;
    for (int i = 0; i < 2; i++) {
        if (triangles[i] == NULL)
            continue;
        const convex *other = both[1 - i];
        const tact_vec3 n = triangles[i]->normal, from = vec_sub(other->transform.origin, triangles[i]->vertex[0]);
        if (vec_dot(n, vec_add(from, tact_convex_support(other, vec_negate(n), NULL))) > least ||
            -vec_dot(n, vec_add(from, tact_convex_support(other, n, NULL))) > least)
            return true;
    }
    return false;
}

static double contact_pair(void *context, const primitive *a, const primitive *b, double limit)
{
    contact_collection *c = context;
    convex ca, cb;
    tact_penetration d;
    if (!primitives_collide(a, b))
        return limit;
    if (tact_primitive_convex(a, &ca) != TACT_OK || tact_primitive_convex(b, &cb) != TACT_OK) {
        c->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    if (!work_add(tact_work_current(), COMPLEX_CONTACT_UNITS))
        return -1.0;
    const primitive *primitives[2] = {a, b};
    contact_triangle triangle[2];
    const contact_triangle *triangles[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++)
        triangles[i] = contact_triangle_make(primitives[i], &c->cells[i], &triangle[i]) ? &triangle[i] : NULL;
    if (plane_separates(&ca, &cb, triangles, c->max_separation + c->touch_distance))
        return limit;
    tact_status status = tact_convex_penetration(&ca, &cb, c->allocator, &d);
    if (status != TACT_OK && status != TACT_NOT_CONVERGED) {
        c->status = status;
        return -1.0;
    }
    if (!(d.depth >= -(c->max_separation + c->touch_distance)))
        return limit;
    d.part_a = primitive_part(a);
    d.part_b = primitive_part(b);
    c->deepest_pair = number_max(c->deepest_pair, d.depth);
    const contact_triangle *face = NULL;
    bool face_of_a = true;
    for (int i = 0; i < 2 && face == NULL; i++) {
        if (triangles[i] == NULL)
            continue;
        tact_vec3 outward = i == 0 ? d.normal : vec_negate(d.normal);
        tact_vec3 on = i == 0 ? vec_mul_add(d.on_a, -ca.margin, d.normal) : vec_mul_add(d.on_b, cb.margin, d.normal);
        double cosine = vec_dot(outward, triangle[i].normal);
        bool solid = mesh_has_front(triangle[i].at->of->shape->mesh);
        if ((solid ? cosine : fabs(cosine)) >= 1.0 - COMPLEX_SAME_NORMAL || (solid && cosine < 0.0) ||
            leans(&triangle[i], on, outward)) {
            face = &triangle[i];
            face_of_a = i == 0;
        }
    }
    if (face != NULL)
        d = depth_along_face(&ca, &cb, face, face_of_a, &d);
    const contact_triangle *other = face_of_a ? triangles[1] : triangles[0];
    bool inwards = face != NULL && other != NULL && mesh_has_front(other->at->of->shape->mesh) &&
                   vec_dot(other->normal, face_of_a ? d.normal : vec_negate(d.normal)) > 1.0 - COMPLEX_SAME_NORMAL;
    for (int i = 0; i < 2; i++) /* the lower side of a heightfield is inside it */
        inwards = inwards || vec_dot(instance_up(primitives[i]->of), i == 0 ? d.normal : vec_negate(d.normal)) <
                                 -COMPLEX_LEAST_FRONT;
    if (c->knows_depth && (inwards || d.depth > c->body_depth.depth + c->slack)) {
        add_separating_points(c, primitives, &ca, &cb, &d, triangles);
        return limit;
    }
    c->points_inwards = c->points_inwards || inwards;
    if (face != NULL && !inwards && !c->has_touched_face && fabs(d.depth) <= c->touch_distance) {
        c->has_touched_face = true;
        c->touched_normal = d.normal;
    }
    if (!c->any || d.depth > c->deepest.depth)
        c->deepest = (tact_contact_point){d.on_a, d.on_b, d.normal, d.depth, d.part_a, d.part_b, 0, 0};
    c->any = true;
    if (d.depth >= -c->max_separation)
        add_points(c, primitives, &ca, &cb, &d, face, face_of_a);
    if (face != NULL && other != NULL)
        add_vertices(c, face, other, face_of_a, &d, ca.margin, cb.margin);
    return limit;
}

/* ---- flat regions ------------------------------------------------------------------------------------------------ */

/* A search for the interior triangle of a region that a point is on. */
typedef struct region_point {
    const instance *of;
    uint32_t region, found;
    tact_vec3 point;
} region_point;

static double visit_at_point(void *context, uint32_t triangle, double limit)
{
    region_point *s = context;
    const mesh *m = s->of->shape->mesh;
    contact_triangle f;
    const primitive here = {s->of, triangle};
    if (mesh_flat_regions(m)->of_triangle[triangle] != s->region || !contact_triangle_make(&here, NULL, &f) ||
        tact_distance_from_triangle(f.vertex, s->point) > COMPLEX_CONTACT_ON_TRIANGLE * f.size)
        return limit;
    s->found = triangle;
    return -1.0;
}

/* The interior triangle of a region at a point of its plane; FLAT_NONE: there is none. */
static uint32_t triangle_at(const instance *of, uint32_t region, tact_vec3 point, double near)
{
    const tact_transform frame = tact_identity();
    const box query = box_of_point(point);
    region_point s = {of, region, FLAT_NONE, point};
    (void)tact_aabb_tree_nearest(&of->shape->mesh->tree, &of->at, &query, &frame, near, visit_at_point, &s);
    return s.found;
}

/* A triangle in the plane of `f`, with the region's margin, that reaches beyond a convex shape on all sides. */
static convex plane_around(const contact_triangle *f, const convex *other)
{
    const double height = vec_dot(f->normal, vec_sub(other->transform.origin, f->vertex[0]));
    const double radius = COMPLEX_FLAT_AROUND * (other->bounding_radius + other->margin);
    convex plane = convex_point(f->at->of->shape, vec_mul_add(other->transform.origin, -height, f->normal));
    tact_vec3 e, g;
    vec_tangent_basis(f->normal, &e, &g);
    plane.point_count = 3;
    plane.margin = f->at->of->margin;
    plane.bounding_radius = radius;
    plane.points[0] = vec_scale(e, radius);
    plane.points[1] = vec_mul_add(vec_scale(e, -0.5 * radius), 0.5 * sqrt(3.0) * radius, g);
    plane.points[2] = vec_mul_add(vec_scale(e, -0.5 * radius), -0.5 * sqrt(3.0) * radius, g);
    return plane;
}

static bool is_known_region(contact_collection *c, const instance *of, uint32_t region, const instance *other,
                            bool of_a)
{
    for (uint32_t i = 0; i < c->region_count && i < COMPLEX_KNOWN_REGIONS; i++) {
        const known_region *r = &c->regions[i];
        if (r->leaf == of->leaf && r->region == region && r->other == other->leaf && r->of_a == of_a)
            return true;
    }
    c->regions[c->region_count++ % COMPLEX_KNOWN_REGIONS] = (known_region){of->leaf, region, other->leaf, of_a};
    return false;
}

/* The interior triangles of a flat region as one face: the points of the manifold of the convex shape and the plane
 * that are over these triangles. All other points of such triangles lie between them and those of boundary triangles.
 * Stops if the shape is deep in the plane. */
static double contact_region(void *context, const instance *of, uint32_t region, const primitive *other, bool of_a,
                             double limit)
{
    contact_collection *c = context;
    contact_triangle f;
    convex own;
    const primitive any = {of, region};
    if (is_known_region(c, of, region, other->of, of_a) || !contact_triangle_make(&any, NULL, &f))
        return limit;
    if (tact_primitive_convex(other, &own) != TACT_OK) {
        c->status = TACT_BAD_ARGUMENT;
        return -1.0;
    }
    const convex plane = plane_around(&f, &own);
    const convex *ca = of_a ? &plane : &own, *cb = of_a ? &own : &plane;
    tact_penetration d = {.status = TACT_OK};
    d.part_a = of_a ? (tact_part){0} : primitive_part(other);
    d.part_b = of_a ? primitive_part(other) : (tact_part){0};
    d = depth_along_face(ca, cb, &f, of_a, &d);
    if (!(d.depth >= -(c->max_separation + c->touch_distance)))
        return limit;
    if (d.depth > COMPLEX_FLAT_DEPTH * (own.bounding_radius + own.margin)) {
        c->deep = true;
        return -1.0;
    }
    tact_manifold m = {.status = TACT_OK};
    tact_convex_manifold_along(ca, cb, &d, c->max_separation, &m);
    for (int i = 0; i < m.count; i++) {
        const tact_manifold_point *q = &m.points[i];
        const tact_vec3 on =
            of_a ? vec_mul_add(q->on_a, -plane.margin, d.normal) : vec_mul_add(q->on_b, plane.margin, d.normal);
        const primitive at = {of, triangle_at(of, region, on, c->same_distance)};
        const primitive *const pair[2] = {of_a ? &at : other, of_a ? other : &at};
        if (at.element == FLAT_NONE || !primitives_collide(pair[0], pair[1]))
            continue;
        const tact_manifold_point face_point = {.on_a = q->on_a,
                                                .on_b = q->on_b,
                                                .depth = q->depth,
                                                .feature_a = of_a ? feature_make(FEATURE_FACE, 0) : q->feature_a,
                                                .feature_b = of_a ? q->feature_b : feature_make(FEATURE_FACE, 0)};
        tact_contact_point p = contact_of(pair, &face_point, &d);
        p.part_a = primitive_part(pair[0]);
        p.part_b = primitive_part(pair[1]);
        c->deepest_pair = number_max(c->deepest_pair, q->depth);
        c->deepest_point = number_max(c->deepest_point, q->depth);
        if (!c->has_touched_face && fabs(d.depth) <= c->touch_distance) {
            c->has_touched_face = true;
            c->touched_normal = d.normal;
        }
        if (!c->any || q->depth > c->deepest.depth)
            c->deepest = p;
        c->any = true;
        add_point(c, &p);
    }
    return limit;
}

/* ---- entry points ------------------------------------------------------------------------------------------------ */

static double size_of(const instance *p, double *extent)
{
    tact_bounds bounds;
    if (tact_instance_bounds(p, &bounds) != TACT_OK)
        return 0.0;
    *extent = number_max(*extent, number_max(vec_max_abs(bounds.min), vec_max_abs(bounds.max)));
    return vec_max_abs(vec_sub(bounds.max, bounds.min));
}

/* All contacts of two instances, which are in order. */
static void collect(const instance both[2], contact_collection *c)
{
    if (shape_is_empty(both[0].shape) || shape_is_empty(both[1].shape))
        return;
    double extent = 0.0;
    const double sizes[2] = {size_of(&both[0], &extent), size_of(&both[1], &extent)};
    double smaller = number_min(sizes[0], sizes[1]);
    c->same_distance = COMPLEX_SAME_CONTACT * (smaller > 0.0 ? smaller : number_max(sizes[0], sizes[1]));
    c->slack = COMPLEX_CONTACT_DEEPER * c->same_distance / COMPLEX_SAME_CONTACT;
    c->touch_distance = COMPLEX_CONTACT_TOUCHING * c->same_distance / COMPLEX_SAME_CONTACT;
    c->deepest_pair = -INFINITY;
    c->deepest_point = -INFINITY;
    c->allocator = &both[0].shape->allocator;
    c->extent = extent;
    traversal w = {c, contact_pair, NULL, false, TACT_OK};
    const double limit = c->max_separation + c->touch_distance;
    const contact_collection start = *c;
    (void)tact_traverse_pairs_and_regions(&w, &both[0], &both[1], contact_region, limit);
    if (c->deep) {
        tact_contact_index_release(c->index);
        *c = start;
        (void)tact_traverse_pairs(&w, &both[0], &both[1], limit);
    }
    if (w.status != TACT_OK)
        c->status = w.status;
    tact_contact_index_finish(c->index);
}

static void swap_point(tact_contact_point *p)
{
    *p = (tact_contact_point){p->on_b,   p->on_a,   vec_negate(p->normal), p->depth,
                              p->part_b, p->part_a, p->feature_b,          p->feature_a};
}

static bool is_open_mesh(const instance *p)
{
    return p->shape->type == TACT_MESH && (!p->shape->mesh->solid || p->shape->mesh->heightfield.counts[0] > 0);
}

/* Whether contacts may be deeper than the bodies. On an open mesh or heightfield whose contacts push to one side, as a
 * terrain, they are the answer, and the depth would cost some six times as much. */
static bool needs_body_depth(const instance both[2], const contact_collection *c)
{
    if (c->points_inwards || (c->found == 0 && c->any))
        return true;
    return c->deepest_point > c->deepest_pair + c->slack &&
           (c->disagree || !(is_open_mesh(&both[0]) || is_open_mesh(&both[1])));
}

static tact_contacts contacts_of_instances(const instance both[2], bool swapped, const complex_casts *casts,
                                           contact_collection *c)
{
    if (swapped && c->one_normal)
        c->normal = vec_negate(c->normal);
    if (swapped && c->knows_depth)
        c->body_depth.normal = vec_negate(c->body_depth.normal);
    const contact_collection before = *c;
    collect(both, c);
    if (c->status == TACT_OK && !c->knows_depth && needs_body_depth(both, c)) {
        tact_penetration d = tact_complex_penetration(both[0].shape, &both[0].at, both[1].shape, &both[1].at, casts);
        if (d.status == TACT_OK) {
            if (c->has_touched_face && fabs(d.depth) <= c->touch_distance)
                d.normal = c->touched_normal; /* the direction of a gap of a few units of roundoff is arbitrary */
            *c = before;
            c->knows_depth = true;
            c->body_depth = d;
            collect(both, c);
            if (c->status == TACT_OK && c->found == 0 && d.depth >= -c->max_separation)
                add_point(c, &(tact_contact_point){d.on_a, d.on_b, d.normal, d.depth, d.part_a, d.part_b, 0, 0});
        } else if (d.status != TACT_NOT_CONVERGED && d.status != TACT_CANCELLED) {
            c->status = d.status;
        }
    }
    if (c->status != TACT_OK)
        return (tact_contacts){.status = c->status, .state = TACT_UNKNOWN};
    if (c->found == 0 && !c->one_normal && c->any && c->deepest.depth >= -c->max_separation)
        add_point(c, &c->deepest);
    for (size_t i = 0; swapped && i < c->stored; i++)
        swap_point(&c->points[i]);
    return (tact_contacts){TACT_OK, c->found > 0 ? TACT_HIT : TACT_MISS, c->found};
}

static tact_contacts find_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                   const tact_transform *transform_b, const complex_casts *casts, contact_collection *c)
{
    instance both[2];
    bool swapped;
    if (tact_instance_pair(both, a, transform_a, b, transform_b, &swapped) != TACT_OK)
        return (tact_contacts){.status = TACT_BAD_ARGUMENT, .state = TACT_UNKNOWN};
    contact_index index = {.compared = 0};
    contact_cells cells[2] = {{.allocator = &both[0].shape->allocator}, {.allocator = &both[0].shape->allocator}};
    c->index = &index;
    c->cells = cells;
    c->extent = INFINITY;
    const tact_contacts found = contacts_of_instances(both, swapped, casts, c);
    for (int i = 0; i < 2; i++)
        tact_contact_cells_release(&cells[i]);
    c->index = NULL;
    c->cells = NULL;
    return found;
}

static TACT_NOINLINE tact_contacts compute_contacts(const tact_shape *a, const tact_transform *transform_a,
                                                    const tact_shape *b, const tact_transform *transform_b,
                                                    double max_separation, tact_contact_point *points, size_t capacity,
                                                    const complex_casts *casts)
{
    contact_collection c = {
        .points = points, .capacity = capacity, .max_separation = max_separation, .status = TACT_OK};
    tact_contacts out = find_contacts(a, transform_a, b, transform_b, casts, &c);
    if (out.state != TACT_MISS || (!shape_has_solid(a) && !shape_has_solid(b)))
        return out;
    /* No primitives within max_separation: one shape may be inside the other. */
    tact_overlap overlap = tact_complex_within(a, transform_a, b, transform_b, 0.0);
    if (overlap.state != TACT_HIT)
        return (tact_contacts){.status = overlap.status, .state = overlap.state};
    tact_penetration d = tact_complex_penetration(a, transform_a, b, transform_b, casts);
    if (d.status != TACT_OK)
        return (tact_contacts){.status = d.status, .state = TACT_UNKNOWN};
    if (capacity > 0)
        points[0] = (tact_contact_point){d.on_a, d.on_b, d.normal, d.depth, d.part_a, d.part_b, 0, 0};
    return (tact_contacts){TACT_OK, TACT_HIT, 1};
}

tact_contacts tact_complex_contacts(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double max_separation,
                                    tact_contact_point *points, size_t capacity, const complex_casts *casts)
{
    const fp_environment found = fp_environment_enter();
    tact_contacts answer = compute_contacts(a, transform_a, b, transform_b, max_separation, points, capacity, casts);
    fp_environment_leave(found);
    answer.status = work_status(answer.status);
    if (answer.status == TACT_CANCELLED && answer.state == TACT_MISS)
        answer.state = TACT_UNKNOWN;
    return answer;
}

/* A contact as a point of a manifold. */
static tact_manifold_point manifold_point_of(const tact_contact_point *p, tact_vec3 normal, double depth)
{
    return (tact_manifold_point){
        p->on_a, vec_mul_add(p->on_a, -depth, normal), depth, p->part_a, p->part_b, p->feature_a, p->feature_b};
}

/* Chooses points far from those chosen before. */
static void choose_spread_points(tact_manifold *m, tact_contact_point *points, size_t count)
{
    while (m->count < TACT_MANIFOLD_POINTS && count > 0) {
        size_t best = 0;
        double farthest = -1.0;
        for (size_t i = 0; i < count; i++) {
            double nearest = INFINITY;
            for (int k = 0; k < m->count; k++)
                nearest = number_min(nearest, vec_length_safe(vec_sub(points[i].on_a, m->points[k].on_a)));
            if (nearest > farthest) {
                farthest = nearest;
                best = i;
            }
        }
        /* Its own normal may deviate a little from the common one: its depth is along the latter, and so is the point
         * on B. */
        const tact_contact_point *p = &points[best];
        double depth = number_min(vec_dot(vec_sub(p->on_a, p->on_b), m->normal), m->depth);
        if (farthest > 0.0)
            m->points[m->count++] = manifold_point_of(p, m->normal, depth);
        points[best] = points[--count];
    }
    /* descending depth: along the common normal the order may differ */
    for (int i = 1; i < m->count; i++)
        for (int k = i; k > 1 && m->points[k].depth > m->points[k - 1].depth; k--) {
            tact_manifold_point p = m->points[k];
            m->points[k] = m->points[k - 1];
            m->points[k - 1] = p;
        }
}

/* The contacts along the normal of `d`, which is the penetration of the bodies along it, or less than the slack of
 * depths off. Returns their number, of which the deepest are written to `points`. */
static tact_contacts contacts_along(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double max_separation, const tact_penetration *d,
                                    const complex_casts *casts, tact_contact_point points[COMPLEX_MANIFOLD_CAPACITY],
                                    contact_collection *c)
{
    *c = (contact_collection){.points = points,
                              .capacity = COMPLEX_MANIFOLD_CAPACITY,
                              .max_separation = max_separation,
                              .one_normal = true,
                              .normal = d->normal,
                              .status = TACT_OK,
                              .knows_depth = true,
                              .body_depth = *d};
    return find_contacts(a, transform_a, b, transform_b, casts, c);
}

/* The manifold of shapes that touch along a known normal. A miss: there is no contact along it. */
static TACT_NOINLINE tact_manifold compute_touch_manifold(const tact_shape *a, const tact_transform *transform_a,
                                                          const tact_shape *b, const tact_transform *transform_b,
                                                          double max_separation, tact_vec3 normal,
                                                          const complex_casts *casts)
{
    tact_contact_point points[COMPLEX_MANIFOLD_CAPACITY];
    contact_collection c;
    const tact_penetration touch = {.status = TACT_OK, .normal = normal};
    const tact_contacts found =
        contacts_along(a, transform_a, b, transform_b, max_separation, &touch, casts, points, &c);
    if (found.status != TACT_OK || c.stored == 0)
        return (tact_manifold){.status = found.status, .state = TACT_MISS};
    tact_manifold out = {.status = TACT_OK, .state = TACT_HIT, .normal = normal, .depth = points[0].depth, .count = 1};
    out.points[0] = manifold_point_of(&points[0], normal, points[0].depth);
    choose_spread_points(&out, points + 1, c.stored - 1);
    return out;
}

static TACT_NOINLINE tact_manifold compute_manifold(const tact_shape *a, const tact_transform *transform_a,
                                                    const tact_shape *b, const tact_transform *transform_b,
                                                    double max_separation, const complex_casts *casts)
{
    tact_manifold out = {.status = TACT_OK};
    tact_penetration d = tact_complex_penetration(a, transform_a, b, transform_b, casts);
    out.status = d.status;
    if (d.status != TACT_OK)
        return out;
    out.normal = d.normal;
    out.depth = d.depth;
    out.state = d.depth >= -max_separation ? TACT_HIT : TACT_MISS;
    if (out.state == TACT_MISS)
        return out;
    tact_contact_point points[COMPLEX_MANIFOLD_CAPACITY];
    contact_collection c;
    const tact_contacts found = contacts_along(a, transform_a, b, transform_b, max_separation, &d, casts, points, &c);
    if (found.status != TACT_OK)
        return (tact_manifold){.status = found.status};
    if (found.count == 0 && (shape_has_one_sided(a) || shape_has_one_sided(b)) &&
        tact_complex_within(a, transform_a, b, transform_b, max_separation).state != TACT_HIT) {
        out.state = TACT_MISS; /* behind a one-sided surface */
        return out;
    }
    /* The deepest contact is that of the penetration depth, unless another pair limits it. */
    size_t count = c.stored, from = 0;
    tact_manifold_point first = {d.on_a, d.on_b, d.depth, d.part_a, d.part_b, 0, 0};
    if (count > 0 && points[0].depth >= d.depth - c.same_distance) {
        first = manifold_point_of(&points[0], d.normal, d.depth);
        from = 1;
    }
    out.points[out.count++] = first;
    choose_spread_points(&out, points + from, count - from);
    return out;
}

tact_manifold tact_complex_manifold(const tact_shape *a, const tact_transform *transform_a, const tact_shape *b,
                                    const tact_transform *transform_b, double max_separation, tact_vec3 normal,
                                    const complex_casts *casts)
{
    const fp_environment found = fp_environment_enter();
    tact_manifold answer = {.state = TACT_MISS};
    if (vec_max_abs(normal) > 0.0)
        answer = compute_touch_manifold(a, transform_a, b, transform_b, max_separation, normal, casts);
    if (answer.state != TACT_HIT)
        answer = compute_manifold(a, transform_a, b, transform_b, max_separation, casts);
    fp_environment_leave(found);
    return work_is_cancelled() ? (tact_manifold){.status = TACT_CANCELLED} : answer;
}
