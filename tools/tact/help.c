#include "help.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "error_line.h"
#include "help_page.h"

/* Bytes of a reason; longer ones are cut. */
#define REASON_BYTES 5000

static const char page_tool[] =
    "Tact finds where and exactly when things touch.\n"
    "\n"
    "Try\n"
    "  tact show                  some results, computed live\n"
    "  tact check part.stl        checks a mesh\n"
    "  tact help query            the operations, with requests to copy\n"
    "  echo "
    "'{\"op\":\"distance\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"b\":{\"type\":\"point\",\"points\":[[3,0,0]]}}' "
    "| "
    "tact query\n"
    "\n"
    "Commands\n"
    "  tact check FILE...         defects of meshes, and where they intersect each other and themselves\n"
    "  tact ccd T0 T1             all contacts between two frames of a mesh, and their times\n"
    "  tact play MESH FRAMES      all contacts of a key-framed animation, in order of time\n"
    "  tact run SCENE.json        a world of moving bodies: all contacts in order of time, with impacts\n"
    "  tact replay RECORD         a recorded world again: its events\n"
    "  tact query [FILE.jsonl]    answers JSON requests, one per line\n"
    "  tact view RUN              a page for the browser that plays a run\n"
    "  tact export RUN -o FILE    a run as glTF animation, CSV or JSON\n"
    "  tact serve ADDRESS         collision detection for other programs: JSON over sockets and websockets\n"
    "  tact show                  some results, computed live\n"
    "  tact doctor                what is built in and used on this machine, with a quick check\n"
    "  tact help [COMMAND]        this page, or that of a command\n"
    "  tact --version             the version\n"
    "\n"
    "Exit status: 0 done, 1 bad input (stderr names file, line and reason), 2 wrong usage.\n";

