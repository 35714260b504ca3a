#include "help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char page_tool[] =
    "Tact finds where and exactly when things touch.\n"
    "\n"
    "Try\n"
    "  tact show                  a few answers, computed while you watch\n"
    "  tact check part.stl        is this mesh sound?\n"
    "  tact help query            what you can ask, with requests to copy\n"
    "  echo "
    "'{\"op\":\"distance\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"b\":{\"type\":\"point\",\"points\":[[3,0,0]]}}' "
    "| "
    "tact query\n"
    "\n"
    "Commands\n"
    "  tact check FILE...         what is odd about meshes, and where they intersect each other and themselves\n"
    "  tact ccd T0 T1             everything that meets while a mesh goes from one frame to another, and when\n"
    "  tact run SCENE.json        a world of moving bodies: everything that touches, in order, with bouncing\n"
    "  tact query [FILE.jsonl]    one JSON request a line in, one JSON answer a line out\n"
    "  tact show                  a small show of answers\n"
    "  tact bench [NAME...]       measures Tact, and races it against its peers\n"
    "  tact help [COMMAND]        this page, or that of a command\n"
    "  tact --version             the version\n"
    "\n"
    "Exit status: 0 done, 1 bad input (stderr names file, line and reason), 2 wrong usage.\n";

static const char page_query[] =
    "tact query [--parts] [FILE.jsonl]   one JSON request a line in, one JSON answer a line out\n"
    "tact query --ccd vf|ee [FILE]       pairs that move, a plain line of numbers each\n"
    "\n"
    "Without a file (or with -) it reads standard input. Put any of these on a line:\n"
    "\n"
    "  How far apart are a ball and a crate?\n"
    "  {\"op\":\"distance\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"b\":{\"type\":\"box\",\"size\":[2,2,2],"
    "\"place\":{\"translate\":[3,0,0]}}}\n"
    "  -> {\"distance\":1,\"pa\":[1,0,0],\"pb\":[2,0,0]}\n"
    "\n"
    "  When does a thrown, spinning box hit the floor?\n"
    "  {\"op\":\"toi\",\"end\":2,\"a\":{\"type\":\"box\",\"size\":[1,1,1],\"place\":{\"translate\":[0,3,0]},"
    "\"motion\":{\"velocity\":[1,0,0],\"acceleration\":[0,-9.81,0],\"spin\":[0,0,3]}},"
    "\"b\":{\"type\":\"box\",\"size\":[20,2,20],\"place\":{\"translate\":[0,-1,0]}}}\n"
    "  -> {\"hit\":true,\"t\":...,\"point\":[...],\"normal\":[...]}\n"
    "\n"
    "  Where does a ray meet a cone?\n"
    "  {\"op\":\"ray\",\"a\":{\"type\":\"cone\",\"radius\":1,\"height\":2},\"from\":[-5,0,0],\"dir\":[1,0,0]}\n"
    "  -> {\"hit\":true,\"t\":4.5,\"point\":[-0.5,0,0],\"normal\":[...]}\n"
    "\n"
    "Ops\n"
    "  intersect  a b                      -> hit, point (a common point)\n"
    "  distance   a b                      -> distance, pa, pb (the nearest points)\n"
    "  depth      a b                      -> depth, normal, pa, pb; apart, depth is minus the distance\n"
    "  toi        a b [end 1] [tolerance]  -> hit, t, point, normal: the first contact in [0, end]\n"
    "  ray        a from dir [max]         -> hit, t, point, normal; point = from + t dir\n"
    "  closest    a from                   -> distance (negative inside), point, normal: of the surface\n"
    "  contains   a point                  -> hit: is the point in it?\n"
    "  contacts   a b [reach 0]            -> hit, contacts: depth, normal, pa, pb of every place where they touch\n"
    "  crossings  a b                      -> hit, segments: type, from, to where the surfaces cross\n"
    "  ccd_vf     t0 t1 [separation 0]     -> hit, t: when a vertex first meets a face, between t[0] and t[1]\n"
    "  ccd_ee     t0 t1 [separation 0]     -> the same for two edges; t0 and t1: four points [3] each\n"
    "\n"
    "Shapes\n"
    "  sphere radius · box size · ellipsoid radii · capsule, cone, cylinder radius height (axis y) ·\n"
    "  point, segment, triangle, tetrahedron, polygon, hull points · sum, join of (two shapes) ·\n"
    "  mesh file, or vertices triangles [solid false] · compound parts (any shapes)\n"
    "  Any of them with\n"
    "    \"margin\":m                                                rounded by m\n"
    "    \"place\":{\"translate\":[3],\"rotate\":[x,y,z,w],\"scale\":[3]}  or {\"matrix\":[16]}, column-major\n"
    "    \"motion\":{\"velocity\":[3],\"acceleration\":[3],\"spin\":[3]}   the outermost shape only; used by toi\n"
    "\n"
    "The file of a mesh is looked for beside FILE.jsonl, then in the working directory. With --parts answers tell the\n"
    "[leaf,face] of meshes and compounds that they speak of, as part_a and part_b (of one shape: part).\n"
    "Numbers are JSON numbers, or strings as C prints them with %a (\"0x1.8p+1\"). Answers have 17 digits.\n"
    "A bad line is answered {\"error\":\"...\"}, the rest goes on, and the exit status is 1.\n"
    "\n"
    "With --ccd a line is any word and 24 numbers, as %a prints them or decimal: a vertex and the corners of a face "
    "(vf),\n"
    "or the ends of two edges (ee), at t=0 and then at t=1. Answered with 1 and two times that the first contact is\n"
    "between, 0 for none, -1 for a bad line. Exact: no contact is missed and none invented.\n"
    "The whole contract is in docs/query_tool.md.\n";

