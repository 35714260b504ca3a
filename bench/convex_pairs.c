/*
 * Pairs with a known distance. Both solids get a random rotation, and B is moved far away in a random direction. The
 * oracle (polytope_oracle.c; a formula for sphere and capsule) gives the closest points and the normal n between them.
 * Moving B along n keeps n and the closest points while the solids are separated, so the distance can be set exactly:
 *     apart    0.5 to 1.5 radii
 *     near     within 1 % of a radius of touching, half of them separated, half overlapping
 *     overlap  0.1 to 0.5 radii past touching along n
 * The oracle proves each overlap and each distance; a pair without proof in all three situations is drawn again. A
 * radius is the smaller `size` of the two solids.
 */
#include "convex_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "polytope_oracle.h"
#include "support/random.h"

const char *const tact_pair_class_names[PAIR_CLASSES] = {"box-box", "sphere-capsule", "hull20", "hull200"};
const char *const tact_pair_situation_names[PAIR_SITUATIONS] = {"apart", "near", "overlap"};

/* Largest difference of the upper and lower bound of the oracle's distance; otherwise the pair is drawn again. */
#define MAX_PROOF_GAP 1e-14L

static bool make_solids(convex_pair_set *set, random_source *random)
{
    for (int i = 0; i < 2 * set->side; i++) {
        solid *s = &set->solids[i];
        bool made = false;
        switch (set->class_of) {
        case PAIRS_BOX_BOX: {
            double x = random_range(random, 0.3, 0.9), y = random_range(random, 0.3, 0.9);
            made = tact_solid_box(s, (tact_vec3){x, y, random_range(random, 0.3, 0.9)});
            break;
        }
        case PAIRS_SPHERE_CAPSULE:
            if (i < set->side) {
                made = tact_solid_sphere(s, random_range(random, 0.3, 1.0));
            } else {
                double radius = random_range(random, 0.2, 0.6);
                made = tact_solid_capsule(s, radius, random_range(random, 0.5, 1.5));
            }
            break;
        default:
            made = tact_solid_hull(s, set->points, random);
            break;
        }
        if (!made)
            return false;
        set->solid_count = i + 1;
    }
    return true;
}

/* Distance of the sphere's centre from the capsule's segment. */
static oracle_result sphere_capsule(const solid *sphere, const tact_transform *transform_sphere, const solid *capsule,
                                    const tact_transform *at)
{
    long double ax = at->y_axis.x, ay = at->y_axis.y, az = at->y_axis.z;
    long double dx = (long double)transform_sphere->origin.x - at->origin.x,
                dy = (long double)transform_sphere->origin.y - at->origin.y,
                dz = (long double)transform_sphere->origin.z - at->origin.z;
    long double half = 0.5L * capsule->height;
    long double along = (dx * ax + dy * ay + dz * az) / (ax * ax + ay * ay + az * az);
    along = along > half ? half : along < -half ? -half : along;
    oracle_vec n = {along * ax - dx, along * ay - dy, along * az - dz};
    long double length = sqrtl(n.x * n.x + n.y * n.y + n.z * n.z);
    long double gap = length - sphere->radius - capsule->radius;
    return (oracle_result){
        gap > 0.0L ? ORACLE_APART : ORACLE_OVERLAP, gap, gap, {n.x / length, n.y / length, n.z / length}};
}

typedef struct oracle_scratch {
    oracle_polytope a, b;
    bool out_of_memory;
} oracle_scratch;

static oracle_result oracle(oracle_scratch *s, const convex_pair_set *set, const convex_pair *p, const oracle_vec *axis)
{
    const solid *a = &set->solids[p->a], *b = &set->solids[p->b];
    if (set->class_of == PAIRS_SPHERE_CAPSULE)
        return sphere_capsule(a, &p->transform_a, b, &p->transform_b);
    if (!tact_oracle_transform(&s->a, a, &p->transform_a) || !tact_oracle_transform(&s->b, b, &p->transform_b)) {
        s->out_of_memory = true;
        return (oracle_result){.overlap = ORACLE_UNDECIDED};
    }
    return tact_oracle_distance(&s->a, &s->b, axis);
}

