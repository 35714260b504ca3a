/* A ball over a terrain mesh: distance, closest face, overlap after moving down, and a ray cast. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { SIDE = 21, SQUARES = SIDE - 1 };

int main(void)
{
    static float ground[SIDE * SIDE]
                       [3]; /* a bowl 10 wide: z = (x^2 + y^2) / 20, in floats, as a renderer stores them */
    static uint32_t indices[SQUARES * SQUARES * 4], loop_sizes[SQUARES * SQUARES];
    for (int i = 0; i < SIDE * SIDE; i++) {
        float x = 0.5f * (float)(i % SIDE) - 5.0f, y = 0.5f * (float)(i / SIDE) - 5.0f;
        ground[i][0] = x, ground[i][1] = y, ground[i][2] = 0.05f * (x * x + y * y);
    }
    for (uint32_t i = 0; i < SQUARES * SQUARES; i++) { /* quads */
        uint32_t first = i / SQUARES * SIDE + i % SQUARES;
        indices[4 * i] = first, indices[4 * i + 1] = first + 1;
        indices[4 * i + 2] = first + SIDE + 1, indices[4 * i + 3] = first + SIDE;
        loop_sizes[i] = 4;
    }
    tact_mesh_def def = tact_mesh_def_default();
    def.vertices = (tact_vertices){ground, SIDE * SIDE, 0, TACT_SCALAR_FLOAT};
    def.indices = indices;
    def.index_count = sizeof indices / sizeof indices[0];
    def.loop_sizes = loop_sizes;
    def.loop_count = SQUARES * SQUARES;
    tact_report report;
    tact_shape *bowl = tact_mesh_create(&def, &report), *ball = tact_sphere(0.5);
    if (bowl == NULL || ball == NULL) {
        printf("cannot create the mesh: %s\n", report.text);
        return 1;
    }
    tact_mesh_findings findings = tact_mesh_check(bowl);
    printf("%zu faces, %zu triangles, %zu open edges\n", tact_mesh_get_size(bowl).faces,
           tact_mesh_get_size(bowl).triangles, findings.open_edges);

    tact_transform above = tact_at(0.2, 0.1, 1.5);
    tact_distance gap = tact_shapes_distance(bowl, tact_identity(), ball, above);
    printf("%.3f above face %u\n", gap.distance, (unsigned)gap.part_a.face);

    tact_transform lowered = tact_transform_translate(above, tact_vec(0, 0, -gap.distance - 0.01));
    tact_common_point touch = tact_shapes_common_point(bowl, tact_identity(), ball, lowered, NULL);
    printf("moved down by that and 0.01: %s, at face %u\n",
           touch.state == TACT_HIT ? "it touches" : "it does not touch", (unsigned)touch.part_a.face);

    tact_ray_hit below = tact_shape_ray(bowl, tact_identity(), tact_vec(3.2, 3.1, 9), tact_vec(0, 0, -1), INFINITY);
    printf("the ground at (3.2 3.1) is %.3f high: face %u\n", below.point.z, (unsigned)below.part.face);

    bool good = findings.open_edges == 4 * SQUARES && fabs(gap.distance - 1.0) < 0.02 && touch.state == TACT_HIT &&
                touch.part_a.face == gap.part_a.face && below.state == TACT_HIT;
    tact_shape_release(bowl);
    tact_shape_release(ball);
    return good ? 0 : 1;
}
