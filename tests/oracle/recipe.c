/* Rolling a random shape, and telling it to the oracle. */
#include "recipe.h"

#include <stdio.h>
#include <string.h>

static const char *const names[RECIPE_TYPES + 1] = {
    "",     "point",     "segment", "triangle", "tetrahedron", "sphere", "box",         "capsule", "cylinder",
    "cone", "ellipsoid", "polygon", "hull",     "sum",         "join",   "transformed", "custom"};

const char *recipe_type_name(tact_shape_type type)
{
    return (int)type >= 1 && (int)type <= RECIPE_TYPES ? names[type] : names[0];
}

tact_shape_type recipe_type_of(const char *name, size_t length)
{
    for (int t = 1; t <= RECIPE_TYPES; t++)
        if (strlen(names[t]) == length && strncmp(names[t], name, length) == 0)
            return (tact_shape_type)t;
    return (tact_shape_type)0;
}

/* ---- rolling ---- */

static tact_vec3 roll_point(dice *d)
{
    return (tact_vec3){dice_between(d, -0.5, 0.5), dice_between(d, -0.5, 0.5), dice_between(d, -0.5, 0.5)};
}

static double roll_length(dice *d) { return dice_power(d, -1.0, 0.0); }

/* Now and then nothing at all. */
static double roll_length_or_zero(dice *d) { return dice_pick(d, 40) == 0 ? 0.0 : roll_length(d); }

static tact_transform roll_place(dice *d)
{
    tact_transform p;
    p.x_axis = (tact_vec3){dice_normal(d), dice_normal(d), dice_normal(d)};
    p.y_axis = (tact_vec3){dice_normal(d), dice_normal(d), dice_normal(d)};
    p.z_axis = (tact_vec3){dice_normal(d), dice_normal(d), dice_normal(d)};
    p.origin = roll_point(d);
    if (dice_pick(d, 4) == 0) { /* a plain one, mirrored in y */
        p.x_axis = (tact_vec3){1, 0, 0};
        p.y_axis = (tact_vec3){0, -0.75, 0};
        p.z_axis = (tact_vec3){0, 0, 1};
    }
    return p;
}

static void roll_hull(recipe_item *r, dice *d, int most)
{
    r->point_count = 1 + dice_pick(d, most);
    if (r->point_count < 4 && dice_pick(d, 4) != 0)
        r->point_count = 4 + dice_pick(d, most - 3);
    int variant = dice_pick(d, 8);
    for (int i = 0; i < r->point_count; i++) {
        tact_vec3 p = roll_point(d);
        if (variant < 3) { /* on a sphere: all are corners */
            double x = dice_normal(d), y = dice_normal(d), z = dice_normal(d);
            double l = 2.0 * sqrt(x * x + y * y + z * z) + 1e-9;
            p = (tact_vec3){x / l, y / l, z / l};
        } else if (variant == 3) { /* on a small lattice: coplanar, collinear and repeated points */
            p = (tact_vec3){0.25 * dice_pick(d, 3) - 0.25, 0.25 * dice_pick(d, 3) - 0.25,
                            0.25 * dice_pick(d, 3) - 0.25};
        } else if (variant == 4) { /* in one plane */
            p.z = 0.125;
        }
        r->points[i] = p;
        if (i > 0 && dice_pick(d, 25) == 0)
            r->points[i] = r->points[dice_pick(d, i)];
    }
}

static void roll_polygon(recipe_item *r, dice *d)
{
    r->point_count = 3 + dice_pick(d, 8);
    tact_vec3 u = roll_point(d), v = roll_point(d), w = roll_point(d);
    if (dice_pick(d, 3) == 0) { /* exactly in a coordinate plane */
        u = (tact_vec3){1, 0, 0};
        v = (tact_vec3){0, 0, 1};
        w = (tact_vec3){0, 0.25, 0};
    }
    for (int i = 0; i < r->point_count; i++) {
        double angle = dice_between(d, 0.0, 6.283185307179586), c = cos(angle), s = sin(angle);
        r->points[i] = (tact_vec3){c * u.x + s * v.x + w.x, c * u.y + s * v.y + w.y, c * u.z + s * v.z + w.z};
    }
}

