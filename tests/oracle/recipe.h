/*
 * A shape as plain numbers, from which the library's shape, the oracle's body and a line for `tact query` are made,
 * each independently.
 */
#ifndef TACT_ORACLE_RECIPE_H
#define TACT_ORACLE_RECIPE_H

#include <stddef.h>
#include <tact/shape.h>

#include "body.h"
#include "dice.h"

#define RECIPE_POINTS 16
#define RECIPE_ITEMS 5
#define RECIPE_TYPES 16 /* TACT_POINT to TACT_CUSTOM, which are 1 to 16 */

typedef struct recipe_item {
    tact_shape_type type;
    tact_shape_type stands_for; /* TACT_CUSTOM: the shape whose support function it is */
    double radius, height;
    tact_vec3 size;
    tact_vec3 points[RECIPE_POINTS];
    int point_count;
    int parts[2]; /* items of the same recipe */
    tact_transform place;
    double margin;
} recipe_item;

/* The first item is the shape itself; parts come later. */
typedef struct recipe {
    recipe_item items[RECIPE_ITEMS];
    int count;
} recipe;

/* The name of a type as `tact query` and TACT_TEST_PAIR write it; "" for none. */
const char *recipe_type_name(tact_shape_type type);

/* The type with that name, of `length` characters; 0 for none. */
tact_shape_type recipe_type_of(const char *name, size_t length);

/* A random shape of the type, about 1 in size; sometimes with sizes of zero, repeated or coplanar points, margins. */
void recipe_roll(recipe *r, tact_shape_type type, dice *d);

/* The oracle's body of the shape under a transform. */
void recipe_body(const recipe *r, tact_transform at, oracle_body *body);

/* The library's shape, NULL when it could not be made. It may point into `r`, which must outlive it. */
tact_shape *recipe_shape(recipe *r);

/* Writes the shape under a transform as a JSON SHAPE of `tact query`, numbers as %a; returns how many characters. */
size_t recipe_write(const recipe *r, tact_transform at, char *text, size_t capacity);

#endif
