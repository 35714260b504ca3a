/**
 * @file
 * Mass properties: mass, centre of mass and inertia of a shape at a transform.
 *
 *     tact_mass crate = tact_mass_from_density(box, tact_identity(), 700.0);
 *     tact_mass in_world = tact_mass_transform(crate, where_it_is);
 *
 * The mass is distributed uniformly over the volume of the shape if it has one, else over its area, else over its
 * length; a point is a point mass. So a triangle is a thin plate, a segment a thin rod, a mesh that is not solid a thin
 * shell. If the parts of a soup or compound differ in dimension, only those of the highest dimension count.
 *
 * The result is accurate to rounding (a few 1e-15 of the size, or of a coordinate far from the origin) where a closed
 * form or a finite sum exists. There is none for an ellipsoid with a margin; for a sphere, capsule, cylinder or cone
 * with a margin under a transform that changes angles; for a Minkowski sum or convex hull with a curved part (except
 * sums of polytopes and spheres); and for custom shapes. For these the surface is sampled until the result converges,
 * normally to #TACT_MASS_ACCURACY, and `error` is an estimate of the error.
 *
 * A solid mesh is assumed to be closed and consistently oriented; for an open one the result is that of some closing
 * surface. The parts of a soup or compound are summed, so an overlap counts twice. The margin of a mesh, soup or
 * compound is ignored; that of a convex part of a compound is not.
 */
#ifndef TACT_MASS_H
#define TACT_MASS_H

#include <tact/shape.h>
#include <tact/status.h>
#include <tact/transform.h>
#include <tact/vec.h>

TACT_BEGIN

/** Convergence criterion where there is no closed form, relative to the size of the shape. */
#define TACT_MASS_ACCURACY 1e-6

/** An inertia tensor: a symmetric matrix. `xx` is the integral of y^2 + z^2 over the mass, `xy` *minus* that of x y. */
typedef struct tact_inertia {
    double xx; /**< moment about the x axis */
    double yy; /**< moment about the y axis */
    double zz; /**< moment about the z axis */
    double xy; /**< minus the product of inertia of x and y */
    double xz; /**< minus the product of inertia of x and z */
    double yz; /**< minus the product of inertia of y and z */
} tact_inertia;

/** Mass properties of a rigid body, in world coordinates. */
typedef struct tact_mass {
    tact_status status;          /**< if it is neither #TACT_OK nor #TACT_NOT_CONVERGED, everything else is 0 */
    double mass;                 /**< total mass */
    int dimension;               /**< 3: volume, 2: area, 1: length, 0: point */
    double measure;              /**< the volume, area or length; 1 for a point */
    tact_vec3 centre;            /**< centre of mass */
    tact_inertia inertia;        /**< about the centre of mass, along the world axes */
    tact_vec3 principal_moments; /**< principal moments of inertia, about the columns of `principal_axes` */
    /** Principal axes: a unit quaternion that rotates (1 0 0), (0 1 0), (0 0 1) to the axes of the three moments. They
     * are not sorted. It is exactly the identity if the products of inertia vanish up to rounding, and is rotated along
     * by tact_mass_transform. */
    tact_quat principal_axes;
    double error; /**< 0: accurate to rounding; else an estimate of the error relative to the size of the shape */
} tact_mass;

/**
 * Computes the mass properties of a shape of uniform density: mass per volume, area or length, as its dimension says;
 * for a point the mass itself. The density is positive and finite.
 *
 * #TACT_BAD_ARGUMENT for NULL, an invalid density or transform, a shape without points, a mesh whose orientation is so
 * inconsistent that no mass distribution has its moments, a support function that returns no finite numbers, a compound
 * of more than 2^24 leaves, and a result beyond the range of doubles; #TACT_OUT_OF_MEMORY; #TACT_NOT_CONVERGED if
 * `error` stays above #TACT_MASS_ACCURACY (the result is the best found).
 *
 * Cost: constant; O(n) for hulls, meshes, soups and compounds; O(n log n) for polytopes with a margin; 0.05 to 1 s
 * where the surface is sampled.
 */
TACT_API tact_mass tact_mass_from_density(const tact_shape *shape, tact_transform transform, double density);

/** As tact_mass_from_density, from the total mass, positive and finite. */
TACT_API tact_mass tact_mass_from_total(const tact_shape *shape, tact_transform transform, double total);

/** Combines two bodies to one rigid body. Dimension and measure are those of the parts of higher dimension. If one of
 * them has failed, the result has its status. To cut holes use tact_mass_remove. */
TACT_API tact_mass tact_mass_add(tact_mass a, tact_mass b);

/** Removes the part `b` from `a`. #TACT_BAD_ARGUMENT if nothing is left, or the rest has no valid mass distribution
 * because `b` was not a part of `a`. */
TACT_API tact_mass tact_mass_remove(tact_mass a, tact_mass b);

/** Moves a body by a rotation or reflection and a translation. #TACT_BAD_ARGUMENT if `transform` changes lengths by
 * more than 1e-9. */
TACT_API tact_mass tact_mass_transform(tact_mass mass, tact_transform transform);

/** Returns the inertia about any point, along the world axes; all zero if `mass` has failed, or the point is not finite
 * or too far away for doubles. */
TACT_API tact_inertia tact_mass_inertia_about(tact_mass mass, tact_vec3 point);

TACT_END

#endif