static const char page_query[] =
    "tact query [--parts] [FILE.jsonl]   answers JSON requests, one per line\n"
    "tact query --ccd vf|ee [FILE]       continuous collision queries, one per line of plain numbers\n"
    "\n"
    "Without a file (or with -) it reads standard input. Examples:\n"
    "\n"
    "  The distance of a sphere and a box\n"
    "  {\"op\":\"distance\",\"a\":{\"type\":\"sphere\",\"radius\":1},\"b\":{\"type\":\"box\",\"size\":[2,2,2],"
    "\"place\":{\"translate\":[3,0,0]}}}\n"
    "  -> {\"distance\":1,\"pa\":[1,0,0],\"pb\":[2,0,0]}\n"
    "\n"
    "  The time at which a thrown, spinning box hits the floor\n"
    "  {\"op\":\"toi\",\"end\":2,\"a\":{\"type\":\"box\",\"size\":[1,1,1],\"place\":{\"translate\":[0,3,0]},"
    "\"motion\":{\"velocity\":[1,0,0],\"acceleration\":[0,-9.81,0],\"spin\":[0,0,3]}},"
    "\"b\":{\"type\":\"box\",\"size\":[20,2,20],\"place\":{\"translate\":[0,-1,0]}}}\n"
    "  -> {\"hit\":true,\"t\":...,\"point\":[...],\"normal\":[...]}\n"
    "\n"
    "  A ray against a cone\n"
    "  {\"op\":\"ray\",\"a\":{\"type\":\"cone\",\"radius\":1,\"height\":2},\"from\":[-5,0,0],\"dir\":[1,0,0]}\n"
    "  -> {\"hit\":true,\"t\":4.5,\"point\":[-0.5,0,0],\"normal\":[...]}\n"
    "\n"
    "Options\n"
    "  --parts                    answers give the [leaf,face] of meshes and compounds\n"
    "  --view FILE.html           write a page that shows the first 100 answered requests, on a tab each\n"
    "  --work N                   give up after N steps of a request (default: minutes; 0: never)\n"
    "  --ccd vf|ee                requests are lines of plain numbers: see below\n"
    "  --json                     no effect\n"
    "\n"
    "Operations\n"
    "  intersect  a b                      -> hit, point (a common point)\n"
    "  distance   a b                      -> distance, pa, pb (the closest points)\n"
    "  depth      a b                      -> depth, normal, pa, pb; disjoint: minus the distance\n"
    "  toi        a b [end 1] [tolerance]  -> hit, t, point, normal: the first contact in [0, end]\n"
    "  ray        a from dir [max]         -> hit, t, point, normal; point = from + t dir\n"
    "  closest    a from                   -> distance (negative inside), point, normal: of the surface\n"
    "  contains   a point                  -> hit: true if the point is in a or on its surface\n"
    "  contacts   a b [max_separation 0]   -> hit, contacts: depth, normal, pa, pb of all contact points\n"
    "  intersections  a b                  -> hit, segments: type, from, to in which the surfaces intersect\n"
    "  ccd_vf     t0 t1 [separation 0]     -> hit, t: first contact of a vertex and a face, between t[0] and t[1]\n"
    "  ccd_ee     t0 t1 [separation 0]     -> the same for two edges; t0 and t1: four points [3] each\n"
    "\n"
    "Shapes: type and members\n"
    "  sphere radius · box size · ellipsoid radii · capsule, cone, cylinder radius height (axis y) ·\n"
    "  point, segment, triangle, tetrahedron, polygon, hull points · sum of (Minkowski sum of two shapes) ·\n"
    "  join of (convex hull of two shapes) · halfspace normal offset · heightfield counts spacing heights ·\n"
    "  mesh file, or vertices triangles [solid false] [one_sided false] · compound parts (any shapes), or file (a "
    "model) ·\n"
    "  nurbs degree counts knots points [weights] [trims] [tolerance] [solid false], or surfaces [edges],\n"
    "  or file (STEP, IGES)\n"
    "  Any of them with\n"
    "    \"margin\":m                                                all points within m of the shape\n"
    "    \"place\":{\"translate\":[3],\"rotate\":[x,y,z,w],\"scale\":[3]}  or {\"matrix\":[16]}, column-major\n"
    "    \"motion\":{\"velocity\":[3],\"acceleration\":[3],\"spin\":[3],\"pivot\":[3]}\n"
    "                                                              the outermost shape only; used by toi\n"
    "\n"
    "The file of a mesh is searched beside FILE.jsonl, then in the working directory. With --parts answers give the\n"
    "[leaf,face] of meshes and compounds as part_a and part_b (of one shape: part).\n"
    "Numbers are JSON numbers, or strings as C prints them with %a (\"0x1.8p+1\"). Answers have 17 digits.\n"
    "An invalid line is answered {\"error\":\"...\"}, the rest continues, and the exit status is 1.\n"
    "\n"
    "With --ccd a line is any word and 24 numbers, decimal or as %a prints them: a vertex and the vertices of a "
    "triangle\n"
    "(vf), or the ends of two edges (ee), at t=0 and then at t=1. The answer is 1 and the two times between which the\n"
    "first contact lies, 0 for none, -1 for an invalid line. Exact: no false negatives, no false positives.\n"
    "All details are in docs/query_tool.md.\n";

static const char page_check[] =
    "tact check FILE...           defects of meshes, and where they intersect each other and themselves\n"
    "\n"
    "  tact check part.stl        is it closed, oriented outward, free of self-intersections?\n"
    "  tact check a.stl b.ply     the same for both; which faces intersect, and is one inside the other?\n"
    "  tact check a.step b.igs    where do two CAD parts interfere, or how far apart are they?\n"
    "  tact check arm.urdf --joint elbow=1.2   which links collide, or how far apart are they?\n"
    "  tact check room.x3d arm.urdf            the same for all bodies of both\n"
    "\n"
    "Options\n"
    "  --json                     one JSON object, for programs; lists all pairs of faces\n"
    "  --limit N                  list at most N pairs of faces of each file and each pair of files (default 10)\n"
    "  --all                      list them all\n"
    "  --solid                    also test containment in meshes that are not closed\n"
    "  --joint NAME=VALUE         URDF: the position of a joint, in radians or a length (default 0); may be repeated\n"
    "  --faces                    test X3D and glTF files as meshes, by their faces, as Assimp reads them\n"
    "  --adjacent                 URDF: also test links that a joint connects\n"
    "  --tolerance T              of the triangles of STEP and IGES files (default: 1/1024 of the largest extent)\n"
    "  --view FILE.html           write a page that shows the meshes and where they intersect\n"
    "  --save FILE                write it as a run, for tact view\n"
    "  --threads N                default: all\n"
    "\n"
    "Reads PLY, OBJ and STL without loss of digits, and other formats through Assimp, if the tool was built with it.\n"
    "A .json file holds a NURBS shape as in tact query; then the distance is printed, too. STEP and IGES files are "
    "read\n"
    "through Open CASCADE, if tact was built with it: their faces are NURBS surfaces, in millimetres.\n"
    "URDF, X3D, VRML97 (.wrl) and glTF with several meshes are models: their bodies are tested in pairs. The overlaps\n"
    "are listed, the deepest first, then the closest pairs with their distances.\n"
    "Vertices and faces count from 0, in the order of the file. Results are exact for the numbers in the files:\n"
    "touching faces intersect; faces of one file that share a vertex or an edge intersect only if they also meet "
    "elsewhere.\n"
    "Exit status 0 whatever was found, 1 for a file that cannot be read. More in docs/check_tool.md.\n";

