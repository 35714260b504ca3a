/* A margin: at the top level a length that no transform scales, inside a part ordinary geometry. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

static double width(const char *what, const tact_shape *shape, tact_transform transform)
{
    tact_bounds box = {{0, 0, 0}, {0, 0, 0}};
    if (tact_shape_bounds(shape, transform, &box) != TACT_OK)
        return 0.0;
    printf("%-8s %g wide, %g high\n", what, box.max.x - box.min.x, box.max.y - box.min.y);
    return box.max.x - box.min.x;
}

int main(void)
{
    tact_shape *crate = tact_box(2, 2, 2);
    tact_shape *smooth = tact_rounded(crate, 0.25);               /* all points within 0.25 of the crate */
    tact_shape *part = tact_transformed(smooth, tact_identity()); /* the same set, as a part of a whole */
    tact_transform stretch = tact_transform_scale(tact_identity(), tact_vec(2, 1, 1));

    double plain = width("crate", crate, stretch); /* 4 */
    double top = width("smooth", smooth, stretch); /* 4, and 0.25 on either side */
    double inside = width("part", part, stretch);  /* twice 2.5: the margin is scaled, too */

    tact_shape_release(crate); /* the others hold references to what they need */
    tact_shape_release(smooth);
    tact_shape_release(part);
    return fabs(plain - 4.0) + fabs(top - 4.5) + fabs(inside - 5.0) < 1e-12 ? 0 : 1;
}
