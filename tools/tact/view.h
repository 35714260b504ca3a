/* tact view: a page that shows runs. */
#ifndef TACT_TOOL_VIEW_H
#define TACT_TOOL_VIEW_H

/* The command: tact view RUN... Returns the exit status. */
int tact_view_command(int argc, char **argv);

#endif
