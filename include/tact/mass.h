/**
 * @file
 * Mass properties: mass, centre of mass and inertia of a shape at a transform.
 *
 *     tact_mass crate = tact_mass_from_density(box, tact_identity(), 700.0);
 *     tact_mass in_world = tact_mass_transform(crate, where_it_is);
 *
 * The mass is distributed uniformly over the volume of the shape. A shape without volume has it on its area: a triangle
 * is a thin plate, a mesh that is not solid a thin shell. A shape without area has it on its length: a segment is a
 * thin rod. A point is a point mass. If the parts of a soup or compound differ in dimension, only the parts of the
 * highest dimension have mass. For example, a box and a triangle have the mass of the box.
 *
 * **Accuracy.** Where a closed form or a finite sum exists, the result is accurate to rounding. The error is a few
 * 1e-15 of the size of the shape, or of its coordinates if it is far from the origin. There is no such form for
 * - an ellipsoid with a margin;
 * - a sphere, capsule, cylinder or cone with a margin, under a transform that changes angles;
 * - a Minkowski sum or convex hull of shapes with a curved part, except sums of polytopes and spheres;
 * - a custom shape.
 *
 * For these the surface is sampled until the result converges, normally to #TACT_MASS_ACCURACY, and `error` is an
 * estimate of the error.
 *
 * **Meshes, soups and compounds.** A solid mesh should be closed and consistently oriented. The result for an open one
 * is that of the mesh closed by some surface. The masses of the parts of a soup or compound are added, so a region
 * where parts overlap counts twice. The margin of a mesh, soup or compound is ignored. The margin of a convex part of a
 * compound is not.
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
    /** Principal axes: a unit quaternion that rotates (1 0 0), (0 1 0), (0 0 1) to the axes of the three moments. The
     * moments are not sorted. If the products of inertia vanish up to rounding, it is exactly the identity.
     * tact_mass_transform rotates it. */
    tact_quat principal_axes;
    double error; /**< 0: accurate to rounding; else an estimate of the error relative to the size of the shape */
} tact_mass;

/**
 * Computes the mass properties of a shape of uniform density. The density is positive and finite. It is a mass per
 * volume, per area or per length, according to the dimension of the shape. For a point it is the mass itself.
 *
 * Returns #TACT_BAD_ARGUMENT
 * - for NULL, or an invalid density or transform;
 * - for a shape without points, a half-space, a heightfield, or a compound of more than 2^24 leaves;
 * - for a mesh with such an inconsistent orientation that no mass distribution has its moments;
 * - for a support function that returns numbers that are not finite;
 * - if the result is beyond the range of doubles.
 *
 * Returns #TACT_OUT_OF_MEMORY, or #TACT_NOT_CONVERGED with the best result found if `error` stays above
 * #TACT_MASS_ACCURACY.
 *
 * Cost: constant for the basic shapes; O(n) for hulls, meshes, soups and compounds; O(n log n) for polytopes with a
 * margin; 0.05 to 1 s for shapes whose surface is sampled.
 */
TACT_API tact_mass tact_mass_from_density(const tact_shape *shape, tact_transform transform, double density);

/** As tact_mass_from_density, but from the total mass, which is positive and finite. */
TACT_API tact_mass tact_mass_from_total(const tact_shape *shape, tact_transform transform, double total);

/** Combines two bodies into one rigid body, of the sum of both masses. `dimension` is the higher of the two, and
 * `measure` that of the bodies of this dimension. If the status of an argument is a failure, the result has that
 * status. To cut holes use tact_mass_remove. */
TACT_API tact_mass tact_mass_add(tact_mass a, tact_mass b);

/** Removes the part `b` from `a`. Returns #TACT_BAD_ARGUMENT if nothing is left, or if no mass distribution has the
 * remaining moments because `b` was not a part of `a`. */
TACT_API tact_mass tact_mass_remove(tact_mass a, tact_mass b);

/** Moves a body by a rotation or reflection and a translation. Returns #TACT_BAD_ARGUMENT if the axes of `transform`
 * are not orthonormal. Their squared lengths may differ from 1, and their dot products from 0, by at most 1e-9. */
TACT_API tact_mass tact_mass_transform(tact_mass mass, tact_transform transform);

/** Returns the inertia about any point, along the world axes. It is all zero if the status of `mass` is a failure, the
 * point is not finite, or the result overflows. */
TACT_API tact_inertia tact_mass_inertia_about(tact_mass mass, tact_vec3 point);

TACT_END

#endif
