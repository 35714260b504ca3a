/* What `make run` shows: scenes made by formulas. Each function writes to a folder and returns whether it could. */
#ifndef TACT_SHOW_CASE_H
#define TACT_SHOW_CASE_H

#include <stdbool.h>
#include <stdio.h>

/* Creates FOLDER/NAME. On failure prints one line, and returns NULL. */
FILE *show_case_create(const char *folder, const char *name);

/* Closes a file. On failure prints one line, and returns false. */
bool show_case_close(FILE *file, const char *name);

/* Writes the head of a Point Cache 2 file, and a coordinate of it. */
void show_case_pc2_head(FILE *file, int vertices, int frames, double interval);
void show_case_pc2_number(FILE *file, double value);

/* pile.json: `count` bodies of several shapes fall on a heap and come to rest. */
bool show_case_pile(const char *folder, int count);

/* cloth.run: `steps` steps of sheets that fall on a spinning torus, of a fraction 1 / scale of the full resolution. */
bool show_case_cloth(const char *folder, int steps, int scale);

/* figure.obj and figure.pc2: a figure does jumping jacks. */
bool show_case_figure(const char *folder, int frames);

/* fish.json and fish.pc2: two fish of NURBS surfaces meet. */
bool show_case_fish(const char *folder, int frames);

#endif
