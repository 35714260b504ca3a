/* The classic game loop: move bodies, test, get contact callbacks. */
#include <stdio.h>
#include <tact/tact.h>

typedef struct object {
    const char *name;
    double x, speed;
} object;

typedef struct game {
    int frame, hits;
} game;

static void ouch(void *context, const tact_contact *c)
{
    game *g = context;
    const object *a = c->user_a, *b = c->user_b;
    printf("frame %d: %s meets %s at (%g %g %g)\n", g->frame, a->name, b->name, c->point.x, c->point.y, c->point.z);
    g->hits++;
}

int main(void)
{
    object player = {"ship", -5, 1}, asteroid = {"rock", 5, -0.5};
    game g = {0, 0};
    tact_shape *hull = tact_cone(1, 3), *stone = tact_sphere(2);

    tact_world *world = tact_world_create(NULL);
    tact_body ship = tact_body_create(world, &(tact_body_def){.shape = hull, .user = &player});
    tact_body rock = tact_body_create(world, &(tact_body_def){.shape = stone, .user = &asteroid});
    tact_world_set_contact_callback(world, (tact_response){.want = TACT_WITNESS, .callback = ouch, .context = &g});
    while (g.hits == 0 && g.frame < 20) {
        player.x += player.speed;
        asteroid.x += asteroid.speed;
        tact_body_set_transform(world, ship, tact_at(player.x, 0, 0));
        tact_body_set_transform(world, rock, tact_at(asteroid.x, 0, 0));
        tact_world_test(world);
        g.frame++;
    }

    tact_hit ahead = tact_world_ray(world, tact_vec(-20, 0, 0), tact_vec(1, 0, 0), 100, NULL);
    printf("looking along x, first the %s, %g away\n", ((object *)ahead.user)->name, ahead.t);

    tact_world_release(world);
    tact_shape_release(hull);
    tact_shape_release(stone);
    return g.hits == 1 ? 0 : 1;
}
