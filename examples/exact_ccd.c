/* Exact continuous collision detection: a fast particle passes a triangle between two frames; and two edges that stay
 * coplanar throughout, where the usual cubic vanishes identically. */
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    /* the vertex, then the vertices of the triangle, at the start and at the end of the step */
    const tact_vec3 before[4] = {{0.25, 0.25, 3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const tact_vec3 after[4] = {{0.25, 0.25, -1}, {0, 0, 0.5}, {1, 0, 0.5}, {0, 1, 0.5}};
    tact_ccd hit = tact_ccd_vertex_face(before, after, NULL);
    if (hit.state == TACT_HIT)
        printf("the particle touches the face at %.6f, normal (%g %g %g), weights %g %g %g\n", hit.lower, hit.normal.x,
               hit.normal.y, hit.normal.z, hit.weights[1], hit.weights[2], hit.weights[3]);

    /* all in the plane z = 0: the second edge slides onto the end of the first */
    const tact_vec3 from[4] = {{0, 0, 0}, {1, 0, 0}, {2, -1, 0}, {2, 1, 0}};
    const tact_vec3 to[4] = {{0, 0, 0}, {1, 0, 0}, {-1, -1, 0}, {-1, 1, 0}};
    tact_ccd slide = tact_ccd_edge_edge(from, to, NULL);
    if (slide.state == TACT_HIT)
        printf("the edges touch between %.17g and %.17g\n", slide.lower, slide.upper);
    return hit.state == TACT_HIT && hit.lower <= 3.0 / 4.5 && 3.0 / 4.5 <= hit.upper && slide.state == TACT_HIT ? 0 : 1;
}