static int roll_item(recipe *whole, tact_shape_type type, dice *d, int deep)
{
    static const tact_shape_type simple[] = {TACT_SEGMENT,   TACT_TRIANGLE, TACT_TETRAHEDRON, TACT_SPHERE,
                                             TACT_BOX,       TACT_CAPSULE,  TACT_CYLINDER,    TACT_CONE,
                                             TACT_ELLIPSOID, TACT_HULL,     TACT_POINT};
    int self = whole->count++;
    recipe_item *r = &whole->items[self];
    memset(r, 0, sizeof *r);
    r->type = type;
    r->place.x_axis.x = r->place.y_axis.y = r->place.z_axis.z = 1.0;
    r->radius = roll_length_or_zero(d);
    r->height = roll_length_or_zero(d);
    r->size = (tact_vec3){roll_length_or_zero(d), roll_length_or_zero(d), roll_length_or_zero(d)};
    if (dice_pick(d, 4) == 0)
        r->margin = dice_power(d, -3.0, 0.0);
    switch (type) {
    case TACT_POINT:
    case TACT_SEGMENT:
    case TACT_TRIANGLE:
    case TACT_TETRAHEDRON:
        r->point_count = (int)type;
        for (int i = 0; i < r->point_count; i++)
            r->points[i] = dice_pick(d, 30) == 0 && i ? r->points[i - 1] : roll_point(d);
        break;
    case TACT_POLYGON:
        roll_polygon(r, d);
        break;
    case TACT_HULL:
        roll_hull(r, d, deep ? 6 : 12);
        break;
    case TACT_MINKOWSKI_SUM:
    case TACT_CONVEX_HULL_OF:
        for (int k = 0; k < 2; k++) {
            int part = roll_item(whole, deep < 1 && dice_pick(d, 10) == 0 ? TACT_TRANSFORMED : simple[dice_pick(d, 11)],
                                 d, deep + 1);
            whole->items[self].parts[k] = part;
        }
        break;
    case TACT_TRANSFORMED:
        r->place = roll_place(d);
        whole->items[self].parts[0] = roll_item(
            whole, deep < 1 && dice_pick(d, 5) == 0 ? TACT_CONVEX_HULL_OF : simple[dice_pick(d, 11)], d, deep + 1);
        break;
    case TACT_CUSTOM: {
        static const tact_shape_type known[] = {TACT_BOX, TACT_ELLIPSOID, TACT_HULL, TACT_CYLINDER, TACT_SPHERE};
        r->stands_for = known[dice_pick(d, 5)];
        if (r->stands_for == TACT_HULL)
            roll_hull(r, d, 10);
        break;
    }
    default:
        break;
    }
    return self;
}

void recipe_roll(recipe *r, tact_shape_type type, dice *d)
{
    r->count = 0;
    (void)roll_item(r, type, d, 0);
}

/* ---- the oracle's body ---- */

static int body_points(oracle_body *body, const tact_vec3 *points, int count)
{
    int nodes[RECIPE_POINTS];
    for (int i = 0; i < count; i++) {
        const real p[3] = {points[i].x, points[i].y, points[i].z};
        nodes[i] = oracle_leaf_point(body, p);
    }
    return count == 1 ? nodes[0] : oracle_join_nodes(body, ORACLE_HULL, nodes, count);
}

/* A ball or disc of half axes x, y, z about (0 at 0). */
static int body_ball(oracle_body *body, real at, real x, real y, real z)
{
    const real p[3] = {0, at, 0}, axes[3][3] = {{x, 0, 0}, {0, y, 0}, {0, 0, z}};
    return oracle_leaf_ball(body, p, axes, 3);
}