static const char page_ccd[] =
    "tact ccd T0 T1               all contacts between two frames of a mesh, and their times\n"
    "\n"
    "  tact ccd a.ply b.ply       number of vertex-face and edge-edge contacts, and the first one\n"
    "\n"
    "Options\n"
    "  --pairs FILE               write all contacts in order of time, one a line:\n"
    "                             vf VERTEX FACE lo hi, or ee A0 A1 B0 B1 lo hi; first contact between lo and hi\n"
    "  --first                    only the first contact: faster\n"
    "  --json                     one JSON object, for programs\n"
    "  --view FILE.html           write a page that shows the frames and all contacts\n"
    "  --save FILE                write it as a run, for tact view\n"
    "  --threads N                default: all\n"
    "\n"
    "Both frames are files of the same triangles, read as by tact check; vertices and faces count from 0. Every "
    "vertex\n"
    "moves along a straight line from its position in T0, at t = 0, to that in T1, at t = 1. Results are exact for "
    "the\n"
    "numbers in the files: no false negatives, no false positives; touching at t = 0 or t = 1 counts. Pairs that\n"
    "share a vertex are not tested.\n"
    "Two NURBS files (JSON, as in tact query) that differ in their control points alone are tessellated alike: the\n"
    "contacts are those of the triangles, whose distance from the surfaces is printed.\n"
    "Exit status 0 whatever was found, 1 for files that cannot be read or do not match. More in docs/ccd_tool.md.\n";

static const char page_play[] =
    "tact play MESH FRAMES        all contacts of a key-framed animation, in order of time\n"
    "\n"
    "  tact play body.obj kick.pc2\n"
    "  tact play first.ply 'frames/f_*.ply'\n"
    "  tact play model.glb\n"
    "\n"
    "FRAMES\n"
    "  walk.pc2, walk.mdd         Point Cache 2, MDD\n"
    "  frames/                    all mesh files of a folder; numbers in their names count: f2 before f10\n"
    "  'f_*.ply', f_%04d.ply      the files of a pattern; put it in quotes\n"
    "  model.glb, model.gltf      glTF with an animation of nodes, skins or morph targets; MESH may be left out\n"
    "\n"
    "Options\n"
    "  --from A, --to B           only intervals A to B - 1; interval i goes from frame i to frame i + 1\n"
    "  --pairs FILE               write all contacts, one a line: the interval, then as tact ccd --pairs\n"
    "  --limit N, --all           print at most N contacts (default 10), or all\n"
    "  --json                     one JSON object, for programs\n"
    "  --engine windows|list|swept  how the work is done (default: windows); the results are the same\n"
    "  --between K                in-between frames of swept (default 0); the results are the same\n"
    "  --fps F                    glTF: at least F frames a second between key times (default: key times only)\n"
    "  --animation N              glTF: the animation, from 0\n"
    "  --view FILE.html           write a page that plays the animation\n"
    "  --save FILE                write it as a run, for tact view\n"
    "  --threads N                default: all\n"
    "\n"
    "MESH has the faces, all triangles. Every vertex moves along a straight line from frame to frame. Results are "
    "exact\n"
    "for the numbers in the files, as those of tact ccd; times t are within the interval, 0 to 1. Frames are read one\n"
    "after the other, so an animation may be larger than the memory.\n"
    "MESH may be a NURBS file (JSON, as in tact query): the frames are then those of its control points, and are\n"
    "tessellated alike. The contacts are those of the triangles, whose distance from the surfaces is printed.\n"
    "Exit status 0 whatever was found, 1 for files that cannot be read or do not match. More in docs/play_tool.md.\n";

