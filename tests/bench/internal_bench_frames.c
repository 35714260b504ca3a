/* Smaller scenes of `tact-bench frames` in continuous time against the oracle: the reference touches of that benchmark
 * are correct and complete.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>
#include <tact/tact.h>

#include "frames_tact.h"
#include "math/vec.h"
#include "oracle/advance.h"
#include "support/seeded_cases.h"

/* The shape of a scene for the oracle: a union of convex parts. */
static void figure_of(const frames_shape *shape, figure *f)
{
    *f = (figure){.shape = shape->shape};
    if (shape->kind == FRAMES_RING)
        for (int i = 0; i < shape->face_count; ++i) {
            const int *c = shape->faces[i];
            f->places[f->count] = tact_identity();
            f->parts[f->count++] = tact_triangle(shape->vertices[c[0]], shape->vertices[c[1]], shape->vertices[c[2]]);
        }
    else {
        f->places[0] = tact_identity();
        f->parts[f->count++] = shape->kind == FRAMES_SPHERE ? tact_sphere(shape->radius)
                               : shape->kind == FRAMES_BOX
                                   ? tact_box(2.0 * shape->half.x, 2.0 * shape->half.y, 2.0 * shape->half.z)
                                   : tact_hull(shape->vertices, (size_t)shape->vertex_count);
    }
}

/* The interval in which the bounding spheres overlap. Returns false if there is none. */
static bool bounding_spheres_overlap(const frames_scene *s, int a, int b, double *from, double *to)
{
    const double radii = frames_shape_of(s, a)->bounding_radius + frames_shape_of(s, b)->bounding_radius + 1e-6;
    const tact_vec3 d = vec_sub(s->transforms[b].origin, s->transforms[a].origin);
    const tact_vec3 v = vec_sub(s->motions[b].velocity, s->motions[a].velocity);
    const double dv = vec_dot(d, v), vv = vec_length_squared(v),
                 square = dv * dv - vv * (vec_length_squared(d) - radii * radii);
    if (square < 0.0)
        return false;
    *from = fmax((-dv - sqrt(square)) / vv, 0.0);
    *to = fmin((-dv + sqrt(square)) / vv, s->end);
    return *from < *to;
}

static moving_figure moving_figure_of(const frames_scene *s, const figure *figures, int i, double time)
{
    return (moving_figure){&figures[s->shape_of[i]], tact_motion_at(s->motions[i], s->transforms[i], time),
                           s->motions[i]};
}

static void reference_touches_are_correct_and_complete(void **state)
{
    (void)state;
    enum { SCENES = 5 };
    const int bodies = long_form() ? 60 : 45;
    static const unsigned kinds[SCENES] = {1u << FRAMES_SPHERE, 1u << FRAMES_BOX, 1u << FRAMES_HULL, 1u << FRAMES_RING,
                                           (1u << FRAMES_KINDS) - 1};
    static figure figures[FRAMES_SHAPES];
    long contacts[SCENES] = {0}, near = 0, again = 0;
    for (uint64_t seed = first_seed(); seed <= last_seed(1); ++seed)
        for (int k = 0; k < SCENES; ++k) {
            frames_scene s;
            frames_touch *reported;
            size_t count;
            assert_true(tact_frames_create(&s, bodies, kinds[k], seed));
            assert_true(tact_frames_touches(&s, &reported, &count));
            for (int i = 0; i < FRAMES_SHAPES; ++i)
                figure_of(&s.shapes[i], &figures[i]);
            size_t next = 0; /* sorted by pair */
            for (int a = 0; a < bodies; ++a)
                for (int b = a + 1; b < bodies; ++b) {
                    const size_t first = next;
                    while (next < count && reported[next].pair == ((uint64_t)a << 32 | (uint64_t)b))
                        ++next;
                    double from, to;
                    if (!bounding_spheres_overlap(&s, a, b, &from, &to)) {
                        CHECK(next == first, "%d and %d touch, but their bounding spheres do not", a, b);
                        continue;
                    }
                    const moving_figure ma = moving_figure_of(&s, figures, a, from),
                                        mb = moving_figure_of(&s, figures, b, from);
                    touches expected;
                    moving_figures_touch(&ma, &mb, to - from, false, &expected);
                    if (expected.near) {
                        ++near;
                        continue;
                    }
                    CHECK((int)(next - first) == expected.count, "%d and %d touch %d times, should be %d", a, b,
                          (int)(next - first), expected.count);
                    for (int i = 0; i < expected.count; ++i) {
                        const double off = fabs(reported[first + (size_t)i].time - from - expected.times[i]);
                        CHECK(off <= 1e-9 + expected.slack[i], "%d and %d touch %g too early or late", a, b, off);
                    }
                    contacts[k] += expected.count;
                    again += expected.count > 1;
                }
            assert_int_equal(next, count);
            for (int i = 0; i < FRAMES_SHAPES; ++i)
                for (int p = 0; p < figures[i].count; ++p)
                    tact_shape_release(figures[i].parts[p]);
            free(reported);
            tact_frames_release(&s);
        }
    print_message(
        "touches: %ld of spheres, %ld of boxes, %ld of hulls, %ld of rings, %ld mixed; %ld pairs several times, "
        "%ld near\n",
        contacts[0], contacts[1], contacts[2], contacts[3], contacts[4], again, near);
    for (int k = 0; k < SCENES && !few_cases(); ++k)
        assert_true(contacts[k] > 5);
    assert_true(near < 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reference_touches_are_correct_and_complete)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
