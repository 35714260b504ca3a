/* A cloth is rolled up until its layers intersect. A world test reports this, and in which faces. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { LENGTH = 41, WIDTH = 9, PARTICLES = LENGTH * WIDTH };

static tact_vec3 x[PARTICLES];

typedef struct report {
    size_t calls, segments;
    tact_vec3 first; /* the start of the first segment */
} report;

/* A self-contact: both bodies are the cloth. */
static void on_contact(void *context, const tact_contact *contact)
{
    report *r = context;
    if (contact->a.index != contact->b.index)
        return;
    ++r->calls;
    r->segments = contact->intersection_count;
    r->first = contact->intersections[0].from;
}

/* Rolls the cloth around the z axis, two turns with layers 0.1 apart. Wrinkles of some height change the radius. */
static void roll(double wrinkles)
{
    for (int i = 0; i < PARTICLES; i++) {
        const double angle = 12.566370614359172 * (i / WIDTH) / (LENGTH - 1);
        const double radius = 0.5 + angle / 62.83185307179586 + wrinkles * sin(0.75 * angle);
        x[i] = tact_vec(radius * cos(angle), radius * sin(angle), 0.1 * (i % WIDTH));
    }
}

int main(void)
{
    static uint32_t indices[6 * (LENGTH - 1) * (WIDTH - 1)];
    size_t n = 0;
    for (uint32_t i = 0; i < PARTICLES - WIDTH; i++) {
        if (i % WIDTH == WIDTH - 1)
            continue;
        const uint32_t quad[6] = {i, i + 1, i + WIDTH, i + 1, i + WIDTH + 1, i + WIDTH};
        for (int k = 0; k < 6; k++)
            indices[n++] = quad[k];
    }
    roll(0);
    tact_shape *sheet = tact_mesh(x, PARTICLES, indices, n / 3);
    tact_world *world = tact_world_create(NULL);
    const tact_body cloth =
        tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true, .self_collision = true});
    report r = {0};
    tact_world_set_contact_callback(world,
                                    (tact_response){.want = TACT_INTERSECTIONS, .callback = on_contact, .context = &r});

    const double wrinkles[4] = {0, 0.05, 0.15, 0.02};
    const bool touches[4] = {false, false, true, false};
    bool good = true;
    for (int i = 0; i < 4; i++) {
        r = (report){0};
        roll(wrinkles[i]);
        tact_body_deform(world, cloth, (tact_vertices){x, PARTICLES, 0, TACT_SCALAR_DOUBLE});
        const tact_count done = tact_world_test(world);
        printf("wrinkles of %.2f: ", wrinkles[i]);
        if (r.calls > 0)
            printf("%zu segments, the first at (%.2f %.2f %.2f)\n", r.segments, r.first.x, r.first.y, r.first.z);
        else
            printf("no self-contact\n");
        good = good && done.status == TACT_OK && done.count == r.calls && (r.calls == 1) == touches[i];
    }

    /* a single vertex pushed through the next layer */
    r = (report){0};
    x[4] = tact_vec(0.6, 0, 0.4);
    tact_body_deform_range(world, cloth, 4, 1);
    tact_world_test(world);
    printf("one vertex moved: %zu segments\n", r.segments);
    good = good && r.calls == 1 && r.segments > 0;

    /* without the flag nothing is reported */
    tact_body_set_self_collision(world, cloth, false);
    good = good && tact_world_test(world).count == 0;
    tact_world_release(world);
    tact_shape_release(sheet);
    return good ? 0 : 1;
}
