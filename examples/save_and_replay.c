/* Save and restore a world; record the calls made to it, and replay them. */
#include <stdio.h>
#include <tact/tact.h>

/* Pushes the second body of a contact. */
static void push(void *context, const tact_contact *c)
{
    ++*(int *)context;
    tact_body_set_transform(c->world, c->b,
                            tact_transform_translate(tact_body_get_transform(c->world, c->b), tact_vec(0.5, 0, 0)));
}

int main(void)
{
    int hits = 0, same = 0;
    tact_report report;
    tact_shape *ball = tact_sphere(1);
    tact_world *world = tact_world_create(NULL);
    tact_body first = tact_body_create(world, &(tact_body_def){.shape = ball});
    tact_body_create(world, &(tact_body_def){.shape = ball, .transform = tact_at(3, 0, 0)});
    tact_world_set_contact_callback(world, (tact_response){.want = TACT_CONTACTS, .callback = push, .context = &hits});

    tact_bytes saved = {0}, recording = {0};
    tact_world_save(world, tact_bytes_sink(&saved), NULL, &report);

    tact_record *record = tact_record_begin(world, tact_bytes_sink(&recording), NULL, &report);
    for (int frame = 0; frame < 10; frame++) {
        tact_body_set_transform(world, first, tact_at(0.5 * frame, 0, 0));
        tact_world_test(world);
    }
    if (tact_record_end(record, &report) != TACT_OK)
        printf("%s\n", report.text);

    tact_replay *replay = tact_replay_begin(recording.data, recording.size, NULL, &report);
    while (tact_replay_step(replay, &report) == TACT_REPLAY_CALL)
        same++;
    printf("%d contacts, %d calls replayed: %s\n", hits, same,
           report.status == TACT_OK ? "all identical" : report.text);
    printf("the first ball is at %g again\n", tact_body_get_transform(tact_replay_get_world(replay), first).origin.x);
    tact_replay_release(replay);

    tact_world *again = tact_world_restore(saved.data, saved.size, NULL, &report);
    printf("%zu bytes contain %zu bodies, the first at %g\n", saved.size, tact_world_body_count(again),
           tact_body_get_transform(again, first).origin.x);

    tact_world_release(again);
    tact_world_release(world);
    tact_shape_release(ball);
    tact_bytes_release(&saved);
    tact_bytes_release(&recording);
    return same == 20 && hits > 0 ? 0 : 1;
}
