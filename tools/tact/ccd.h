/* tact ccd: all vertex-face and edge-edge contacts between two frames of a mesh. */
#ifndef TACT_TOOL_CCD_H
#define TACT_TOOL_CCD_H

/* The command: tact ccd T0 T1 [--pairs FILE] [--first]. Returns the exit status. */
int tact_ccd_command(int argc, char **argv);

#endif
