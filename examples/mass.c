/* Mass properties of a hammer: mass, centre of mass, moments of inertia. */
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

int main(void)
{
    tact_shape *head = tact_box(0.10, 0.03, 0.03);   /* metres */
    tact_shape *handle = tact_cylinder(0.012, 0.30); /* along y */
    tact_shape *hole = tact_cylinder(0.012, 0.03);   /* through the head, where the handle is */
    tact_transform top = tact_at(0, 0.15 - 0.015, 0);

    tact_mass steel = tact_mass_remove(tact_mass_from_density(head, top, 7850.0), /* kg/m^3 */
                                       tact_mass_from_density(hole, top, 7850.0));
    tact_mass wood = tact_mass_from_density(handle, tact_identity(), 700.0);
    tact_mass hammer = tact_mass_add(steel, wood);
    printf("%.3f kg, centre of mass %.3f m above the middle of the handle\n", hammer.mass, hammer.centre.y);
    printf("moments of inertia: %.2e %.2e %.2e kg m^2\n", hammer.principal_moments.x, hammer.principal_moments.y,
           hammer.principal_moments.z);

    /* The same hammer, thrown: rotated by 90 degrees about z, so that the handle lies along x. */
    tact_transform thrown = tact_transform_make(
        tact_vec(0, 2, 0), tact_quat_from_axis_angle(tact_vec(0, 0, 1), acos(0.0)), tact_vec(1, 1, 1));
    tact_mass there = tact_mass_transform(hammer, thrown);
    printf("thrown: centre (%.3f %.3f %.3f)\n", there.centre.x, there.centre.y, there.centre.z);

    tact_shape_release(head);
    tact_shape_release(handle);
    tact_shape_release(hole);
    return hammer.status == TACT_OK && fabs(hammer.mass - 0.695) < 0.001 && fabs(there.centre.y - 2.0) < 1e-12 ? 0 : 1;
}
