/**
 * @file
 * Deformable bodies in continuous time (advance.h): the vertices of a mesh follow key frames, velocities or targets,
 * and every contact on the way is an event. Rigid and deformable bodies share one world and one stream of events.
 *
 *     tact_animation *kick = tact_animation_create(&(tact_animation_def){
 *         .vertices = {.data = frames, .count = n}, .frame_count = 61}, NULL);           // key frames 0, 1, 2 ...
 *     tact_body figure = tact_body_create(world, &(tact_body_def){ .shape = mesh, .deformable = true });
 *     tact_body_set_self_collision(world, figure, true);
 *     tact_body_play(world, figure, kick, &(tact_play_def){ .speed = 30.0, .loop = true });
 *     tact_body_set_feature_events(world, figure, true);
 *     for (tact_event e; tact_world_next_event(world, 2.0, &e) == TACT_EVENT_FEATURES; )
 *         printf("%.9f  %u %u\n", e.time, e.features.a, e.features.b);
 *
 * This loop prints all contacts of the figure with itself, in order of time. It ends at the first event of another
 * kind. In a world with other bodies, continue until #TACT_EVENT_NONE and examine tact_event::kind.
 *
 * **Vertex motion.** The path of a vertex consists of straight pieces. Its position at time t on a piece is exact, in
 * real numbers, without rounding:
 * - from x0 at t0 to x1 at t1: ((t1 - t) x0 + (t - t0) x1) / (t1 - t0), for key frames and targets;
 * - with a velocity v from x0 at t0: x0 + (t - t0) v.
 *
 * Positions are in world coordinates: the transform of the body is the identity, and its own motion is zero. Both stay
 * so while its vertices move. A new piece begins at the time of the world at which the call is made. If the exact old
 * position differs from the new one, even by a rounding error, the vertex *jumps*: it moves along the straight line
 * between the two, instantaneously. Contacts on that line are reported at the time of the jump. A rigid body whose
 * transform is set jumps in the same way. If it is not tested by features (below), it has its new orientation and scale
 * all the way.
 *
 * **Feature events.** If one of two bodies wants them (tact_body_set_feature_events), each contact of a vertex and a
 * face, or of two edges, is an event (#TACT_EVENT_FEATURES). It is the beginning of a maximal interval of time in which
 * the two features touch. Features are closed sets, and contacts are decided exactly, as in ccd.h.
 * - The ends of pieces do not interrupt a contact. A pair that rests or slides over many pieces is one event.
 * - A pair of features may touch several times on one piece: each is an event.
 * - Features that are in contact at the start, or after a jump, are reported at that time.
 * - The time of the event is the true time of contact, rounded down to a double. The true time lies between
 *   `features.ccd.lower` and `features.ccd.upper`, which are adjacent doubles or equal.
 * - Simultaneous events come in order of creation of the bodies, vertex-face first, then by index. The touch of a pair
 *   comes before its feature events.
 * - Features of one body are tested if it has self-collision (body.h) and they share no vertex index. So merge
 *   vertices at equal positions (seams): otherwise each seam is reported as a contact at the start.
 * - tact_world_advance skips feature events: use tact_world_next_event.
 *
 * The other body may be deformable, or a rigid shape without margin that is at rest or moves with a constant velocity:
 * a mesh, heightfield, box, point, segment, triangle, tetrahedron, polygon, hull, soup, one of these with a transform
 * inside, or a compound. Its vertices are then at p + (t - t0) v, where p is the position at the time t0 at which its
 * motion was set. Faces are tested as triangles, so the diagonals of a box and of other polygons count as edges.
 * - Compounds: the features of an event are those of its leaf, `features.part_a.leaf` or `part_b.leaf`, numbered as if
 *   that were the whole shape. Leaves share no features. Leaves that are curved or have a margin have none.
 * - Soups: vertices and their edges belong to all parts that use them. The face of a #TACT_VERTEX_FACE event is the
 *   convex part, and `features.vertices` is the triangle of its surface; a triangle of two parts is a feature of each.
 *   A part with four vertices is a tetrahedron, also if it is flat.
 *
 * **Touch events.** Two bodies of which one has moving vertices touch when the first contact of their features begins,
 * as above. A compound does so if feature events are wanted and all leaves have features. For other shapes and motions
 * (curved, with a margin, spinning, accelerated) they touch when the distance of the true motions falls to the
 * tolerance of advance.h: never late. The pair is reported again after a test has found it separated, by more than 1e-9
 * of its size:
 * - A pair with contacts of features is tested between each two of them, and every pair just before a jump. So no touch
 *   is left out there.
 * - A rigid and a deforming body are tested when it is no longer certain that they overlap. Where nothing is certain,
 *   they are tested after points of both have moved past each other by 1e-7 of the size of the pair. Then each step is
 *   twice as long as the one before, up to 1/64 of the size, until the overlap is certain again. So a shorter
 * separation may be left out in a contact that slides or rests without depth.
 * - Two deforming bodies, one of which has a margin or is a NURBS body, are tested at intervals that double, and at the
 *   end of each piece. Separations between two tests are left out.
 *
 * Feature events report all contacts. A rigid body that has bounced may come into persistent contact with a mesh whose
 * vertices move (rigid.h): they carry it. While that lasts there are no events of the pair, not of its features either.
 *
 * **Margins.** A body with moving vertices whose mesh has a margin touches other bodies when their distance falls to
 * the sum of the margins. The touch is never late. The distance then exceeds that sum by at most the larger of the
 * tolerance of advance.h and 1e-6 of the margins. The body has no feature events with other bodies. Within the body the
 * margin does not count: self-contacts are those of its triangles.
 *
 * **NURBS bodies.** The control points of a deformable NURBS body (nurbs.h) take the place of vertices: an animation
 * has as many vertices as the body has control points. The surfaces touch other bodies never after the true time, and
 * are then at most twice the sum of the tolerances apart. There are these differences:
 * - Feature events are the exact contacts of the triangles of a tessellation whose vertices move linearly on each piece
 *   and have rounded positions at its ends. They follow the touch of the pair. They must be enabled for the NURBS body
 *   itself (tact_body_set_feature_events). A rigid NURBS shape at rest or in uniform motion has them with moving
 *   vertices, if they are enabled for the other body.
 * - In that tessellation named edges (tact_nurbs_def::edges) are not joined. Contacts of a body with itself across an
 *   edge, or around a corner of edges, are not events if a path of at most 8 tolerances, or errors of the tessellation,
 *   joins both places on the surfaces.
 * - Vertices and faces of an event are numbers of that tessellation, as is the face of a touch. It is not the mesh of
 *   the body; `features.location_a` and `features.location_b` are the parameters (u, v) of the contact on the surfaces.
 * - Cells of the tessellation of a body with feature events are divided where a piece needs it, and stay divided while
 *   its control points move. Vertices that are new jump from the old triangles to the surface: contacts on the way
 *   are reported at that time. A contact of a face or an edge that is divided is reported again, for its parts. Where
 *   trimming curves cut cells, new vertices begin at the surface instead.
 * - Without feature events, contacts after a jump of control points are reported at its time, those between the old and
 *   the new positions are not.
 * - If a piece would need too many triangles for the tolerance, the status of tact_world_next_event is
 *   #TACT_BAD_ARGUMENT when the piece begins. Nothing is lost, and another motion can be set.
 *
 * **Changes.** All functions may be called at any time, also in response to an event. tact_body_deform sets positions:
 * the vertices jump there and rest. tact_body_change_faces and tact_body_add_vertices (body.h) keep the motion;
 * added vertices rest. Features are identified by their vertices: a contact in progress goes on, without another event,
 * if its vertex, its edges and its face still exist, with any index. Features that begin to exist, and are in contact
 * then, are reported at that time. An event of that time that has not been reported is dropped if its features are
 * gone. Faces change before vertices jump at the same time.
 *
 * **Cost.** For each pair of bodies, and each body with itself, one search per piece (in a tree of swept bounds): 0.2
 * to 2 us per triangle. The parts of a compound with feature events count once for each use. Dividing the time into
 * more calls of tact_world_next_event costs nothing extra. A second engine
 * (#TACT_DEFORMING_LIST) maintains a list of nearby pairs from event to event.
 */
