/* Rolling a pair of transformed shapes. */
#include "scene.h"

#include <math.h>
#include <string.h>

const char *const scene_kind_names[SCENE_KINDS] = {"separated", "touching", "deep",    "flat", "needle", "huge ratio",
                                                   "mirrored",  "aligned",  "centred", "far",  "margin"};

/* The unit roundoff, and the factor of it times L that the library may be off by. */
static const real unit_roundoff = 0x1p-53L;
static const real allowed_roundoffs = 32;
static const real allowed_relative = 1e-10L;

/* The oracle must be this many times sharper than what it judges. */
static const real oracle_sharper = 16;

void scene_roll_rotation(dice *d, double axes[3][3])
{
    double q[4], l = 0.0;
    for (int i = 0; i < 4; i++) {
        q[i] = dice_normal(d);
        l += q[i] * q[i];
    }
    l = 2.0 / (l + 1e-30);
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double m[3][3] = {{1 - l * (y * y + z * z), l * (x * y + z * w), l * (x * z - y * w)},
                            {l * (x * y - z * w), 1 - l * (x * x + z * z), l * (y * z + x * w)},
                            {l * (x * z + y * w), l * (y * z - x * w), 1 - l * (x * x + y * y)}};
    memcpy(axes, m, sizeof m);
}

/* A random linear part of about the size given; `rotation` is used when not NULL. */
static tact_transform roll_linear(dice *d, double size, double (*rotation)[3], uint32_t *kinds)
{
    double turn[3][3], scale[3], line[3][3];
    if (rotation)
        memcpy(turn, rotation, sizeof turn);
    else
        scene_roll_rotation(d, turn);
    int variant = dice_pick(d, 8);
    double squash = dice_power(d, -6.0, -2.0);
    int special = dice_pick(d, 3);
    for (int i = 0; i < 3; i++) {
        scale[i] = size;
        if (variant >= 2 && variant < 5)
            scale[i] *= dice_power(d, -1.0, 0.0);
        if (variant == 5 && i == special) /* flat */
            scale[i] *= squash;
        if (variant == 6 && i != special) /* needle */
            scale[i] *= squash;
    }
    *kinds |= variant == 5 ? 1u << SCENE_FLAT : variant == 6 ? 1u << SCENE_NEEDLE : 0u;
    if (dice_pick(d, 4) == 0) {
        int mirror = dice_pick(d, 3);
        scale[mirror] = -scale[mirror];
        *kinds |= 1u << SCENE_MIRRORED;
    }
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            line[k][i] = turn[k][i] * scale[k];
    if (variant == 7) { /* sheared: another rotation inside */
        double inner[3][3], product[3][3];
        scene_roll_rotation(d, inner);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                product[k][i] = line[0][i] * inner[k][0] + 0.3 * line[1][i] * inner[k][1] + line[2][i] * inner[k][2];
        memcpy(line, product, sizeof line);
    }
    tact_transform p;
    p.x_axis = (tact_vec3){line[0][0], line[0][1], line[0][2]};
    p.y_axis = (tact_vec3){line[1][0], line[1][1], line[1][2]};
    p.z_axis = (tact_vec3){line[2][0], line[2][1], line[2][2]};
    p.origin = (tact_vec3){0, 0, 0};
    return p;
}

static void set_origin(tact_transform *at, oracle_body *body, const real where[3])
{
    at->origin = (tact_vec3){(double)where[0], (double)where[1], (double)where[2]};
    body->origin[0] = at->origin.x;
    body->origin[1] = at->origin.y;
    body->origin[2] = at->origin.z;
}

static real tolerance(const scene *s) { return allowed_roundoffs * unit_roundoff * s->largest / oracle_sharper; }

static void find_gap(scene *s)
{
    s->largest = fmaxl(oracle_body_largest(&s->body_a), oracle_body_largest(&s->body_b));
    oracle_distance(&s->body_a, &s->body_b, allowed_relative / oracle_sharper, tolerance(s), &s->gap);
}

void scene_solve(scene *s)
{
    find_gap(s);
    s->margins = s->body_a.margin + s->body_b.margin;
    s->depth_slack = s->gap.high - s->gap.low;
    s->depth = s->margins - 0.5L * (s->gap.low + s->gap.high);
    s->overlap_known = s->gap.low > 0;
    if (!s->overlap_known) {
        real normal[3], core;
        s->depth = s->margins;
        if (oracle_depth_polytopes(&s->body_a, &s->body_b, &core, normal)) {
            s->overlap_known = true;
            s->depth = s->margins + core;
            s->depth_slack = s->gap.high; /* a gap that small may be there instead */
        }
    }
    real near = 1e-9L * s->largest;
    s->kinds &= ~((1u << SCENE_SEPARATED) | (1u << SCENE_TOUCHING) | (1u << SCENE_DEEP) | (1u << SCENE_FAR));
    if (s->gap.low - s->margins > 1e-12L * s->largest)
        s->kinds |= 1u << SCENE_SEPARATED;
    if (s->overlap_known && fabsl(s->depth) <= near)
        s->kinds |= 1u << SCENE_TOUCHING;
    if (s->overlap_known ? s->depth > near : s->gap.high <= s->margins)
        s->kinds |= 1u << SCENE_DEEP;
    if (s->largest > 100 * fmaxl(oracle_body_size(&s->body_a), oracle_body_size(&s->body_b)))
        s->kinds |= 1u << SCENE_FAR;
}

typedef enum relation { APART, TOUCH, NEAR_TOUCH, SHALLOW, DEEP, CENTRED, CORNERS, RELATIONS } relation;