static const char page_run[] =
    "tact run SCENE.json          a world of moving bodies: all contacts in order of time, with impacts and rest\n"
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
    "                             kind: touch; begin and end of persistent contacts; sleep, wake (only a); crushed\n"
    "  --out FILE                 write these lines to FILE, and print only the summary\n"
    "  --states FILE --every DT   write where the bodies are at 0, DT, 2 DT, ... and the end, one line each:\n"
    "                             {\"t\":..,\"bodies\":[{\"name\":..,\"translate\":[3],\"rotate\":[4]},...]}\n"
    "  --end T                    end at this time, whatever the scene says\n"
    "  --limit N                  at most N events in the table\n"
    "  --work N                   give up after N units of work without an event (default 100000000; 0: never)\n"
    "  --view FILE.html           write a page that plays the run\n"
    "  --save FILE                write the run, for tact view\n"
    "  --record FILE              write all calls to the world, for tact replay\n"
    "\n"
    "A scene\n"
    "  end                        end time; the scene starts at 0\n"
    "  response                   none (bodies pass through each other, the default), elastic or inelastic\n"
    "  gravity [3]                acceleration of all bodies with a mass; default none\n"
    "  contact_step 1/60          bodies that stay in contact move in steps of this duration\n"
    "  sleep true                 bodies at rest fall asleep: they cost nothing until something hits them\n"
    "  kinetic auto               broad phase: auto, sweep-and-prune or fat-bounds\n"
    "  bodies [...]               each with shape (required), name, place, motion, mass or density, restitution 0,\n"
    "                             friction 0, rolling_friction 0; shapes, places and motions as in tact query. A body\n"
    "                             without mass is kinematic: it follows its motion whatever it touches. The smaller\n"
    "                             restitution and frictions of a pair apply. Also: motion_plan [...], later motions,\n"
    "                             each with its start time; poll_interval T: test the body at multiples of T instead\n"
    "                             of predicting. Instead of a shape: file, a model (URDF, X3D, VRML97, glTF), whose\n"
    "                             bodies become bodies of the scene, with density, friction ... for each.\n"
    "\n"
    "No contact is missed, however fast bodies move: there are no frames. Simultaneous events come in file order.\n"
    "Exit status 0 whatever happened, 1 for an invalid scene. More in docs/run_tool.md.\n";

static const char page_replay[] =
    "tact replay RECORD           a recorded world again: makes the recorded calls, checks and lists the events\n"
    "\n"
    "  tact run scene.json --record scene.record\n"
    "  tact replay scene.record --view again.html\n"
    "\n"
    "Options\n"
    "  --json                     one event a line, as tact run; bodies are called \"0\", \"1\", ...\n"
    "  --limit N                  at most N events in the table\n"
    "  --view FILE.html           write a page that plays it\n"
    "  --save FILE                write it as a run, for tact view and tact export\n"
    "\n"
    "A record is written by tact run --record, or by a program with tact_record_begin (tact/record.h): the world at "
    "the\n"
    "beginning and all calls that change it. Every contact and event must be the recorded one, to the bit.\n"
    "Exit status 1 if one differs, or the record is damaged or truncated. More in docs/record.md.\n";

static const char page_view[] =
    "tact view RUN...             a page for the browser that plays runs\n"
    "\n"
    "  tact run examples/scenes/stack.json --save stack.run\n"
    "  tact view stack.run        writes stack.html\n"
    "\n"
    "Options\n"
    "  -o, --out FILE.html        the name of the page; several runs need it\n"
    "\n"
    "A run is written by tact run, play, ccd or check with --save. With --view they write the page at once. The page "
    "is one\n"
    "file that needs no network: open it, send it, keep it. It plays the run from its motions, at any speed, with all\n"
    "events on a time line.\n"
    "The viewer is built by `make viewer` (needs Node 18). More in docs/view_tool.md, docs/run_format.md.\n";

static const char page_export[] =
    "tact export RUN -o FILE      a run as glTF animation, CSV or JSON\n"
    "\n"
    "  tact run examples/scenes/mixed.json --save mixed.run\n"
    "  tact export mixed.run -o mixed.glb          for Blender and other programs\n"
    "  tact export mixed.run -o mixed.csv --every 0.01\n"
    "  tact export mixed.run -o events.csv --events\n"
    "\n"
    "Options\n"
    "  -o, --out FILE             the output; its name ends in .glb, .gltf, .csv or .json\n"
    "  --tolerance T              glTF: distance from the true motion at most (default: a thousandth of the body's "
    "size)\n"
    "  --every DT                 CSV, JSON: where the bodies are at 0, DT, 2 DT, ... (default: when a motion "
    "changes)\n"
    "  --events                   CSV: the events instead of the trajectories; JSON has both\n"
    "\n"
    "A run is written by tact run, play, ccd or check with --save. glTF has a node for each body, and key frames of\n"
    "vertices as morph targets. CSV has the columns body, time, position, quaternion.\n"
    "Exit status 0, 1 for a file that is not a run or cannot be written. More in docs/export_tool.md.\n";

