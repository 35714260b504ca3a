/*
 * The content of a model file as a tree of elements with attributes: XML (URDF, X3D) read by expat, or VRML97 read by a
 * reader of our own. A VRML node becomes what X3D writes for it: an element of its type; its fields become attributes,
 * the nodes in its fields children with the attribute containerField.
 *
 *     element_tree tree;
 *     if (tact_element_tree_read(&tree, &source))
 *         for (uint32_t e = tree.elements.items[0].first_child; e != ELEMENT_NONE; e = tree.elements.items[e].next)
 *             ... tact_element_attribute(&tree, e, "name")
 *     tact_element_tree_release(&tree);
 *
 * Depth and number of elements are limited. A DTD with declarations is rejected, so no entity expands to anything, and
 * no other file is read.
 */
#ifndef TACT_TOOL_ELEMENT_TREE_H
#define TACT_TOOL_ELEMENT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/array.h"
#include "mesh_file_source.h"

#define ELEMENT_NONE UINT32_MAX

/* Elements within each other: models have about ten. A reader recurses as deep. */
#define ELEMENT_MAX_DEPTH 200

/* Elements and attributes of a file: 2^22 each, at most some 400 MB. */
#define ELEMENT_MAX_COUNT 4194304

typedef struct element_attribute {
    const char *name;
    const char *value; /* of XML, and of DEF, USE and containerField: with a zero at its end */
    size_t length;
    uint32_t next;
} element_attribute;

typedef struct tree_element {
    const char *name;
    const char *at; /* in the source, for errors */
    uint32_t parent, first_child, last_child, next;
    uint32_t first_attribute, last_attribute;
} tree_element;

ARRAY_OF(element_array, tree_element);
ARRAY_OF(element_attribute_array, element_attribute);
ARRAY_OF(element_number_array, double);

/* Memory for names and values, which never moves. */
typedef struct element_block {
    struct element_block *next;
    size_t used, size;
    char bytes[];
} element_block;

typedef struct element_tree {
    const mesh_source *source; /* gets the errors */
    bool is_vrml;              /* numbers may be separated by comments */
    element_array elements;    /* in the order of the file; 0 is the root */
    element_attribute_array attributes;
    element_block *blocks;
} element_tree;

/* All functions that return bool return false with the error message of the source. */

/* Reads the source, whose bytes must stay; those of VRML97 begin with #VRML. To be released in any case. */
bool tact_element_tree_read(element_tree *tree, const mesh_source *source);
void tact_element_tree_release(element_tree *tree);

/* Reports an error at an element: path, line and a sentence. */
bool tact_element_fail(const element_tree *tree, uint32_t e, const char *format, ...) MESH_SOURCE_FORMAT(3, 4);

/* The value of an attribute with a zero at its end; NULL: there is none, or it is a field of VRML. */
const char *tact_element_attribute(const element_tree *tree, uint32_t e, const char *name);
bool tact_element_has(const element_tree *tree, uint32_t e, const char *name);

/* The first child of this name; ELEMENT_NONE: there is none. */
uint32_t tact_element_child(const element_tree *tree, uint32_t e, const char *name);

/* Reads an attribute of exactly `count` finite numbers; without it they are unchanged. */
bool tact_element_numbers(const element_tree *tree, uint32_t e, const char *name, double *numbers, size_t count);

/* Appends all numbers of an attribute. */
bool tact_element_number_list(const element_tree *tree, uint32_t e, const char *name, element_number_array *numbers);

/* Reads an attribute true or false; without it *flag is unchanged. */
bool tact_element_flag(const element_tree *tree, uint32_t e, const char *name, bool *flag);

/* For the readers element_xml.c and element_vrml.c. `at` is a place in the source. */
bool tact_element_read_xml(element_tree *tree);
bool tact_element_read_vrml(element_tree *tree);
bool tact_element_add(element_tree *tree, uint32_t parent, const char *name, size_t length, const char *at,
                      uint32_t *added);
bool tact_element_attribute_add(element_tree *tree, uint32_t e, const char *name, const char *value, size_t length);

/* A copy of a text in the memory of the tree, with a zero at its end; NULL without memory. */
const char *tact_element_text(element_tree *tree, const char *text, size_t length);

#endif
