/**
 * @file
 * Mass: how heavy a placed shape is, where its centre of mass is, and how hard it is to turn.
 *
 *     tact_mass crate = tact_mass_from_density(box, tact_identity(), 700.0);
 *     tact_mass in_world = tact_mass_transform(crate, where_it_is);
 *
 * The matter is spread evenly over what the shape consists of: over its volume if it has one, else over its area, else
 * over its length; a point is a point mass. So a triangle is a thin plate, a segment a thin rod, a mesh that is not
 * solid a thin shell. Of pieces of several kinds in a soup or compound only those of the highest dimension count, as
 * beside a volume an area weighs nothing.
 *
 * Right to rounding (a few 1e-15 of the size; of a coordinate, far from the origin) where there is a closed form or a
 * finite sum. There is none for an ellipsoid with a margin, a sphere, capsule, cylinder or cone with a margin under a
 * placement that does not keep angles, a sum or join with a curved part (but for sums of polytopes and balls) and your
 * own support functions: for these the surface is sampled until the answer settles, to #TACT_MASS_ACCURACY as a rule,
 * and `error` says to what.
 *
 * A solid mesh is taken to be closed with its front faces out, or all of them in; if it is open the answer is that for
 * some surface that closes it. Pieces of a soup and parts of a compound are added up: what is common to two of them
 * counts twice. A margin of a mesh, soup or compound itself is left out (that of a compound's convex part is not).
 */
#ifndef TACT_MASS_H
#define TACT_MASS_H

#include <tact/shape.h>
#include <tact/status.h>
#include <tact/transform.h>
#include <tact/vec.h>

TACT_BEGIN

/** Where there is no closed form: to what the answer must have settled, relative to the size of the shape. */
#define TACT_MASS_ACCURACY 1e-6

/** An inertia tensor, a symmetric matrix: `xx` is the integral of y^2 + z^2 over the mass, `xy` *minus* that of x y. */
typedef struct tact_inertia {
    double xx; /**< about the x axis */
    double yy; /**< about the y axis */
    double zz; /**< about the z axis */
    double xy; /**< product of x and y, with a minus */
    double xz; /**< product of x and z, with a minus */
    double yz; /**< product of y and z, with a minus */
} tact_inertia;

/** What a rigid body needs to know of its shape. Lengths and axes are those of the world that it was placed into. */
typedef struct tact_mass {
    tact_status status;          /**< if it is neither #TACT_OK nor #TACT_NOT_CONVERGED, all else is 0 */
    double mass;                 /**< in all */
    int dimension;               /**< 3: a volume, 2: an area, 1: a length, 0: a point */
    double measure;              /**< the volume, area or length; 1 for a point */
    tact_vec3 centre;            /**< the centre of mass */
    tact_inertia inertia;        /**< about the centre of mass, along the world's axes */
    tact_vec3 principal_moments; /**< the principal moments of inertia, about the columns of `axes` */
    /** The principal axes: a unit quaternion that turns (1 0 0), (0 1 0), (0 0 1) into the axes of the three moments.
     * They are not sorted: it is the identity, exactly, if the products of inertia are 0 but for rounding, and was
     * turned along by tact_mass_transform. */
    tact_quat principal_axes;
    double error; /**< 0: right to rounding; else an estimate of how far off it is, relative to the shape's size */
} tact_mass;

/**
 * A placed shape of the given density: mass per volume, area or length, whichever its dimension says; the mass itself
 * of a point. Positive and finite.
 *
 * #TACT_BAD_ARGUMENT for NULL, a bad density or placement, a shape without any points, a mesh whose faces contradict
 * each other so that no distribution of matter is such, a support function that gives no numbers, a compound of more
 * than 2^24 leaves, and a number of the answer that is out of the range of doubles; #TACT_OUT_OF_MEMORY;
 * #TACT_NOT_CONVERGED if `error` stayed above #TACT_MASS_ACCURACY (the answer holds the best that was found).
 *
 * Cost: constant, O(n) for hulls, meshes, soups and compounds; with a margin O(n log n) for polytopes; 0.05 to 1 s
 * where the surface is sampled.
 */
TACT_API tact_mass tact_mass_from_density(const tact_shape *shape, tact_transform at, double density);

/** The same from the mass in all, positive and finite. */
TACT_API tact_mass tact_mass_from_total(const tact_shape *shape, tact_transform at, double total);

/** Both together as one rigid body. The dimension and the measure are those of the parts with the higher dimension. If
 * one has no mass because it failed the answer has its status. Cut holes with tact_mass_remove. */
TACT_API tact_mass tact_mass_add(tact_mass a, tact_mass b);

/** What is left of `a` when `b`, a part of it, is taken out. #TACT_BAD_ARGUMENT if nothing is left, or what is left is
 * no distribution of matter: `b` was no part of `a`. */
TACT_API tact_mass tact_mass_remove(tact_mass a, tact_mass b);

/** The same body moved: turned, or mirrored, and shifted. #TACT_BAD_ARGUMENT if `to` stretches, by more than 1e-9. */
TACT_API tact_mass tact_mass_transform(tact_mass mass, tact_transform to);

/** The inertia about any point, along the world's axes; all zero for a mass that failed, and for a point that is not
 * finite or too far away for doubles. */
TACT_API tact_inertia tact_mass_inertia_about(tact_mass mass, tact_vec3 point);

TACT_END

#endif
