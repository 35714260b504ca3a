/* Tolerances and caps of the mass and free-rotation code: what each limits, its unit, why this value. */
#ifndef TACT_DYNAMICS_DYNAMICS_CONSTANTS_H
#define TACT_DYNAMICS_DYNAMICS_CONSTANTS_H

#include <float.h>

/* Mathematical constant. Needed by internal_mass. */
#define PI 3.14159265358979323846

/* ---- mass: mass.c, mass_properties.c ---- */

/* Relative to the largest: a principal second moment may be negative by this much, by rounding. More is a contradiction
 * in the input. Needed by internal_mass. */
#define NEGATIVE_MOMENT 1e-9

/* Squared length: smaller second moments have lost digits to underflow. Needed by internal_dynamics_limits,
 * moments_of_small_bodies_are_right_or_refused. */
#define MIN_SECOND_MOMENT (DBL_MIN / DBL_EPSILON)

/* Relative: how far from orthonormal the axes of a rigid transform may be. The product of a million rotations has
 * drifted by less. Documented in tact/mass.h. Needed by test_mass_bodies. */
#define MAX_STRETCH 1e-9

/* Relative to the geometric mean of the two diagonal entries: smaller products of inertia are rounding. Without this a
 * cube with rounded coordinates, all of whose axes are principal, would not get its own. Principal moments change by no
 * more than this. Needed by internal_mass. */
#define MIN_PRODUCT 1e-14

/* Relative to the radius of gyration: a centre of mass this near to the origin is there, up to rounding. Needed by
 * internal_dynamics_limits, bodies_about_their_centre_are_centred. */
#define CENTRED_DISTANCE 1e-14

/* Of the cube of the trace: below this determinant the inverse inertia comes from principal moments, as cofactors lose
 * too many digits. Needed by internal_rigid. */
#define MIN_DETERMINANT 1e-4

/* ---- moments of meshes and compounds: moments_mesh.c ---- */

/* Of the sum of absolute volumes: a solid mesh with less volume has none up to rounding, and counts as a surface.
 * Needed by internal_dynamics_limits, both_sides_of_a_surface_are_a_surface. */
#define MIN_MESH_VOLUME 1e-13

/* Triangles that are summed before they are added to the total: bounds the rounding error. Proved: stated in
 * moments_mesh.c. */
#define MESH_BATCH 256u

/* Leaves of a compound, each counted as often as it is used: more would take minutes, or not end. Documented in
 * tact/mass.h. Needed by test_mass_bodies. */
#define MAX_COMPOUND_LEAVES (1u << 24)

/* ---- moments of convex shapes: moments_convex.c ---- */

/* Vertices of a Minkowski sum or hull of polytopes: beyond this the surface is sampled, as the convex hull of so many
 * points would take longer. Performance only. */
#define MAX_POLYTOPE_VERTICES 65536u

/* ---- sampled surfaces: moments_sample.c ---- */

/* Relative: a body that is thinner is flat. The rounding error of its support points is not much less. Needed by
 * internal_mass. */
#define SAMPLE_FLAT 1e-12

/* Passes at most, each with edges half as long: the last takes some 10^6 support points. Needed by test_mass_bodies. */
#define SAMPLE_MAX_PASSES 7

/* In units of half the width: distance of the surface from a chord in the first pass. Each next pass has a quarter.
 * Needed by test_mass_bodies. */
#define SAMPLE_FIRST_TOLERANCE 0x1p-5

/* Cosine of the longest edge, about 25 degrees, however well it seems to fit: no feature of that size is overlooked.
 * Needed by test_mass_bodies. */
#define SAMPLE_LONGEST_EDGE 0.9

/* Square of the shortest edge of directions that is halved, in radians: bounds the recursion, also for an invalid
 * support function. A valid one does not get there: a chord of such an edge is no farther from the surface than this.
 * Needed by test_mass_bodies. */
#define SAMPLE_SHORTEST_EDGE 1e-22

/* Ratio of the distances of the two ends of a smooth edge, seen from its midpoint, at most. Needed by test_mass_bodies.
 */
#define SAMPLE_MAX_ASYMMETRY 1.5

/* Triangles of the first pass; of each next one four times as many; and at most, about a second's work. A long thin
 * body with a small margin may take as many, and an invalid support function. Needed by test_mass_bodies. */
#define SAMPLE_FIRST_TRIANGLES 200000
#define SAMPLE_MAX_TRIANGLES 2000000

/* The error estimate: this many times the change since the last pass, and this part of the change before, as one small
 * change may be luck. Edges are half as long each time, which usually divides the error by sixteen: the true error is
 * mostly less than 1/60 of the estimate. Needed by test_mass_bodies. */
#define SAMPLE_ERROR_FACTOR 2.0
#define SAMPLE_LAST_ERROR_FACTOR 0.5

/* ---- free rotation: free_rotation.c, mass_properties.c ---- */

