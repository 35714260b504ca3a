"""The rooms (folders of src/) from top to bottom. A room includes only itself and rooms above it."""

ROOMS = {
    "core": "memory, status, arrays, hash, sort, heap, parallel-for",
    "math": "vectors, transforms, double-double, big integers, exact predicates, polynomials",
    "bounds": "boxes, oriented boxes, moving bounds, relative frames",
    "tree": "bounding volume hierarchies over numbered items",
    "motion": "motions in closed form",
    "event": "the event queue",
    "shape": "convex shapes and support mappings, hulls, meshes, soups, compounds",
    "exact": "exact decisions on features: triangle-triangle, ray-triangle, parity",
    "convex": "two convex shapes: GJK, EPA, SAT, closed forms, manifolds, rays",
    "complex": "meshes, soups and compounds at one instant",
    "toi": "time of impact of two moving rigid shapes",
    "ccd": "exact continuous collision of vertex-face and edge-edge pairs",
    "sweep": "all contacts of a deforming mesh over one linear step",
    "broad": "broad phases: sweep and prune, dynamic tree, fat bounds, kinetic sweep and prune",
    "query": "stateless public queries and their batches",
    "dynamics": "rigid-body mechanics: mass properties, torque-free rotation",
    "world": "bodies, contact callbacks, test, world queries",
    "advance": "the world in continuous time: events, motion plans, bounce",
    "step": "contact-free steps of deformable bodies",
    "record": "save, restore, record, replay",
}