#ifndef TACT_ANIMATION_H
#define TACT_ANIMATION_H

#include <tact/advance.h>

TACT_BEGIN

/** The engine that finds contacts of moving vertices. The events are the same with all of them, bit for bit. */
typedef enum tact_deforming_engine {
    /** Begins with #TACT_DEFORMING_WINDOWS. From time to time, for each pair of bodies, both engines search the same
     * pieces, and the one that needed less work continues. Work is counted, not timed, so it is the same in each run.
     */
    TACT_DEFORMING_AUTO,
    TACT_DEFORMING_WINDOWS, /**< one traversal of a tree of swept bounds per piece: fastest for most animations */
    /** A kinetic separation list (Weller and Zachmann 2006): work is done when bounds begin or cease to overlap. For
     * motions that are known ahead, with many short pieces. 3 kB per triangle. A change of motion that ends a piece
     * early costs some 10 us per triangle. */
    TACT_DEFORMING_LIST
} tact_deforming_engine;

/** Selects the engine, at any time. Returns #TACT_BAD_ARGUMENT if the world is NULL or the value is invalid. */
TACT_API tact_status tact_world_set_deforming_engine(tact_world *world, tact_deforming_engine engine);

/** Returns the engine as set; AUTO stays AUTO, also for NULL. */
TACT_API tact_deforming_engine tact_world_get_deforming_engine(const tact_world *world);

/** Key frames of the vertices of a mesh: immutable, reference-counted, shared by any number of bodies and worlds. */
typedef struct tact_animation tact_animation;

/** Description of an animation. */
typedef struct tact_animation_def {
    tact_vertices vertices; /**< the first key frame; the others have the same layout */
    size_t frame_count;     /**< number of key frames, at least 1 */
    size_t frame_stride;    /**< bytes from one key frame to the next; 0: tightly packed */
    const double *times;    /**< time of each key frame, ascending; copied; NULL: 0, 1, 2 ... */
    /** The key frames are not copied: the array must exist and stay unchanged as long as the animation exists. */
    bool borrow;
    tact_allocator allocator; /**< allocator for the memory of the animation */
} tact_animation_def;