static const char page_check[] =
    "tact check FILE...           what is odd about meshes, and where they intersect each other and themselves\n"
    "\n"
    "  tact check part.stl        is it closed, the right way out, free of intersections?\n"
    "  tact check a.stl b.ply     the same of both; which of their faces intersect, and is one inside the other?\n"
    "\n"
    "Options\n"
    "  --json                     one JSON object, for programs; lists all pairs of faces\n"
    "  --limit N                  list at most N pairs of faces of each file and each two files (default 10)\n"
    "  --all                      list them all\n"
    "  --solid                    ask what is inside meshes that are not closed, too\n"
    "  --threads N                default: as many as there are\n"
    "\n"
    "Reads PLY, OBJ and STL with every digit, and what Assimp reads where the tool was built with it. Vertices and\n"
    "faces count from 0, in the order of the file. Every answer is exact for the numbers in the files: touching is\n"
    "intersecting; faces of one file that share a corner or an edge intersect only if they meet elsewhere.\n"
    "Exit status 0 whatever was found, 1 for a file that cannot be read. More in docs/check_tool.md.\n";

static const char page_ccd[] =
    "tact ccd T0 T1               everything that meets while a mesh goes from one frame to another, and when\n"
    "\n"
    "  tact ccd a.ply b.ply       how many vertices meet faces and edges meet edges, and what is first\n"
    "\n"
    "Options\n"
    "  --pairs FILE               write all of them, in the order in which they happen, a line each:\n"
    "                             vf VERTEX FACE lo hi, or ee A0 A1 B0 B1 lo hi; they first touch between lo and hi\n"
    "  --first                    only the first: faster\n"
    "  --json                     one JSON object, for programs\n"
    "  --threads N                default: as many as there are\n"
    "\n"
    "Both frames are files of the same triangles, read as by tact check; vertices and faces count from 0. Every vertex "
    "goes\n"
    "straight from its place in T0, at t = 0, to that in T1, at t = 1. Every answer is exact for the numbers in the "
    "files:\n"
    "no contact is missed and none invented, touching at the very beginning or end included. Pairs that share a "
    "vertex\n"
    "are not looked at.\n"
    "Exit status 0 whatever was found, 1 for files that cannot be read or are not of one mesh. More in "
    "docs/ccd_tool.md.\n";

