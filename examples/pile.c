/* Crates fall on each other, come to rest and fall asleep: a world with gravity, frame by frame. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

#define CRATES 12

/* Counts the impacts that would be heard: faster than 1 m/s. */
static void knock(void *context, const tact_contact *c)
{
    *(int *)context += tact_event_get_closing_speed(c->world, c->event) > 1.0;
}

int main(void)
{
    tact_shape *slab = tact_box(60, 1, 60), *box = tact_box(1, 1, 1);
    tact_world *world = tact_world_create(&(tact_world_def){.gravity = {0, -9.81, 0}});
    int knocks = 0;
    tact_world_set_contact_callback(world, (tact_response){.callback = knock, .context = &knocks});
    const tact_material wood = {.friction = 0.5};
    tact_body_create(world, &(tact_body_def){.shape = slab, .transform = tact_at(0, -0.5, 0), .material = wood});
    tact_body crates[CRATES];
    for (int i = 0; i < CRATES; ++i) {
        const double x = 0.3 * (i % 3), z = 0.2 * (i % 4);
        crates[i] = tact_body_create(
            world,
            &(tact_body_def){.shape = box, .transform = tact_at(x, 2 + 1.5 * i, z), .density = 500, .material = wood});
    }

    int asleep = 0, frames = 0;
    while (asleep < CRATES && frames < 60 * 60 && tact_world_step(world, 1.0 / 60.0) == TACT_OK) {
        ++frames;
        asleep = 0;
        for (int i = 0; i < CRATES; ++i)
            asleep += tact_body_is_asleep(world, crates[i]);
    }
    printf("%d of %d crates asleep after %.2f s and %d knocks\n", asleep, CRATES, tact_world_get_time(world), knocks);

    tact_persistent_contact contacts[CRATES + 1];
    const size_t count = tact_body_get_contacts(world, crates[0], contacts, CRATES + 1);
    double load = 0.0; /* the force that the crate exerts upwards and downwards on its neighbours */
    for (size_t i = 0; i < count && contacts[i].duration > 0.0; ++i)
        for (int k = 0; k < contacts[i].count; ++k)
            load += fabs(contacts[i].points[k].impulse.y) / contacts[i].duration;
    printf("crate  0 has %zu contacts; the sum of their vertical forces is %.0f N\n", count, load);

    int above = 0;
    for (int i = 0; i < CRATES; ++i) {
        const tact_vec3 at = tact_body_get_transform(world, crates[i]).origin;
        printf("crate %2d at %6.3f %6.3f %6.3f\n", i, at.x, at.y, at.z);
        above += at.y > 0.49;
    }

    tact_world_release(world);
    tact_shape_release(slab);
    tact_shape_release(box);
    return asleep == CRATES && above == CRATES ? 0 : 1;
}
