/* A cloth tears along a seam, vertex by vertex, and loses a patch. Nothing is rebuilt. */
#include <stdio.h>
#include <tact/tact.h>

enum { SIDE = 11, MIDDLE = SIDE / 2, CAPACITY = SIDE * SIDE + SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1) };

static tact_vec3 x0[CAPACITY], x1[CAPACITY];
static uint32_t faces[FACES][3];
static size_t particles = SIDE * SIDE;

/* Gives the faces on the right of a vertex of the middle column a new vertex slightly beside it: vertices that touch at
 * the start of a step would be rejected. */
static tact_status split(tact_world *world, tact_body cloth, uint32_t vertex)
{
    uint32_t changed[6], indices[6][3], fresh = (uint32_t)particles;
    size_t count = 0;
    for (uint32_t f = 0; f < FACES; f++)
        for (int k = 0; k < 3; k++) {
            const double right = x0[faces[f][0]].x + x0[faces[f][1]].x + x0[faces[f][2]].x - 3 * x0[vertex].x;
            if (faces[f][k] != vertex || right < 0)
                continue;
            faces[f][k] = fresh;
            for (int j = 0; j < 3; j++)
                indices[count][j] = faces[f][j];
            changed[count++] = f;
        }
    x0[fresh] = tact_vec(x0[vertex].x + 1e-3, x0[vertex].y, x0[vertex].z);
    const tact_status added = tact_body_add_vertices(world, cloth, &x0[fresh], 1);
    if (added != TACT_OK)
        return added;
    particles++;
    return tact_body_change_faces(world, cloth, changed, (const uint32_t(*)[3])indices, count);
}

int main(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        x0[i] = tact_vec(0.1 * (i % SIDE), 0.1 * (i / SIDE), 0);
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1)
            continue;
        const uint32_t quad[2][3] = {{i, i + 1, i + SIDE}, {i + 1, i + SIDE + 1, i + SIDE}};
        for (int f = 0; f < 2; f++, n++)
            for (int k = 0; k < 3; k++)
                faces[n][k] = quad[f][k];
    }
    tact_shape *sheet = tact_mesh(x0, particles, &faces[0][0], FACES);
    tact_world *world = tact_world_create(NULL);
    tact_body cloth = tact_body_create(world, &(tact_body_def){.shape = sheet, .deformable = true});
    tact_step_def step = tact_step_def_default();
    step.thickness = 1e-4;

    tact_status status = TACT_OK;
    size_t parts = 1;
    for (uint32_t row = 0; row < SIDE && status == TACT_OK; row++) {
        status = split(world, cloth, row * SIDE + MIDDLE); /* from the lower boundary upward */
        for (size_t i = 0; i < particles; i++)             /* the halves are pulled apart */
            x1[i] = tact_vec(x0[i].x * 1.01, x0[i].y, x0[i].z);
        if (status == TACT_OK)
            status = tact_body_set_step_positions(world, cloth, x0, x1);
        if (status == TACT_OK)
            status = tact_step_resolve(world, &step).status;
        for (size_t i = 0; i < particles; i++)
            x0[i] = x1[i];
        parts = tact_mesh_check(tact_body_get_current_shape(world, cloth)).components;
        printf("row %2u: %zu vertices, %zu component%s\n", (unsigned)row, particles, parts, parts > 1 ? "s" : "");
    }

    /* remove two triangles: the ray passes through the hole */
    const uint32_t hole[2] = {44, 45}, none[2][3] = {{TACT_NO_VERTEX}, {TACT_NO_VERTEX}};
    const tact_vec3 a = x0[faces[44][1]], b = x0[faces[44][2]], towards = {0, 0, -1};
    const tact_vec3 before = tact_vec((a.x + b.x) / 2, (a.y + b.y) / 2, 1);
    const bool hit = tact_world_ray(world, before, towards, 5, NULL).state == TACT_HIT;
    status = status == TACT_OK ? tact_body_change_faces(world, cloth, hole, none, 2) : status;
    const bool through = tact_world_ray(world, before, towards, 5, NULL).state == TACT_MISS;
    printf("the ray %s the cloth, then %s through the hole\n", hit ? "hits" : "misses",
           through ? "passes" : "does not pass");

    tact_world_release(world);
    tact_shape_release(sheet);
    return status == TACT_OK && parts == 2 && hit && through ? 0 : 1;
}