/** Creates an animation. On failure returns NULL and explains in `report`, which may be NULL. The coordinates must be
 * finite and at most 1e140, the times finite, at most 1e140 and strictly ascending. */
TACT_API tact_animation *tact_animation_create(const tact_animation_def *def, tact_report *report);

/** Adds a reference. NULL is allowed and returned. */
TACT_API tact_animation *tact_animation_retain(const tact_animation *animation);

/** Releases a reference. The last one frees the animation. NULL is allowed. */
TACT_API void tact_animation_release(tact_animation *animation);

TACT_API size_t tact_animation_get_frame_count(const tact_animation *animation); /**< key frames; 0 for NULL */
/** Returns the number of vertices of each key frame; 0 for NULL. */
TACT_API size_t tact_animation_get_vertex_count(const tact_animation *animation);
/** Returns the time of a key frame; 0 if there is none. */
TACT_API double tact_animation_get_time(const tact_animation *animation, size_t frame);

/** How an animation is played. All zero: once, from its first key frame, at speed 1. */
typedef struct tact_play_def {
    double offset; /**< where to begin: time since the first key frame; not negative, at most the duration */
    double speed;  /**< time of the animation per unit of world time; positive; 0 means 1 */
    bool loop;     /**< start again after the last key frame; vertices jump if that differs from the first */
} tact_play_def;

/**
 * Plays an animation from now on: the vertices follow its key frames. `def` may be NULL. Let S be the time of the
 * world. Then key frame i is at the time S + ((times[i] - times[0]) - offset) / speed, each operation rounded to
 * double. In the n-th repetition, n times the duration of the animation is added before the offset is subtracted.
 * Without `loop` the vertices rest after the last key frame. The world holds a reference to the animation.
 *
 * Returns #TACT_OUT_OF_MEMORY, or #TACT_BAD_ARGUMENT
 * - if the body does not exist, or is not a deformable mesh or NURBS body;
 * - if it has a mass, a motion, or a transform other than the identity;
 * - if the animation is NULL or has another number of vertices than the body has vertices or control points;
 * - if a number of `def` is invalid, or two key frames would be at the same time of the world.
 */
TACT_API tact_status tact_body_play(tact_world *world, tact_body body, const tact_animation *animation,
                                    const tact_play_def *def);

/** Motion of a range of vertices, or of control points of a NURBS body. */
typedef struct tact_vertex_motion {
    uint32_t first; /**< first vertex of the range */
    uint32_t count; /**< number of vertices; 0: all from `first` on */
    /** Positions now. NULL: the current ones, rounded to doubles. */
    const tact_vec3 *positions;
    /** Velocities from now on. NULL: the vertices rest, unless there are targets. */
    const tact_vec3 *velocities;
    /** Positions at `end_time`. From then on the vertices rest there. Not together with velocities. */
    const tact_vec3 *targets;
    double end_time; /**< time of the world at which targets are reached; later than now */
} tact_vertex_motion;

/**
 * Gives vertices a new motion from now on. The others keep theirs. The arrays have `count` entries and are copied.
 *
 * Returns #TACT_OUT_OF_MEMORY, or #TACT_BAD_ARGUMENT: as for tact_body_play, or if the range is invalid, a number is
 * not finite or beyond 1e140, or `end_time` is not later than now. Then nothing changes.
 */
TACT_API tact_status tact_body_set_vertex_motion(tact_world *world, tact_body body, const tact_vertex_motion *motion);

/** Returns the position of a vertex or control point at the current time of the world, rounded, in world coordinates,
 * and its velocity; `velocity` may be NULL. Both are zero if the body or the vertex does not exist or the body has no
 * vertex motion. */
TACT_API tact_vec3 tact_body_get_vertex_position(const tact_world *world, tact_body body, uint32_t vertex,
                                                 tact_vec3 *velocity);

/** Ends the vertex motion of a body: the vertices rest where they are now, rounded, and the body may get a transform
 * and a motion. Returns #TACT_BAD_ARGUMENT if it has none, or #TACT_OUT_OF_MEMORY. */
TACT_API tact_status tact_body_stop_vertices(tact_world *world, tact_body body);

/** Returns whether the vertices of a body have a motion: after tact_body_play or tact_body_set_vertex_motion. */
TACT_API bool tact_body_has_vertex_motion(const tact_world *world, tact_body body);

/** Asks for feature events of all pairs with this body, itself included. Features that are in contact then are reported
 * at the current time, if the pair had no feature events before. Returns #TACT_BAD_ARGUMENT if the body does
 * not exist. */
TACT_API tact_status tact_body_set_feature_events(tact_world *world, tact_body body, bool wanted);

/** Returns whether feature events are wanted. */
TACT_API bool tact_body_get_feature_events(const tact_world *world, tact_body body);

TACT_END

#endif