/* Sine of the angle between angular velocity and angular momentum: below it the rotation is steady, and one piece lasts
 * for ever. Performance only: pieces of a steady rotation join to the same rotation, up to rounding. */
#define STEADY_ROTATION 1e-13

/* Angular acceleration over the square of the angular velocity: below it the rotation is steady. Performance only,
 * likewise. */
#define STEADY_ACCELERATION 1e-13

/* Of the largest moment: a smaller one counts as 0, a rod. The momentum along its axis would be mostly rounding.
 * Documented in tact/rigid.h. Needed by internal_rigid. */
#define ROD_MOMENT 1e-11

/* Of the largest moment: a body with a smaller one is thin. For others the square of the deviation makes an error of
 * the energy of 1e-7 at most. Documented in tact/rigid.h. Needed by internal_rigid. */
#define THIN_MOMENT 1e-3

/* Radians: a body rotates by at most this in a piece. A composed rotation is known to half a turn only. With 0
 * internal_record_advance, out_of_memory_is_reported, fails. */
#define MAX_PIECE_ANGLE 0.5

/* Relative: error of the kinetic energy within a piece, at most. With 0 internal_record_advance,
 * out_of_memory_is_reported, fails. */
#define PIECE_ENERGY_ERROR 8e-6

/* Of the piece that accuracy allows: a caller's cap does not shorten a piece below this, so that time advances. Needed
 * by internal_rigid. */
#define MIN_PIECE 0x1p-16

/* Fixed-point iterations to the twist of a rod. Each squares the error, 2 % at first: 4 reach rounding. Needed by
 * internal_rigid, spin_about_a_rod_lasts. */
#define ROD_ITERATIONS 4

/* ---- push: contact_solver.c ---- */

/* Rest gaps: if no gap is to be restored by more, there is no push. Performance only. */
#define MIN_PUSH 1e-3

/* Iterations after the push that keep gaps open. Performance only: what they leave is cut. A pour of 200 bodies has
 * 11,000 cuts without, 7,400 with them. */
#define KEEP_APART_ITERATIONS 30

/* ---- Newton's method for contacts: contact_newton.c ---- */

/* Of the trace: a smaller pivot of an inverse inertia is rounding, as of a rod. Proved by the errors of its entries,
 * some units of roundoff; no test fails with 0. */
#define RANK_TOLERANCE 1e-14

/* Of the inverse effective mass of a point: the penalty. Large, so that few rounds of multipliers are needed; the
 * matrix still has 8 digits. With 1e3 test_contacts, heavy_on_light_stands, fails; with 1e9 internal_contact_energy,
 * energy_does_not_grow. */
#define PENALTY 1e6

/* Where the start is far from the solution, the penalty begins small and grows by a factor each round. Near it, it
 * begins such that small errors of the velocities do not change which points are open: a stack of 20 boxes at rest
 * takes 579 steps in 10 s, and 1,767 with the full penalty. With a start of 1e6 test_contact_deforming,
 * restored_contacts_go_on, fails; with a growth of 0 internal_contact_energy, spinning_cones_gain_nothing. The penalty
 * near the solution is performance only. */
#define PENALTY_START 10.0
#define DIRECT_PENALTY 1e3
#define PENALTY_GROWTH 10.0

/* Bounds of the factor of the changes of slip speeds (Aitken). With an upper bound of 0 test_contacts, stacks_stand,
 * fails. */
#define MIN_RELAXATION 0.2
#define MAX_RELAXATION 5.0

/* Tolerances: a violation that is accepted after all rounds. With 1e8 test_contacts, a_gripper_holds, fails. */
#define NEWTON_ACCEPTED 100.0

/* Least pivot of the factorisation: the matrix is at least the identity, up to rounding. Proved; no test fails with
 * 0. */
#define MIN_PIVOT 1e-300

/* Rounds of multipliers, Newton steps of each and of all, and halvings of a step. Warm starting makes more than a
 * few rare; what has not converged then goes on with Gauss-Seidel. Of 2,875 islands of a pour 68 % converge within
 * 48 steps in all, and 2 % more within 128: the others took 77 % of the steps. With 1 for one of the first three
 * internal_contact_energy, spinning_cones_gain_nothing, or test_contacts, stacks_stand, fails; with 1 direct iteration
 * stacks_stand, with 1 halving energy_does_not_grow. */
#define NEWTON_ROUNDS 16
#define NEWTON_ITERATIONS 40
#define NEWTON_STEPS 128
#define DIRECT_ITERATIONS 4
#define LINE_SEARCH_HALVINGS 20

/* Of the violation that the last round has left: accuracy of the next one. Performance only. */
#define ROUND_ACCURACY 0.1

/* Part of the slope by which a step of the line search decreases the value at least (Armijo's rule). With 0.9
 * test_contacts, stacks_stand, fails. */
#define LINE_SEARCH_SLOPE 1e-4

#endif
