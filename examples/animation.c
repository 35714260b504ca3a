/* A flag waves by key frames. A crate flies into it and is sent back. Touches and all contacts of features are events.
 */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { SIDE = 9, VERTICES = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1), FRAMES = 16 };

static tact_vec3 frames[FRAMES][VERTICES];
static uint32_t faces[FACES][3];

static void make_flag(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < VERTICES; i++) {
        const double x = 0.25 * (i % SIDE), y = 0.25 * (i / SIDE);
        for (int f = 0; f < FRAMES; f++)
            frames[f][i] = tact_vec(x, y, 0.1 * x * sin(3 * x - 6.283185307179586 * f / (FRAMES - 1)));
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1)
            continue;
        const uint32_t quad[2][3] = {{i, i + 1, i + SIDE}, {i + 1, i + SIDE + 1, i + SIDE}};
        for (int k = 0; k < 2; k++, n++)
            for (int c = 0; c < 3; c++)
                faces[n][c] = quad[k][c];
    }
}

int main(void)
{
    make_flag();
    tact_shape *sheet = tact_mesh(frames[0], VERTICES, &faces[0][0], FACES), *crate = tact_box(0.3, 0.3, 0.3);
    tact_animation *wave = tact_animation_create(
        &(tact_animation_def){.vertices = {.data = frames, .count = VERTICES}, .frame_count = FRAMES}, NULL);
    tact_world *world = tact_world_create(NULL);
    tact_body flag =
        tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true, .self_collision = true});
    tact_body box = tact_body_create(world, &(tact_body_def){.shape = crate,
                                                             .transform = tact_at(1.1, 1.0, 2.0),
                                                             .motion = tact_motion_linear(0, 0, -1.5)});
    tact_status status = tact_body_play(world, flag, wave, &(tact_play_def){.speed = FRAMES - 1.0, .loop = true});
    if (status == TACT_OK)
        status = tact_body_set_feature_events(world, flag, true);

    int touches = 0, features = 0;
    tact_event e;
    while (tact_world_next_event(world, 3.0, &e) != TACT_EVENT_NONE) {
        if (e.kind == TACT_EVENT_TOUCH) {
            touches++;
            printf("%.9f  the crate touches the flag at (%.3f %.3f %.3f)\n", e.time, e.point.x, e.point.y, e.point.z);
        } else if (e.kind == TACT_EVENT_FEATURES) {
            if (features++ == 0)
                tact_body_set_motion(world, box, tact_motion_linear(0, 0, 1.0)); /* it flies back */
            if (features <= 3)
                printf("%.9f  %s %u %u\n", e.time, e.features.kind == TACT_VERTEX_FACE ? "vertex-face" : "edge-edge",
                       e.features.a, e.features.b);
        }
    }
    printf("%d touches, %d contacts of features\n", touches, features);
    const bool right = status == TACT_OK && e.status == TACT_OK && touches >= 1 && features >= 1;
    tact_animation_release(wave);
    tact_shape_release(sheet);
    tact_shape_release(crate);
    tact_world_release(world);
    return right ? 0 : 1;
}
