/*
 * A NURBS body that bends: the fin of a fish is a surface with 12 x 8 control points. Moving a few of them bends the
 * fin; only the region that they influence is computed again. A test then finds the ball that the fin touches.
 */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { ROWS = 12, COLUMNS = 8, DEGREE = 3 };

/* Knots from 0 to 1 at equal distances; those at both ends are repeated, so that the surface reaches its corners. */
static void fill_knots(double *knots, int count)
{
    for (int i = 0; i < count + DEGREE + 1; ++i)
        knots[i] = fmin(fmax((double)(i - DEGREE) / (count - DEGREE), 0.0), 1.0);
}

static void on_contact(void *context, const tact_contact *contact)
{
    (void)context;
    printf("  contact near (%.3f %.3f %.3f)\n", contact->point.x, contact->point.y, contact->point.z);
}

int main(void)
{
    double u[ROWS + DEGREE + 1], v[COLUMNS + DEGREE + 1];
    tact_vec3 control[ROWS * COLUMNS];
    fill_knots(u, ROWS);
    fill_knots(v, COLUMNS);
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j)
            control[i * COLUMNS + j] = tact_vec(0.1 * i, 0.1 * j, 0.02 * sin(0.5 * i));
    tact_report report;
    tact_shape *fin = tact_nurbs_create(&(tact_nurbs_def){.degree = {DEGREE, DEGREE},
                                                          .counts = {ROWS, COLUMNS},
                                                          .knots = {u, v},
                                                          .points = control,
                                                          .tolerance = 1e-4},
                                        1, &report);
    if (fin == NULL) {
        printf("%s\n", report.text);
        return 1;
    }
    printf("%zu triangles within %.2g of the surface\n", tact_mesh_get_size(fin).triangles, tact_nurbs_get_error(fin));

    tact_world *world = tact_world_create(NULL);
    tact_shape *ball = tact_sphere(0.1);
    tact_body fish = tact_body_create(world, &(tact_body_def){.shape = fin, .deformable = true});
    (void)tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(0.9, 0.35, 0.35)});
    (void)tact_world_set_contact_callback(world, (tact_response){.want = TACT_WITNESS, .callback = on_contact});

    /* the end of the fin bends upwards, step by step, until it touches the ball */
    size_t contacts = 0;
    for (int step = 0; step < 20 && contacts == 0; ++step) {
        const size_t first = (ROWS - 4) * COLUMNS, count = 4 * COLUMNS;
        for (size_t i = first; i < first + count; ++i)
            control[i].z += 0.03 * (double)(i / COLUMNS - (ROWS - 5)) / 4.0;
        if (tact_body_move_control_points(world, fish, first, count, &control[first]) != TACT_OK)
            return 1;
        contacts = tact_world_test(world).count;
        printf("step %d: %zu vertices, %zu contact%s\n", step, tact_body_get_vertices(world, fish, NULL, 0), contacts,
               contacts == 1 ? "" : "s");
    }
    tact_world_release(world);
    tact_shape_release(fin);
    tact_shape_release(ball);
    return contacts == 1 ? 0 : 1;
}
