/* The client library of `tact serve`: on every kind of address it gives what the local world gives. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <tact/remote.h>

#include "tool/serve.h"

enum { BALLS = 12 };

/* Balls in a row that move towards a wall, at speeds of their own. */
static tact_world *world_make(tact_body bodies[BALLS + 1])
{
    tact_world *world = tact_world_create(NULL);
    tact_shape *wall = tact_box(1.0, 50.0, 50.0), *ball = tact_sphere(0.5);
    bodies[BALLS] = tact_body_create(world, &(tact_body_def){.shape = wall, .transform = tact_at(9, 0, 0)});
    for (int i = 0; i < BALLS; i++)
        bodies[i] = tact_body_create(world, &(tact_body_def){.shape = ball,
                                                             .transform = tact_at(0.1 * i, 2.0 * i, 0.3),
                                                             .motion = {.velocity = {1.0 / (1 + i % 5), 0, 0}}});
    tact_shape_release(wall);
    tact_shape_release(ball);
    return world;
}

static void count_contacts(void *context, const tact_contact *contact)
{
    (void)contact;
    ++*(size_t *)context;
}

/* The same calls here and there have the same results, to the bit. */
static void compare_with_local(const char *address)
{
    tact_report report;
    tact_body bodies[BALLS + 1];
    tact_world *world = world_make(bodies);
    tact_remote *remote = tact_remote_connect(address, NULL, &report);
    if (!remote)
        fail_msg("%s: %s", address, report.text);
    const tact_remote_contact *contacts;
    size_t count, found = 0;
    assert_int_equal(tact_remote_send_world(remote, world, TACT_REMOTE_NONE), TACT_OK);
    for (int i = 0; i < BALLS; i += 3) { /* into the wall, to a depth of its own */
        const tact_transform at = tact_at(8.1 + 0.01 * i, 2.0 * i, 0.1);
        assert_int_equal(tact_body_set_transform(world, bodies[i], at), TACT_OK);
        assert_int_equal(tact_remote_set_transform(remote, bodies[i], at), TACT_OK);
    }
    (void)tact_world_set_contact_callback(
        world, (tact_response){.want = TACT_CONTACT_POINTS, .callback = count_contacts, .context = &found});
    assert_int_equal(tact_world_test(world).status, TACT_OK);
    assert_int_equal(tact_remote_test(remote, &contacts, &count), TACT_OK);
    assert_int_equal(count, found);
    assert_int_equal(count, BALLS / 3);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(contacts[i].a.index, bodies[BALLS].index);
        assert_int_equal(contacts[i].point_count, 1);
        const double depth = contacts[i].points[0].depth;
        assert_true(fabs(depth - (8.1 + 0.03 * (double)i + 0.5 - 8.5)) < 1e-12);
        assert_true(contacts[i].points[0].normal.x == -1.0);
    }
    const tact_motion spin = {.velocity = {3, 0, 0.25}, .spin = {0.1, 0.2, 0.3}};
    assert_int_equal(tact_body_set_motion(world, bodies[5], spin), TACT_OK);
    assert_int_equal(tact_remote_set_motion(remote, bodies[5], spin), TACT_OK);
    size_t touches = 0;
    for (tact_event here, there;; touches++) {
        const tact_event_kind kind = tact_world_next_event(world, 40.0, &here);
        assert_int_equal(tact_remote_next_event(remote, 40.0, &there), kind);
        assert_int_equal(there.status, TACT_OK);
        assert_true(here.time == there.time);
        if (kind == TACT_EVENT_NONE)
            break;
        assert_int_equal(here.a.index, there.a.index);
        assert_int_equal(here.b.index, there.b.index);
        assert_true(here.point.x == there.point.x && here.normal.x == there.normal.x);
    }
    assert_true(touches >= BALLS);
    tact_world *back = tact_remote_receive_world(remote, NULL, &report);
    assert_non_null(back);
    assert_true(tact_world_get_time(back) == 40.0);
    for (int i = 0; i < BALLS; i++)
        assert_true(tact_body_get_transform(back, bodies[i]).origin.x ==
                    tact_body_get_transform(world, bodies[i]).origin.x);
    tact_world_release(back);
    /* another world replaces it; its bodies have the same handles */
    tact_world *second = world_make(bodies);
    assert_int_equal(tact_remote_send_world(remote, second, TACT_REMOTE_ELASTIC), TACT_OK);
    assert_non_null(tact_remote_request(remote, "{\"op\":\"states\"}"));
    tact_world_release(second);
    /* a body that does not exist: the session ends with a reason, at the next question */
    assert_int_equal(tact_remote_set_transform(remote, (tact_body){99, 1}, tact_identity()), TACT_OK);
    assert_int_equal(tact_remote_test(remote, &contacts, &count), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(tact_remote_get_error(remote), "there is no body \"#99.1\""));
    assert_null(tact_remote_request(remote, "{\"op\":\"hello\"}"));
    tact_remote_close(remote);
    tact_world_release(world);
}