static const char page_serve[] =
    "tact serve ADDRESS...        collision detection for other programs: JSON over sockets and websockets\n"
    "\n"
    "  tact serve tcp://127.0.0.1:7070\n"
    "  tact serve ipc:///run/user/1000/tact.sock\n"
    "  tact serve ws://127.0.0.1:7071 --page live.html\n"
    "  tact serve tcp://0.0.0.0:7070 --token token.txt\n"
    "  tact serve -               one session on standard input and output\n"
    "\n"
    "A client sends one JSON object a line and gets one a line. Shapes are sent once, then only changes:\n"
    "\n"
    "  {\"op\":\"shape\",\"name\":\"ball\",\"shape\":{\"type\":\"sphere\",\"radius\":1}}\n"
    "  {\"op\":\"world\"}\n"
    "  {\"op\":\"body\",\"name\":\"a\",\"shape\":{\"type\":\"shared\",\"name\":\"ball\"}}\n"
    "  "
    "{\"op\":\"body\",\"name\":\"b\",\"shape\":{\"type\":\"shared\",\"name\":\"ball\"},\"place\":{\"translate\":[3,0,0]"
    "}}\n"
    "  {\"op\":\"test\"}\n"
    "  -> {\"contacts\":[]}\n"
    "  {\"op\":\"move\",\"body\":\"a\",\"motion\":{\"velocity\":[1,0,0]}}\n"
    "  {\"op\":\"next\",\"until\":5}\n"
    "  -> {\"t\":0.99999999999999289,\"kind\":\"touch\",\"a\":\"a\",\"b\":\"b\",\"point\":[...],\"normal\":[1,0,0]}\n"
    "\n"
    "Options\n"
    "  --token FILE               clients must know the first line of FILE; needed for addresses that are not local\n"
    "  --page FILE.html           websockets: write a page that connects with a token of its own: drag bodies, see "
    "contacts\n"
    "  --origin URL               websockets: pages of this origin need no token; may be repeated\n"
    "  --clients N                at one time (default 64)\n"
    "  --memory MB                of each client (default 256)\n"
    "  --message MB               of a request (default 16)\n"
    "  --worlds N                 of each client (default 16)\n"
    "  --time S                   CPU time of a request (default 10)\n"
    "  --work N                   units of work of a request, as tact run --work (default: any number)\n"
    "  --idle S                   time for the next request, and to take a part of an answer (default 300)\n"
    "\n"
    "Requests\n"
    "  hello [token] · bye · shape name shape · forget name\n"
    "  world [gravity] [response] [contact_step] [sleep] [kinetic] · drop\n"
    "  body name shape ... (as in a scene of tact run) · move body [place] [motion], or bodies [...] · remove body\n"
    "  test [want points|witness|pairs]    -> contacts: all bodies that touch now\n"
    "  next until                          -> t, kind, a, b, point, normal: the next event\n"
    "  advance until                       -> events, t\n"
    "  states                              -> t, bodies: where they are\n"
    "  world_ray from dir [max] · world_closest from [max]  -> hit, body, t or distance, point, normal\n"
    "  save -> data · restore data · replay data: the bytes of a world or a recording, in base64\n"
    "  and all operations of tact query. With \"world\":NAME a request is about this world (default: main). A member\n"
    "  \"id\" is repeated in the answer.\n"
    "\n"
    "The first error is answered {\"error\":\"...\"} and ends the session of this client, and nothing else. SIGINT or\n"
    "SIGTERM end the server. Exit status 0, 1 if it cannot listen. More in docs/serve_tool.md.\n";

static const char page_show[] =
    "tact show                    some results, computed live\n"
    "\n"
    "Distance, penetration, time of impact, ray cast, impacts, and the speed of a batch of distances.\n";