void scene_make(scene *s, tact_shape_type type_a, tact_shape_type type_b, uint64_t seed, uint64_t index)
{
    dice d = dice_for(seed, (uint64_t)type_a * 64 + (uint64_t)type_b, index);
    memset(&s->gap, 0, sizeof s->gap);
    s->kinds = 0;
    recipe_roll(&s->a, type_a, &d);
    recipe_roll(&s->b, type_b, &d);
    double size_a = dice_power(&d, -6.0, 6.0), size_b = size_a * dice_power(&d, -1.0, 1.0);
    if (dice_pick(&d, 4) == 0)
        size_b = dice_power(&d, -6.0, 6.0);
    size_b = fmin(fmax(size_b, 1e-6), 1e6);
    if (size_a > 1e3 * size_b || size_b > 1e3 * size_a)
        s->kinds |= 1u << SCENE_HUGE_RATIO;
    double same[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool aligned = dice_pick(&d, 5) == 0;
    if (aligned) {
        s->kinds |= 1u << SCENE_ALIGNED;
        if (dice_pick(&d, 2))
            scene_roll_rotation(&d, same);
    }
    s->transform_a = roll_linear(&d, size_a, aligned ? same : NULL, &s->kinds);
    s->transform_b = roll_linear(&d, size_b, aligned ? same : NULL, &s->kinds);
    s->a.items[0].margin *= size_a; /* a margin is a length in the world */
    s->b.items[0].margin *= size_b;
    if (s->a.items[0].margin > 0 || s->b.items[0].margin > 0)
        s->kinds |= 1u << SCENE_MARGIN;
    recipe_body(&s->a, s->transform_a, &s->body_a);
    recipe_body(&s->b, s->transform_b, &s->body_b);
    real wide_a = oracle_body_size(&s->body_a), wide_b = oracle_body_size(&s->body_b);
    real wide = fmaxl(fmaxl(wide_a, wide_b), 1e-12L), narrow = fminl(wide_a, wide_b) > 0 ? fminl(wide_a, wide_b) : wide;

    relation variant = (relation)dice_pick(&d, RELATIONS);
    real n[3] = {dice_normal(&d), dice_normal(&d), dice_normal(&d)}, back[3], base[3], where[3], sideways[3];
    oracle_normalize(n);
    if (aligned && dice_pick(&d, 2)) { /* along a common axis */
        int k = dice_pick(&d, 3);
        for (int i = 0; i < 3; i++)
            n[i] = same[k][i];
    }
    for (int i = 0; i < 3; i++)
        back[i] = -n[i];
    real reach = oracle_body_extent(&s->body_a, n) + oracle_body_extent(&s->body_b, back);
    real margins = s->body_a.margin + s->body_b.margin;
    double far_off = dice_pick(&d, 2) ? 0.0 : dice_power(&d, -1.0, 4.0);
    for (int i = 0; i < 3; i++) {
        base[i] = (real)((double)wide * far_off * dice_normal(&d));
        sideways[i] = dice_pick(&d, 3) ? wide * 0.5L * (real)dice_between(&d, -1, 1) : 0;
        where[i] = 0;
    }
    real along = reach + margins; /* B at base + along n (+ sideways) */
    real room = dice_pick(&d, 2) ? wide : narrow;
    real target = 0; /* the signed distance wanted, where one is */
    if (variant == APART)
        target = room * (real)dice_power(&d, -9.0, 3.0);
    else if (variant == NEAR_TOUCH)
        target = wide * (real)dice_power(&d, -13.0, -6.0) * (dice_pick(&d, 2) ? 1 : -1);
    else if (variant == SHALLOW)
        target = -room * (real)dice_power(&d, -6.0, -2.0);
    else if (variant == DEEP)
        along *= (real)dice_between(&d, -1.0, 1.0);
    else if (variant == CORNERS)
        target = dice_pick(&d, 3) ? room * (real)dice_power(&d, -12.0, 0.0) * (dice_pick(&d, 2) ? 1 : -1) : 0;
    if (variant == CENTRED)
        s->kinds |= 1u << SCENE_CENTRED;
    set_origin(&s->transform_a, &s->body_a, base);
    if (variant == CORNERS) { /* the points farthest along n of each lie on one line along n */
        real a[3], b[3];
        oracle_body_farthest(&s->body_a, n, a);
        oracle_body_farthest(&s->body_b, back, b);
        for (int i = 0; i < 3; i++)
            where[i] = base[i] + a[i] - b[i] + n[i] * (margins + target);
    } else if (variant == CENTRED) {
        for (int i = 0; i < 3; i++)
            where[i] = s->body_a.origin[i];
    } else if (variant == DEEP) {
        for (int i = 0; i < 3; i++)
            where[i] = base[i] + along * n[i] + 0.2L * sideways[i];
    } else {
        for (int i = 0; i < 3; i++)
            where[i] = base[i] + (along + 0.1L * wide) * n[i] + sideways[i];
    }
    set_origin(&s->transform_b, &s->body_b, where);
    if (variant == APART || variant == TOUCH || variant == NEAR_TOUCH || variant == SHALLOW) {
        /* the search alone is near enough to find the nearest features; bring them to the distance wanted */
        s->largest = fmaxl(oracle_body_largest(&s->body_a), oracle_body_largest(&s->body_b));
        oracle_distance_search(&s->body_a, &s->body_b, allowed_relative, tolerance(s), -1, &s->gap);
        if (s->gap.low > 0) {
            real step = margins + target - s->gap.low;
            for (int i = 0; i < 3; i++)
                where[i] = s->body_b.origin[i] + step * s->gap.normal[i];
            set_origin(&s->transform_b, &s->body_b, where);
        }
    }
    scene_solve(s);
}
