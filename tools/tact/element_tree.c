#include "element_tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_file_number.h"

/* Bytes of a block: many names. */
#define BLOCK_BYTES 65536

/* Bytes of the sentence of an error. */
#define SENTENCE_BYTES 300

static const tact_allocator standard = {NULL, NULL};

/* ---- building ---- */

const char *tact_element_text(element_tree *tree, const char *text, size_t length)
{
    element_block *block = tree->blocks;
    if (length >= SIZE_MAX - sizeof *block - BLOCK_BYTES)
        return NULL;
    if (!block || block->size - block->used <= length) {
        const size_t size = length + 1 > BLOCK_BYTES ? length + 1 : BLOCK_BYTES;
        block = malloc(sizeof *block + size);
        if (!block)
            return NULL;
        *block = (element_block){tree->blocks, 0, size};
        tree->blocks = block;
    }
    char *to = block->bytes + block->used;
    if (length > 0)
        memcpy(to, text, length);
    to[length] = '\0';
    block->used += length + 1;
    return to;
}

bool tact_element_add(element_tree *tree, uint32_t parent, const char *name, size_t length, const char *at,
                      uint32_t *added)
{
    const tree_element new_element = {.name = tact_element_text(tree, name, length),
                                      .at = at,
                                      .parent = parent,
                                      .first_child = ELEMENT_NONE,
                                      .last_child = ELEMENT_NONE,
                                      .next = ELEMENT_NONE,
                                      .first_attribute = ELEMENT_NONE,
                                      .last_attribute = ELEMENT_NONE};
    const size_t count = tree->elements.count;
    if (count == ELEMENT_MAX_COUNT)
        return tact_mesh_source_fail(tree->source, at, "there are more than %d elements", ELEMENT_MAX_COUNT);
    if (!new_element.name || !element_array_push(&tree->elements, &standard, new_element))
        return tact_mesh_source_out_of_memory(tree->source);
    *added = (uint32_t)count;
    if (parent == ELEMENT_NONE)
        return true;
    tree_element *above = &tree->elements.items[parent];
    if (above->last_child == ELEMENT_NONE)
        above->first_child = *added;
    else
        tree->elements.items[above->last_child].next = *added;
    above->last_child = *added;
    return true;
}

bool tact_element_attribute_add(element_tree *tree, uint32_t e, const char *name, const char *value, size_t length)
{
    const size_t count = tree->attributes.count;
    tree_element *owner = &tree->elements.items[e];
    if (count == ELEMENT_MAX_COUNT)
        return tact_mesh_source_fail(tree->source, owner->at, "there are more than %d attributes", ELEMENT_MAX_COUNT);
    if (!name || !value ||
        !element_attribute_array_push(&tree->attributes, &standard,
                                      (element_attribute){name, value, length, ELEMENT_NONE}))
        return tact_mesh_source_out_of_memory(tree->source);
    if (owner->last_attribute == ELEMENT_NONE)
        owner->first_attribute = (uint32_t)count;
    else
        tree->attributes.items[owner->last_attribute].next = (uint32_t)count;
    owner->last_attribute = (uint32_t)count;
    return true;
}

bool tact_element_tree_read(element_tree *tree, const mesh_source *source)
{
    static const char vrml[] = "#VRML";
    *tree = (element_tree){.source = source};
    const char *text = mesh_source_text(source);
    tree->is_vrml = strncmp(text, vrml, sizeof vrml - 1) == 0;
    return tree->is_vrml ? tact_element_read_vrml(tree) : tact_element_read_xml(tree);
}

void tact_element_tree_release(element_tree *tree)
{
    while (tree->blocks) {
        element_block *next = tree->blocks->next;
        free(tree->blocks);
        tree->blocks = next;
    }
    element_array_release(&tree->elements, &standard);
    element_attribute_array_release(&tree->attributes, &standard);
}

/* ---- reading ---- */

bool tact_element_fail(const element_tree *tree, uint32_t e, const char *format, ...)
{
    char sentence[SENTENCE_BYTES];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof sentence, format, values);
    va_end(values);
    return tact_mesh_source_fail(tree->source, tree->elements.items[e].at, "%s", sentence);
}

