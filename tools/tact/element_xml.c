/* XML by expat. A DOCTYPE without declarations of its own is skipped, as X3D files have one; its file is not read. */
#include "element_tree.h"

#ifdef TACT_HAVE_EXPAT

#include <expat.h>
#include <string.h>

/* Bytes given to expat at a time: its sizes are int. */
#define CHUNK_BYTES (1 << 24)

typedef struct xml_reader {
    element_tree *tree;
    XML_Parser parser;
    uint32_t current; /* the innermost open element */
    int depth;
    bool failed; /* the reason has been written */
} xml_reader;

static const char *position(const xml_reader *r)
{
    const XML_Index index = XML_GetCurrentByteIndex(r->parser);
    return r->tree->source->begin + (index > 0 ? (size_t)index : 0);
}

static void stop(xml_reader *r)
{
    r->failed = true;
    (void)XML_StopParser(r->parser, XML_FALSE);
}

static void XMLCALL element_begin(void *user, const XML_Char *name, const XML_Char **attributes)
{
    xml_reader *r = user;
    element_tree *tree = r->tree;
    if (r->failed)
        return;
    uint32_t e;
    bool good = tact_element_add(tree, r->current, name, strlen(name), position(r), &e);
    for (int i = 0; good && attributes[i]; i += 2) {
        const size_t length = strlen(attributes[i + 1]);
        good = tact_element_attribute_add(tree, e, tact_element_text(tree, attributes[i], strlen(attributes[i])),
                                          tact_element_text(tree, attributes[i + 1], length), length);
    }
    if (good && ++r->depth > ELEMENT_MAX_DEPTH)
        good = tact_element_fail(tree, e, "elements are nested more than %d deep", ELEMENT_MAX_DEPTH);
    r->current = e;
    if (!good)
        stop(r);
}

static void XMLCALL element_end(void *user, const XML_Char *name)
{
    xml_reader *r = user;
    (void)name;
    if (r->failed)
        return;
    r->current = r->tree->elements.items[r->current].parent;
    r->depth--;
}

static void declaration_reject(xml_reader *r)
{
    if (!r->failed)
        (void)tact_mesh_source_fail(r->tree->source, position(r), "a DTD inside the file is not read");
    stop(r);
}

static void XMLCALL doctype_begin(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public,
                                  int has_internal_subset)
{
    (void)name;
    (void)system;
    (void)public;
    if (has_internal_subset)
        declaration_reject(user);
}

static void XMLCALL entity_declared(void *user, const XML_Char *name, int is_parameter, const XML_Char *value,
                                    int length, const XML_Char *base, const XML_Char *system, const XML_Char *public,
                                    const XML_Char *notation)
{
    (void)name;
    (void)is_parameter;
    (void)value;
    (void)length;
    (void)base;
    (void)system;
    (void)public;
    (void)notation;
    declaration_reject(user);
}

bool tact_element_read_xml(element_tree *tree)
{
    const mesh_source *source = tree->source;
    xml_reader r = {.tree = tree, .parser = XML_ParserCreate(NULL), .current = ELEMENT_NONE};
    if (!r.parser)
        return tact_mesh_source_out_of_memory(source);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, element_begin, element_end);
    XML_SetStartDoctypeDeclHandler(r.parser, doctype_begin);
    XML_SetEntityDeclHandler(r.parser, entity_declared);
    enum XML_Status status = XML_STATUS_OK;
    const char *at = source->begin;
    bool last = false;
    while (!last && status == XML_STATUS_OK) {
        const size_t left = (size_t)(source->end - at), size = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        last = size == left;
        status = XML_Parse(r.parser, at, (int)size, last);
        at += size;
    }
    if (status != XML_STATUS_OK && !r.failed) {
        const enum XML_Error code = XML_GetErrorCode(r.parser);
        r.failed = code == XML_ERROR_NO_MEMORY
                       ? !tact_mesh_source_out_of_memory(source)
                       : !tact_mesh_source_fail(source, position(&r), "not valid XML: %s", XML_ErrorString(code));
    }
    XML_ParserFree(r.parser);
    return !r.failed;
}

#else

bool tact_element_read_xml(element_tree *tree)
{
    return tact_mesh_source_fail(tree->source, NULL,
                                 "needs expat (Debian: libexpat1-dev), without which this tool was built");
}

#endif
