/*
 * A NURBS surface in continuous time: a sheet with 6 x 4 control points flaps up and down. Its key frames are those of
 * the control points. The world reports when the surface touches the ball above it and the falling ball, in order.
 */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { ROWS = 6, COLUMNS = 4, DEGREE = 3, POINTS = ROWS * COLUMNS, FRAMES = 5 };

static void fill_knots(double *knots, int count)
{
    for (int i = 0; i < count + DEGREE + 1; ++i)
        knots[i] = fmin(fmax((double)(i - DEGREE) / (count - DEGREE), 0.0), 1.0);
}

int main(void)
{
    double u[ROWS + DEGREE + 1], v[COLUMNS + DEGREE + 1];
    tact_vec3 frames[FRAMES][POINTS];
    fill_knots(u, ROWS);
    fill_knots(v, COLUMNS);
    for (int frame = 0; frame < FRAMES; ++frame)
        for (int i = 0; i < POINTS; ++i) {
            const double x = 0.4 * (i / COLUMNS), phase = 1.5707963267948966 * frame;
            frames[frame][i] = tact_vec(x, 0.4 * (i % COLUMNS), 0.3 * x * sin(phase)); /* fixed at x = 0 */
        }
    tact_shape *sheet = tact_nurbs(&(tact_nurbs_def){.degree = {DEGREE, DEGREE},
                                                     .counts = {ROWS, COLUMNS},
                                                     .knots = {u, v},
                                                     .points = frames[0],
                                                     .tolerance = 1e-3});
    tact_animation *flap = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = frames, .count = POINTS}, .frame_count = FRAMES}, NULL);
    tact_shape *ball = tact_sphere(0.2);
    tact_world *world = tact_world_create(NULL);
    if (sheet == NULL || flap == NULL || ball == NULL || world == NULL)
        return 1;

    tact_body flag = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    tact_body fixed = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(1.8, 0.6, 0.6)});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball,
                                                   .transform = tact_at(0.6, 0.6, 2.0),
                                                   .motion = {.acceleration = {0.0, 0.0, -1.0}}});
    if (tact_body_play(world, flag, flap, &(tact_play_def){.loop = true}) != TACT_OK) /* four units of time */
        return 1;

    int touches = 0;
    for (tact_event e; tact_world_next_event(world, 6.0, &e) == TACT_EVENT_TOUCH;) {
        printf("%.6f  the sheet touches the %s ball near (%.3f %.3f %.3f)\n", e.time,
               e.b.index == fixed.index ? "fixed" : "falling", e.point.x, e.point.y, e.point.z);
        ++touches;
    }
    tact_world_release(world);
    tact_animation_release(flap);
    tact_shape_release(sheet);
    tact_shape_release(ball);
    return touches == 3 ? 0 : 1;
}