static const element_attribute *attribute_find(const element_tree *tree, uint32_t e, const char *name)
{
    for (uint32_t i = tree->elements.items[e].first_attribute; i != ELEMENT_NONE; i = tree->attributes.items[i].next)
        if (strcmp(tree->attributes.items[i].name, name) == 0)
            return &tree->attributes.items[i];
    return NULL;
}

const char *tact_element_attribute(const element_tree *tree, uint32_t e, const char *name)
{
    const element_attribute *found = attribute_find(tree, e, name);
    return found && found->value[found->length] == '\0' ? found->value : NULL;
}

bool tact_element_has(const element_tree *tree, uint32_t e, const char *name)
{
    return attribute_find(tree, e, name) != NULL;
}

uint32_t tact_element_child(const element_tree *tree, uint32_t e, const char *name)
{
    uint32_t child = tree->elements.items[e].first_child;
    while (child != ELEMENT_NONE && strcmp(tree->elements.items[child].name, name) != 0)
        child = tree->elements.items[child].next;
    return child;
}

/* Skips what separates numbers. */
static const char *separators_skip(const element_tree *tree, const char *at, const char *end)
{
    while (at < end) {
        if (mesh_is_space(*at) || *at == ',')
            at++;
        else if (tree->is_vrml && *at == '#')
            at = mesh_skip_line(at, end);
        else
            break;
    }
    return at;
}

/* The next number of an attribute; false with *at at its end, or after an error. */
static bool number_next(const element_tree *tree, uint32_t e, const element_attribute *attribute, const char **at,
                        double *number, bool *good)
{
    const char *end = attribute->value + attribute->length;
    *at = separators_skip(tree, *at, end);
    *good = true;
    if (*at >= end)
        return false;
    const char *after = tact_decimal_read(*at, number);
    if (after && after <= end && isfinite(*number)) {
        *at = after;
        return true;
    }
    const char *stop = *at;
    while (stop < end && stop - *at < 40 && !mesh_is_space(*stop) && *stop != ',')
        stop++;
    *good = tact_element_fail(tree, e, "%s of %s: a number was expected, not \"%.*s\"", attribute->name,
                              tree->elements.items[e].name, (int)(stop - *at), *at);
    return false;
}

bool tact_element_numbers(const element_tree *tree, uint32_t e, const char *name, double *numbers, size_t count)
{
    const element_attribute *attribute = attribute_find(tree, e, name);
    double found[16], extra;
    size_t n = 0;
    bool good;
    if (!attribute)
        return true;
    const char *at = attribute->value;
    while (n < count && number_next(tree, e, attribute, &at, &found[n], &good))
        n++;
    if (n == count && number_next(tree, e, attribute, &at, &extra, &good))
        n++;
    if (!good)
        return false;
    if (n != count)
        return tact_element_fail(tree, e, "%s of %s needs %zu number%s, not %s%zu", name, tree->elements.items[e].name,
                                 count, count == 1 ? "" : "s", n > count ? "more than " : "", n > count ? count : n);
    memcpy(numbers, found, count * sizeof *numbers);
    return true;
}

bool tact_element_number_list(const element_tree *tree, uint32_t e, const char *name, element_number_array *numbers)
{
    const element_attribute *attribute = attribute_find(tree, e, name);
    double number;
    bool good = true;
    if (!attribute)
        return true;
    for (const char *at = attribute->value; number_next(tree, e, attribute, &at, &number, &good);)
        if (!element_number_array_push(numbers, &standard, number))
            return tact_mesh_source_out_of_memory(tree->source);
    return good;
}

bool tact_element_flag(const element_tree *tree, uint32_t e, const char *name, bool *flag)
{
    const element_attribute *attribute = attribute_find(tree, e, name);
    if (!attribute)
        return true;
    for (int value = 0; value < 2; value++)
        if (tact_mesh_word_is_any_case(attribute->value, attribute->length, value ? "true" : "false")) {
            *flag = value != 0;
            return true;
        }
    return tact_element_fail(tree, e, "%s of %s must be true or false", name, tree->elements.items[e].name);
}