static int body_box(oracle_body *body, tact_vec3 size)
{
    tact_vec3 corners[8];
    for (int i = 0; i < 8; i++)
        corners[i] =
            (tact_vec3){(i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z};
    return body_points(body, corners, 8);
}

static oracle_map map_of(const tact_transform *p)
{
    return (oracle_map){{{p->x_axis.x, p->x_axis.y, p->x_axis.z},
                         {p->y_axis.x, p->y_axis.y, p->y_axis.z},
                         {p->z_axis.x, p->z_axis.y, p->z_axis.z}},
                        {p->origin.x, p->origin.y, p->origin.z}};
}

/* The node of an item without its own margin. */
static int body_item(const recipe *whole, int item, oracle_body *body)
{
    const recipe_item *r = &whole->items[item];
    real radius = r->radius, half = 0.5L * (real)r->height;
    int two[2];
    switch (r->type == TACT_CUSTOM ? r->stands_for : r->type) {
    case TACT_SPHERE:
        return body_ball(body, 0, radius, radius, radius);
    case TACT_BOX:
        return body_box(body, r->size);
    case TACT_ELLIPSOID:
        return body_ball(body, 0, r->size.x, r->size.y, r->size.z);
    case TACT_CAPSULE:
        two[0] = body_ball(body, -half, radius, radius, radius);
        two[1] = body_ball(body, half, radius, radius, radius);
        return oracle_join_nodes(body, ORACLE_HULL, two, 2);
    case TACT_CYLINDER:
        two[0] = body_ball(body, -half, radius, 0, radius);
        two[1] = body_ball(body, half, radius, 0, radius);
        return oracle_join_nodes(body, ORACLE_HULL, two, 2);
    case TACT_CONE:
        two[0] = body_ball(body, -half, radius, 0, radius);
        two[1] = body_ball(body, half, 0, 0, 0);
        return oracle_join_nodes(body, ORACLE_HULL, two, 2);
    case TACT_MINKOWSKI_SUM:
    case TACT_CONVEX_HULL_OF:
        for (int k = 0; k < 2; k++)
            two[k] = oracle_node_round(body, body_item(whole, r->parts[k], body), whole->items[r->parts[k]].margin);
        return oracle_join_nodes(body, r->type == TACT_MINKOWSKI_SUM ? ORACLE_SUM : ORACLE_HULL, two, 2);
    case TACT_TRANSFORMED: {
        /* the part's margin is a length in the coordinates it is placed into: not stretched */
        oracle_map map = map_of(&r->place);
        two[0] = body_item(whole, r->parts[0], body);
        oracle_node_map(body, two[0], &map);
        return oracle_node_round(body, two[0], whole->items[r->parts[0]].margin);
    }
    default:
        return body_points(body, r->points, r->point_count);
    }
}

void recipe_body(const recipe *r, tact_transform at, oracle_body *body)
{
    oracle_body_begin(body);
    oracle_map map = map_of(&at);
    int root = body_item(r, 0, body);
    oracle_body_place(body, root, &map, r->items[0].margin);
}

/* ---- a line for `tact query` ---- */

typedef struct writer {
    char *text;
    size_t capacity, used;
} writer;

static void put(writer *w, const char *text)
{
    size_t length = strlen(text);
    if (w->used + length + 1 > w->capacity)
        return;
    memcpy(w->text + w->used, text, length + 1);
    w->used += length;
}

static void put_numbers(writer *w, const char *key, const double *numbers, int count, bool list)
{
    char number[48];
    put(w, key);
    put(w, list ? "[" : "");
    for (int i = 0; i < count; i++) {
        (void)snprintf(number, sizeof number, "%s\"%a\"", i ? "," : "", numbers[i]);
        put(w, number);
    }
    put(w, list ? "]" : "");
}

static void put_place(writer *w, const tact_transform *p)
{
    const double m[16] = {p->x_axis.x, p->x_axis.y, p->x_axis.z, 0, p->y_axis.x, p->y_axis.y, p->y_axis.z, 0,
                          p->z_axis.x, p->z_axis.y, p->z_axis.z, 0, p->origin.x, p->origin.y, p->origin.z, 1};
    put_numbers(w, ",\"place\":{\"matrix\":", m, 16, true);
    put(w, "}");
}

/* `placed` has no name of its own in the tool: it is a part with a place, here joined with itself so that the outer
 * place and margin have something to hold on to. */
static void put_item(writer *w, const recipe *whole, int item, const tact_transform *at)
{
    const recipe_item *r = &whole->items[item];
    tact_shape_type type = r->type == TACT_CUSTOM ? r->stands_for : r->type;
    put(w, "{\"type\":\"");
    put(w, names[type == TACT_TRANSFORMED ? TACT_CONVEX_HULL_OF : type]);
    put(w, "\"");
    if (type == TACT_SPHERE || type == TACT_CAPSULE || type == TACT_CYLINDER || type == TACT_CONE)
        put_numbers(w, ",\"radius\":", &r->radius, 1, false);
    if (type == TACT_CAPSULE || type == TACT_CYLINDER || type == TACT_CONE)
        put_numbers(w, ",\"height\":", &r->height, 1, false);
    if (type == TACT_BOX || type == TACT_ELLIPSOID)
        put_numbers(w, type == TACT_BOX ? ",\"size\":" : ",\"radii\":", &r->size.x, 3, true);
    if (r->point_count > 0) {
        put(w, ",\"points\":[");
        for (int i = 0; i < r->point_count; i++)
            put_numbers(w, i ? "," : "", &r->points[i].x, 3, true);
        put(w, "]");
    }
    if (type == TACT_MINKOWSKI_SUM || type == TACT_CONVEX_HULL_OF || type == TACT_TRANSFORMED) {
        bool placed = type == TACT_TRANSFORMED;
        put(w, ",\"of\":[");
        put_item(w, whole, r->parts[0], placed ? &r->place : NULL);
        put(w, ",");
        put_item(w, whole, r->parts[placed ? 0 : 1], placed ? &r->place : NULL);
        put(w, "]");
    }
    if (r->margin > 0)
        put_numbers(w, ",\"margin\":", &r->margin, 1, false);
    if (at)
        put_place(w, at);
    put(w, "}");
}

size_t recipe_write(const recipe *r, tact_transform at, char *text, size_t capacity)
{
    writer w = {text, capacity, 0};
    text[0] = 0;
    put_item(&w, r, 0, &at);
    return w.used;
}
