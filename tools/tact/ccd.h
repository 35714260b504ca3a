/* tact ccd: every vertex-face and edge-edge pair of a mesh that meets between two frames, and the first time. */
#ifndef TACT_TOOL_CCD_H
#define TACT_TOOL_CCD_H

/* The command: tact ccd T0 T1 [--pairs FILE] [--first]. Returns the exit status. */
int tact_ccd_command(int argc, char **argv);

#endif