/* Moves B along n to the distance `gap`, rounded to doubles. Returns false if the oracle cannot prove the result. */
static bool move_to_gap(oracle_scratch *s, const convex_pair_set *set, convex_pair *p, const oracle_result *far,
                        double gap)
{
    long double step = gap - far->distance;
    tact_vec3 o = p->transform_b.origin;
    p->transform_b.origin.x = (double)(o.x + step * far->normal.x);
    p->transform_b.origin.y = (double)(o.y + step * far->normal.y);
    p->transform_b.origin.z = (double)(o.z + step * far->normal.z);
    p->gap = gap;
    oracle_result t = oracle(s, set, p, &far->normal);
    if (gap < 0.0)
        return t.overlap == ORACLE_OVERLAP;
    if (t.overlap != ORACLE_APART || t.distance - t.lower > MAX_PROOF_GAP)
        return false;
    p->gap = (double)t.distance;
    return true;
}

static bool draw(oracle_scratch *s, const convex_pair_set *set, random_source *random,
                 convex_pair pairs[PAIR_SITUATIONS])
{
    convex_pair p = {.a = 0};
    p.a = random_between(random, 0, set->side - 1);
    p.b = random_between(random, set->side, 2 * set->side - 1);
    const solid *a = &set->solids[p.a], *b = &set->solids[p.b];
    double radius = a->size < b->size ? a->size : b->size;
    double far = a->bounding_radius + b->bounding_radius + radius;
    tact_vec3 direction = random_direction(random);
    double x = random_range(random, -1.0, 1.0), y = random_range(random, -1.0, 1.0);
    tact_vec3 from = {x, y, random_range(random, -1.0, 1.0)}, one = {1.0, 1.0, 1.0};
    tact_vec3 to = {from.x + far * direction.x, from.y + far * direction.y, from.z + far * direction.z};
    p.transform_a = tact_transform_make(from, random_rotation(random), one);
    p.transform_b = tact_transform_make(to, random_rotation(random), one);
    double gaps[PAIR_SITUATIONS];
    gaps[PAIRS_APART] = radius * random_range(random, 0.5, 1.5);
    gaps[PAIRS_NEAR] = radius * random_range(random, -0.01, 0.01);
    gaps[PAIRS_OVERLAP] = -radius * random_range(random, 0.1, 0.5);
    oracle_result t = oracle(s, set, &p, NULL);
    if (t.overlap != ORACLE_APART || t.distance - t.lower > MAX_PROOF_GAP)
        return false;
    for (int i = 0; i < PAIR_SITUATIONS; i++) {
        pairs[i] = p;
        if (!move_to_gap(s, set, &pairs[i], &t, gaps[i]))
            return false;
    }
    return true;
}

static bool fill(convex_pair_set *set, uint64_t seed)
{
    int count = set->count;
    random_source random = random_seed(seed);
    bool done = make_solids(set, &random);
    for (int i = 0; i < PAIR_SITUATIONS; i++) {
        set->pairs[i] = malloc((size_t)count * sizeof *set->pairs[i]);
        done = done && set->pairs[i];
    }
    oracle_scratch s = {0};
    for (int i = 0; done && i < count;) {
        convex_pair drawn[PAIR_SITUATIONS];
        if (draw(&s, set, &random, drawn)) {
            for (int k = 0; k < PAIR_SITUATIONS; k++)
                set->pairs[k][i] = drawn[k];
            i++;
        }
        done = !s.out_of_memory;
    }
    tact_oracle_release(&s.a);
    tact_oracle_release(&s.b);
    if (!done)
        tact_pairs_release(set);
    return done;
}

bool tact_pairs_create(convex_pair_set *set, pair_class class_of, int count, uint64_t seed)
{
    int points = class_of == PAIRS_HULL20 ? 20 : 200;
    *set = (convex_pair_set){.class_of = class_of, .points = points, .side = PAIR_SOLIDS, .count = count};
    return fill(set, seed + (uint64_t)class_of);
}

bool tact_pairs_create_hulls(convex_pair_set *set, int points, int side, int count, uint64_t seed)
{
    *set = (convex_pair_set){.class_of = PAIRS_HULL200, .points = points, .side = side, .count = count};
    return fill(set, seed + (uint64_t)points);
}

void tact_pairs_release(convex_pair_set *set)
{
    for (int i = 0; i < set->solid_count; i++)
        tact_solid_release(&set->solids[i]);
    for (int i = 0; i < PAIR_SITUATIONS; i++)
        free(set->pairs[i]);
    *set = (convex_pair_set){0};
}
