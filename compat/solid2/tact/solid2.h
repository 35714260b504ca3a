/**
 * @file
 * The API of SOLID 2.0 (G. van den Bergen, "Collision Detection in Interactive 3D Computer Animation", 1999, appendix
 * B), implemented with Tact. A program written for SOLID 2.0 compiles and runs with this header instead of its own.
 *
 * Unlike Tact, this API has state: the world, the current object and the shape under construction. Each thread has its
 * own. Commands that cannot be executed (unknown object, zero scale, out of memory) do nothing; those that create a
 * shape return NULL.
 *
 * Where the guide leaves a choice: if both objects have an object response, that of the object created earlier is
 * called; object1 of a response is the object created earlier; creating an object under a reference in use replaces the
 * old object; a shape may be deleted while objects use it. A convex polygon is the convex hull of its points.
 */
#ifndef TACT_SOLID2_H
#define TACT_SOLID2_H

#include <tact/export.h>

TACT_BEGIN

typedef double DtScalar;            /**< a number */
typedef DtScalar DtVector[3];       /**< a point or vector */
typedef unsigned int DtIndex;       /**< index of a vertex */
typedef unsigned int DtCount;       /**< a count */
typedef struct DtShape *DtShapeRef; /**< a shape */
typedef void *DtObjectRef;          /**< an object: any pointer of the client */

/** Type of a convex part of a complex shape. Each is the convex hull of its vertices. */
typedef enum DtPolyType {
    DT_SIMPLEX,   /**< point, segment, triangle, tetrahedron */
    DT_POLYGON,   /**< convex polygon */
    DT_POLYHEDRON /**< convex polyhedron */
} DtPolyType;

/** The collision data that a response receives. */
typedef enum DtResponseType {
    DT_NO_RESPONSE,       /**< no response, as if cleared */
    DT_SIMPLE_RESPONSE,   /**< none: `coll_data` is NULL */
    DT_SMART_RESPONSE,    /**< the closest points of the previous frame, and their difference */
    DT_WITNESSED_RESPONSE /**< a common point */
} DtResponseType;

/** A pair of points of two objects. */
typedef struct DtCollData {
    DtVector point1; /**< in the local coordinates of object1 */
    DtVector point2; /**< in the local coordinates of object2 */
    DtVector normal; /**< smart: point1 - point2 in global coordinates */
} DtCollData;

/** Called for two objects that collide. */
typedef void (*DtResponse)(void *client_data, DtObjectRef object1, DtObjectRef object2, const DtCollData *coll_data);

/* Shapes (B.2). */
TACT_API DtShapeRef dtBox(DtScalar x, DtScalar y, DtScalar z);
TACT_API DtShapeRef dtCone(DtScalar radius, DtScalar height);
TACT_API DtShapeRef dtCylinder(DtScalar radius, DtScalar height);
TACT_API DtShapeRef dtSphere(DtScalar radius);
TACT_API DtShapeRef dtNewComplexShape(void);
TACT_API void dtEndComplexShape(void);
TACT_API void dtBegin(DtPolyType type);
TACT_API void dtEnd(void);
TACT_API void dtVertex(DtScalar x, DtScalar y, DtScalar z);
TACT_API void dtVertexBase(const void *base);
TACT_API void dtVertexIndex(DtIndex index);
TACT_API void dtVertexIndices(DtPolyType type, DtCount count, const DtIndex *indices);
TACT_API void dtVertexRange(DtPolyType type, DtIndex first, DtCount count);
TACT_API void dtDeleteShape(DtShapeRef shape);

/* Objects (B.3). */
TACT_API void dtCreateObject(DtObjectRef object, DtShapeRef shape);
TACT_API void dtDeleteObject(DtObjectRef object);
TACT_API void dtSelectObject(DtObjectRef object);
TACT_API void dtLoadIdentity(void);
TACT_API void dtLoadMatrixf(const float *m);
TACT_API void dtLoadMatrixd(const double *m);
TACT_API void dtMultMatrixf(const float *m);
TACT_API void dtMultMatrixd(const double *m);
TACT_API void dtTranslate(DtScalar x, DtScalar y, DtScalar z);
TACT_API void dtRotate(DtScalar x, DtScalar y, DtScalar z, DtScalar w);
TACT_API void dtScale(DtScalar x, DtScalar y, DtScalar z);

/* Responses (B.4). */
TACT_API void dtSetDefaultResponse(DtResponse response, DtResponseType type, void *client_data);
TACT_API void dtClearDefaultResponse(void);
TACT_API void dtSetObjectResponse(DtObjectRef object, DtResponse response, DtResponseType type, void *client_data);
TACT_API void dtClearObjectResponse(DtObjectRef object);
TACT_API void dtResetObjectResponse(DtObjectRef object);
TACT_API void dtSetPairResponse(DtObjectRef object1, DtObjectRef object2, DtResponse response, DtResponseType type,
                                void *client_data);
TACT_API void dtClearPairResponse(DtObjectRef object1, DtObjectRef object2);
TACT_API void dtResetPairResponse(DtObjectRef object1, DtObjectRef object2);
TACT_API int dtTest(void);
TACT_API void dtProceed(void);

/* Deformation (B.5) and caching (B.6). */
TACT_API void dtChangeVertexBase(DtShapeRef shape, const void *base);
TACT_API void dtEnableCaching(void);
TACT_API void dtDisableCaching(void);

/** Not in SOLID 2.0: releases the state of this thread, except shapes that were not deleted. Later calls start with an
 * empty state. */
TACT_API void dtForgetAll(void);

TACT_END

#endif
