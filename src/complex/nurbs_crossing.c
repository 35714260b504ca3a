/* Directions between common points: see nurbs_crossing.h. */
#include "complex/nurbs_crossing.h"

/* Directions of the chords of a node. */
typedef struct chord_bound {
    tact_vec3 along[2]; /* e_s, e_t */
    tact_vec3 normal;
    double slope; /* k: sine of the angle with the plane at most */
} chord_bound;

/*
 * The ball of the differences of control points along direction d. For a rational part with A = w (S - c),
 * w S_s = A_s - w_s (S - c), and |S - c| is at most the distance of the control points from c.
 */
static bool bound_derivative(const nurbs_vec4 *net, const int degree[2], int d, tact_vec3 c, double reach,
                             tact_vec3 *along, double *radius)
{
    const int rows = degree[0] + (d == 1), columns = degree[1] + (d == 0), k = degree[1] + 1, step = d == 0 ? k : 1;
    tact_vec3 sum = {0.0, 0.0, 0.0};
    double weight = 0.0;
    for (int pass = 0; pass < 2; pass++) {
        double largest = 0.0;
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                const nurbs_vec4 *p = net + i * k + j, *q = p + step;
                const double w = q->w - p->w;
                const tact_vec3 v = vec_mul_add(vec_make(q->x - p->x, q->y - p->y, q->z - p->z), -w, c);
                if (pass == 0) {
                    sum = vec_add(sum, v);
                    weight = max_double(weight, fabs(w));
                } else {
                    largest = max_double(largest, vec_length_squared(vec_sub(v, sum)));
                }
            }
        if (pass == 0)
            sum = vec_scale(sum, 1.0 / (rows * columns));
        else
            *radius = sqrt(largest) + weight * reach;
    }
    const double length = vec_length(sum);
    if (!(length > *radius))
        return false;
    *along = vec_scale(sum, 1.0 / length);
    *radius = *radius / length * (1.0 + NURBS_CROSSING_SLACK) + NURBS_CROSSING_SLACK;
    return true;
}

static bool bound_chords(const search_side *side, uint32_t node, chord_bound *out)
{
    const search_node *n = &side->nodes.items[node];
    const nurbs_surface *surface = search_surface(side, n);
    const nurbs_vec4 *net = side->points.items + n->data;
    const double reach = surface->weights != NULL ? vec_length(vec_sub(n->high, n->low)) : 0.0;
    double radius[2];
    for (int d = 0; d < 2; d++)
        if (!bound_derivative(net, surface->degree, d, n->centre, reach, &out->along[d], &radius[d]))
            return false;
    const double r = sqrt(radius[0] * radius[0] + radius[1] * radius[1]);
    const double room = sqrt(max_double(1.0 - fabs(vec_dot(out->along[0], out->along[1])), 0.0)) - r;
    if (!(room > r))
        return false;
    out->slope = r / room;
    out->normal = vec_normalize(vec_cross(out->along[0], out->along[1]));
    return true;
}

/* The sense of coordinate i along vectors within the angle `turn` of d: with the unit vector x of the plane across the
 * other derivative, c . x = a sin g + an error of at most k. */
static int sense_of(const chord_bound *b, int i, tact_vec3 d, double turn)
{
    tact_vec3 x = vec_cross(b->along[1 - i], b->normal);
    x = vec_dot(x, b->along[i]) < 0.0 ? vec_negate(x) : x;
    const double angle = acos(fmin(fabs(vec_dot(x, d)), 1.0)) + turn;
    if (!(angle < 1.5) || !(cos(angle) > b->slope))
        return 0;
    return vec_dot(x, d) > 0.0 ? 1 : -1;
}

bool tact_nurbs_nodes_cross(const nurbs_search *s, const uint32_t node[2], nurbs_crossing *out)
{
    chord_bound b[2];
    for (int i = 0; i < 2; i++)
        if (!bound_chords(&s->side[i], node[i], &b[i]))
            return false;
    const tact_vec3 d = vec_cross(b[0].normal, b[1].normal);
    const double sine = vec_length(d), across = b[0].slope + b[1].slope;
    if (!(across < NURBS_CROSSING_MAX * sine))
        return false;
    out->along = vec_scale(d, 1.0 / sine);
    const double turn = asin(across / sine);
    for (int k = 0; k < 4; k++)
        out->sense[k] = sense_of(&b[k / 2], k % 2, out->along, turn);
    return true;
}