static const char page_doctor[] =
    "tact doctor                  what is built in and used on this machine, with a quick check\n"
    "\n"
    "  tact doctor\n"
    "  TACT_CAD=/opt/tact-cad tact doctor\n"
    "\n"
    "Options\n"
    "  --json                     one JSON object, for programs\n"
    "\n"
    "It prints the compiler, the instructions that are used (AVX2), threads, memory, the file formats that can be "
    "read,\n"
    "where the viewer and tact-cad are, and the environment variables that change this. Then it computes a few "
    "results\n"
    "that are known: rounding, exact predicates, distances, times of contact.\n"
    "Exit status 0, 1 if a result is wrong or TACT_CAD or TACT_VIEWER names a file that cannot be used.\n"
    "More in docs/doctor_tool.md.\n";

static const char page_help[] =
    "tact help [COMMAND]          describes the tool, or a command\n"
    "\n"
    "  tact help query\n"
    "  source <(tact help --completion bash)\n"
    "\n"
    "Options\n"
    "  --completion bash|zsh|fish  print the completion of commands, options and files for a shell\n"
    "  --man [COMMAND]            print the manual page of the tool, or of a command: tact help --man run | man -l -\n"
    "  --commands                 print the names of the commands, one a line\n"
    "\n"
    "`make install` installs the completions and the manual pages, too.\n";

static const struct {
    const char *command;
    const char *text;
} pages[] = {{"check", page_check},   {"ccd", page_ccd},     {"play", page_play},     {"run", page_run},
             {"replay", page_replay}, {"query", page_query}, {"view", page_view},     {"export", page_export},
             {"serve", page_serve},   {"show", page_show},   {"doctor", page_doctor}, {"help", page_help}};

#define PAGE_COUNT (sizeof pages / sizeof pages[0])

const char *tact_help_page(size_t index, const char **command)
{
    *command = index < PAGE_COUNT ? pages[index].command : NULL;
    return index < PAGE_COUNT ? pages[index].text : NULL;
}

const char *tact_help_tool_page(void) { return page_tool; }

int tact_help_command(const char *command)
{
    if (!command) {
        (void)fputs(page_tool, stdout);
        return 0;
    }
    for (size_t i = 0; i < PAGE_COUNT; i++)
        if (strcmp(pages[i].command, command) == 0) {
            (void)fputs(pages[i].text, stdout);
            return 0;
        }
    return tact_help_no_command(command);
}

int tact_help_words(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : NULL, *const value = argc > 2 ? argv[2] : NULL;
    if (!word || word[0] != '-')
        return value ? tact_help_usage("help", "there must be one command, not both %s and %s", word, value)
                     : tact_help_command(word);
    if (argc > 3)
        return tact_help_usage("help", "there is a word too many: %s", argv[3]);
    if (strcmp(word, "--completion") == 0)
        return value && tact_help_completion_print(value)
                   ? 0
                   : tact_help_usage("help", "--completion needs bash, zsh or fish");
    if (strcmp(word, "--man") == 0)
        return tact_help_manual_print(value) ? 0 : tact_help_no_command(value);
    if (value)
        return tact_help_usage("help", "there is a word too many: %s", value);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return tact_help_command("help");
    if (strcmp(word, "--commands") != 0)
        return tact_help_usage("help", "there is no option %s", word);
    for (size_t i = 0; i < PAGE_COUNT; i++)
        (void)printf("%s\n", pages[i].command);
    return 0;
}

/* The names of all commands: "a, b and c". */
static void names_join(char names[REASON_BYTES])
{
    size_t length = 0;
    for (size_t i = 0; i < PAGE_COUNT; i++)
        length += (size_t)snprintf(names + length, REASON_BYTES - length, "%s%s",
                                   i == 0               ? ""
                                   : i + 1 < PAGE_COUNT ? ", "
                                                        : " and ",
                                   pages[i].command);
}

int tact_help_no_command(const char *command)
{
    char names[REASON_BYTES];
    names_join(names);
    if (!command)
        return tact_help_usage(NULL, "a command is missing; the commands are %s", names);
    return tact_help_usage(NULL, "there is no command %.1000s; the commands are %s", command, names);
}

int tact_help_usage(const char *command, const char *format, ...)
{
    const char *space = command ? " " : "", *name = command ? command : "";
    char reason[REASON_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    (void)tact_error_line("tact%s%s: %s. Try: tact help%s%s", space, name, reason, space, name);
    return 2;
}
