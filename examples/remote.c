/* Remote collision detection: a client of `tact serve`. Two bodies are sent once; then one of them moves.
 *
 *     tact serve tcp://127.0.0.1:7070 &
 *     example_remote tcp://127.0.0.1:7070
 */
#include <stdio.h>
#include <tact/remote.h>

static int failed(const tact_remote *remote)
{
    (void)fprintf(stderr, "remote: %s\n", tact_remote_get_error(remote));
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        puts("usage: example_remote ADDRESS [TOKEN]");
        return 0;
    }
    /* a world as usual; nothing is computed on this side */
    tact_world *world = tact_world_create(NULL);
    tact_shape *crate = tact_box(2.0, 2.0, 2.0), *ball = tact_sphere(1.0);
    const tact_body wall = tact_body_create(world, &(tact_body_def){.shape = crate});
    const tact_body shot = tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(-5, 0, 0)});
    tact_shape_release(crate);
    tact_shape_release(ball);

    tact_report report;
    const tact_remote_def def = {.token = argc > 2 ? argv[2] : NULL};
    tact_remote *remote = tact_remote_connect(argv[1], &def, &report);
    if (!remote) {
        (void)fprintf(stderr, "remote: %s\n", report.text);
        tact_world_release(world);
        return 1;
    }
    int status = 0;
    const tact_remote_contact *contacts;
    size_t count;
    tact_event event;
    if (tact_remote_send_world(remote, world, TACT_REMOTE_NONE) != TACT_OK) {
        status = failed(remote);
    } else {
        /* what touches where the ball is now */
        (void)tact_remote_set_transform(remote, shot, tact_at(-1.75, 0, 0));
        if (tact_remote_test(remote, &contacts, &count) != TACT_OK)
            status = failed(remote);
        for (size_t i = 0; status == 0 && i < count; i++)
            printf("contact %zu: %s, %g deep, normal (%g %g %g)\n", i,
                   contacts[i].a.index == wall.index ? "wall" : "ball", contacts[i].points[0].depth,
                   contacts[i].points[0].normal.x, contacts[i].points[0].normal.y, contacts[i].points[0].normal.z);
        /* what it touches next, from farther away */
        (void)tact_remote_set_transform(remote, shot, tact_at(-5, 0, 0));
        (void)tact_remote_set_motion(remote, shot, (tact_motion){.velocity = {2, 0, 0}});
        if (status == 0 && tact_remote_next_event(remote, 10.0, &event) == TACT_EVENT_TOUCH)
            printf("touch at t = %.9g, at (%.9g %g %g)\n", event.time, event.point.x, event.point.y, event.point.z);
        else
            status = failed(remote);
    }
    tact_remote_close(remote);
    tact_world_release(world);
    return status;
}