static void it_gives_what_the_local_world_gives(void **state)
{
    (void)state;
    server s = server_start(NULL);
    char address[200];
    (void)snprintf(address, sizeof address, "tcp://127.0.0.1:%d", s.tcp);
    compare_with_local(address);
    (void)snprintf(address, sizeof address, "ws://127.0.0.1:%d", s.web);
    compare_with_local(address);
    (void)snprintf(address, sizeof address, "ipc://%s", s.socket);
    compare_with_local(address);
    server_stop(&s, SIGTERM);
}

static void bad_arguments_are_rejected(void **state)
{
    (void)state;
    tact_report report;
    assert_null(tact_remote_connect(NULL, NULL, &report));
    assert_int_equal(report.status, TACT_BAD_ARGUMENT);
    assert_null(tact_remote_connect("nowhere", NULL, &report));
    assert_non_null(strstr(report.text, "nowhere: cannot connect"));
    assert_null(tact_remote_connect("ipc:///tmp/tact-no-server", NULL, NULL));
    server s = server_start(NULL);
    char address[200];
    const tact_remote_contact *contacts;
    size_t count;
    tact_event event;
    (void)snprintf(address, sizeof address, "ipc://%s", s.socket);
    tact_remote *remote = tact_remote_connect(address, &(tact_remote_def){.timeout = 30.0}, &report);
    assert_non_null(remote);
    assert_int_equal(tact_remote_set_transform(remote, (tact_body){1, 1}, tact_at(NAN, 0, 0)), TACT_BAD_ARGUMENT);
    assert_int_equal(tact_remote_set_motion(remote, (tact_body){1, 1}, tact_motion_linear(INFINITY, 0, 0)),
                     TACT_BAD_ARGUMENT);
    assert_int_equal(tact_remote_next_event(remote, NAN, &event), TACT_EVENT_NONE);
    assert_int_equal(event.status, TACT_BAD_ARGUMENT);
    assert_null(tact_remote_request(remote, NULL));
    static const char *const no_lines[] = {"{}\n{}", "", " \t"}; /* an empty line has no answer */
    for (size_t i = 0; i < sizeof no_lines / sizeof no_lines[0]; i++) {
        assert_null(tact_remote_request(remote, no_lines[i]));
        assert_string_equal(tact_remote_get_error(remote), "a request is one line, and not empty");
    }
    assert_int_equal(tact_remote_send_world(remote, NULL, TACT_REMOTE_NONE), TACT_BAD_ARGUMENT);
    assert_non_null(tact_remote_request(remote, "{\"op\":\"hello\"}")); /* none of these has reached the server */
    assert_int_equal(tact_remote_test(remote, &contacts, &count), TACT_BAD_ARGUMENT);
    assert_non_null(strstr(tact_remote_get_error(remote), "there is no world"));
    tact_remote_close(remote);
    tact_remote_close(NULL);
    server_stop(&s, SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gives_what_the_local_world_gives),
        cmocka_unit_test(bad_arguments_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
