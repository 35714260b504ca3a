/* A contact-free step of a cloth simulation. The simulator keeps its arrays; Tact borrows them. */
#include <stdio.h>
#include <tact/tact.h>

enum { SIDE = 21, PARTICLES = SIDE * SIDE };

static tact_vec3 x0[PARTICLES], x1[PARTICLES];
static double inverse_masses[PARTICLES];

/* A response of our own: vertices in contact stop. */
static void stick(void *context, const tact_feature_contact *contact, const tact_vec3 from[4], tact_vec3 to[4])
{
    size_t *calls = context;
    (void)contact;
    for (int k = 0; k < 4; k++)
        to[k] = from[k];
    ++*calls;
}

int main(void)
{
    static uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)];
    size_t n = 0;
    for (uint32_t i = 0; i < PARTICLES; i++) {
        x0[i] = tact_vec(0.05 * (i % SIDE) - 0.5, 0.42, 0.05 * (i / SIDE) - 0.5);
        inverse_masses[i] = i < SIDE ? 0.0 : 100.0; /* the first row is fixed */
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1)
            continue;
        const uint32_t quad[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        for (int k = 0; k < 6; k++)
            indices[n++] = quad[k];
    }
    tact_shape *sheet = tact_mesh(x0, PARTICLES, indices, n / 3), *block = tact_box(0.4, 0.8, 0.4);
    tact_world *world = tact_world_create(NULL);
    tact_body cloth = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    /* the block rises and rotates while the cloth falls */
    tact_body_create(world, &(tact_body_def){.shape = block, .motion = {.velocity = {0, 1, 0}, .spin = {0, 3, 0}}});

    tact_step_def step = tact_step_def_default();
    step.duration = 0.02;
    step.thickness = 1e-3;
    step.friction = 0.3;
    for (int i = 0; i < PARTICLES; i++)
        x1[i] = inverse_masses[i] > 0.0 ? tact_vec(x0[i].x, x0[i].y - 0.1, x0[i].z) : x0[i];
    tact_body_set_step_positions(world, cloth, x0, x1);
    tact_body_set_inverse_vertex_masses(world, cloth, inverse_masses);
    const tact_step_limit safe = tact_step_find_limit(world, &step);
    printf("%zu contacts; the first %.0f%% of the step is free\n", tact_step_find_contacts(world, &step).count,
           100 * safe.time);

    const tact_step_result done = tact_step_resolve(world, &step);
    printf("resolved in %d iterations: %zu contacts, nothing touches now\n", done.iterations, done.contacts);

    /* the next step, with the response above */
    size_t calls = 0;
    step.callback = stick;
    step.context = &calls;
    for (int i = 0; i < PARTICLES; i++) {
        x0[i] = x1[i];
        x1[i].y -= inverse_masses[i] > 0.0 ? 0.1 : 0.0;
    }
    tact_body_set_step_positions(world, cloth, x0, x1);
    const tact_step_result next = tact_step_resolve(world, &step);
    printf("our response was called %zu times; %.0f%% of the step was taken\n", calls, 100 * next.time);

    const bool clear = tact_mesh_check(tact_body_get_current_shape(world, cloth)).self_intersections == 0;
    tact_world_release(world);
    tact_shape_release(sheet);
    tact_shape_release(block);
    return safe.time > 0.1 && safe.time < 0.3 && done.status == TACT_OK && done.time == 1.0 && done.contacts > 0 &&
                   next.status == TACT_OK && calls > 0 && clear
               ? 0
               : 1;
}