static const char page_run[] =
    "tact run SCENE.json          a world of moving bodies: everything that touches, in order, with bouncing\n"
    "\n"
    "  tact run examples/scenes/cradle.json\n"
    "\n"
    "  echo '{\"end\":3,\"response\":\"inelastic\",\"gravity\":[0,-9.81,0],\"bodies\":[\n"
    "    {\"name\":\"floor\",\"shape\":{\"type\":\"box\",\"size\":[20,2,20]},\"place\":{\"translate\":[0,-1,0]},"
    "\"restitution\":1},\n"
    "    {\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":1},\"place\":{\"translate\":[0,5,0]},\"mass\":1,"
    "\"restitution\":0.8}]}' | tact run -\n"
    "\n"
    "Options\n"
    "  --json                     one event a line: "
    "{\"t\":..,\"kind\":\"touch\",\"a\":..,\"b\":..,\"point\":[3],\"normal\":[3]}\n"
    "  --out FILE                 write such lines to FILE, and print only what it was in all\n"
    "  --end T                    until this time, whatever the scene says\n"
    "  --limit N                  at most N events in the table\n"
    "\n"
    "A scene\n"
    "  end                        until when; it begins at 0\n"
    "  response                   none (they pass through each other, the default), elastic or inelastic\n"
    "  gravity [3]                acceleration of all bodies that have a mass; default none\n"
    "  rest 1e-3                  how long a contact lasts at least, for what comes to rest\n"
    "  kinetic auto               how pairs are found: auto, lists or shells\n"
    "  bodies [...]               each with name, shape, place, motion, mass, restitution 0, friction 0; only the "
    "shape\n"
    "                             must be there. Shapes, places and motions are those of tact query. A body without a\n"
    "                             mass follows its motion whatever it meets. Of two restitutions and of two frictions\n"
    "                             the smaller one counts. Also: then [...], motions that follow one another, each "
    "with\n"
    "                             the time at which it begins; poll T, test it at multiples of T instead of "
    "foreseeing.\n"
    "\n"
    "Nothing is missed, however fast: there are no frames. Events at the same time come in the order of the file.\n"
    "Exit status 0 whatever happened, 1 for a bad scene. More in docs/run_tool.md.\n";

static const char page_show[] = "tact show                    a small show of answers, computed while you watch\n"
                                "\n"
                                "How far apart, how deep, when, where along a ray, and how many of these a second.\n";

static const char page_bench[] =
    "tact bench [NAME...]         measures Tact, and races it against its peers\n"
    "\n"
    "  tact bench                 all of it (some five minutes)\n"
    "  tact bench convex          pairs of convex shapes: icollide, race, hulls\n"
    "  tact bench icollide        a crowd of tumbling hulls (van den Bergen's thesis, figures 4.8 to 4.10)\n"
    "  tact bench race            distance and yes or no, against FCL and libccd\n"
    "  tact bench rigid           worlds and meshes: seed004, broad, mesh, world\n"
    "  tact bench seed004         the thesis' tables 5.2 to 5.6, refitting, polygons, beside its figures\n"
    "  tact bench broad           the broad phase, against Bullet\n"
    "  tact bench mesh            two meshes, building and refitting their trees, against FCL\n"
    "  tact bench world           the tumbling hulls through a world\n"
    "  tact bench deformable      meshes that deform: seed002, ccd, steps\n"
    "  tact bench seed002         cloth in three scenes: which bounds cull how much (Hutter and Fuhrmann)\n"
    "  tact bench ccd             continuous collision of deforming meshes, pair by pair and whole steps, against FCL\n"
    "  tact bench moving          worlds through continuous time: seed003, frames, queues, spheres\n"
    "  tact bench seed003         rings through time, against all pairs and swept boxes (Coming and Staadt)\n"
    "  tact bench frames          through time, against Bullet and ODE frame by frame: time, and what they miss\n"
    "  tact bench queues          event queues on streams of our own\n"
    "  tact bench spheres         hard spheres: collisions a second, to 1,000,000 spheres\n"
    "  tact bench growth          how cost and memory grow: hulls, bodies, triangles (to 10,000,000), steps\n"
    "  tact bench --quick         fewer rounds: a first look in little time; --tiny: to see that it runs\n"
    "  tact bench --json          for programs\n"
    "  tact bench --html FILE     a page with the tables and plots\n"
    "  tact bench --seed N        other random input\n"
    "  tact bench --scenes FOLDER for ccd and steps: folders in it with two frames t0.ply and t1.ply\n"
    "\n"
    "The peers take part where they were found when Tact was built: `make bench` sees to that.\n";

static const char page_help[] = "tact help [COMMAND]          explains the tool, or a command\n"
                                "\n"
                                "  tact help query\n";

static const struct {
    const char *command;
    const char *text;
} pages[] = {{"check", page_check}, {"ccd", page_ccd},     {"run", page_run},  {"query", page_query},
             {"show", page_show},   {"bench", page_bench}, {"help", page_help}};

int tact_help_command(const char *command)
{
    if (!command) {
        (void)fputs(page_tool, stdout);
        return 0;
    }
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++)
        if (strcmp(pages[i].command, command) == 0) {
            (void)fputs(pages[i].text, stdout);
            return 0;
        }
    return tact_help_usage(NULL, "there is no command %s; there are check, ccd, run, query, show, bench and help",
                           command);
}

int tact_help_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("tact: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, ". Try: tact help%s%s\n", command ? " " : "", command ? command : "");
    return 2;
}
