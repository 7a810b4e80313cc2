/* What a config is told whose keys, values or kernels are wrong: the whole message, read. Faults of
 * the text itself are in test_syntax.c. */
#include "program/config/configs.h"

#include "support.h"

#include <stdio.h>

/* Keys that are unknown, repeated, missing, or for another type. */
static const struct fault keys[] = {
    {PROBLEM KERNELS "tolerance = 1e-8;",
     ":3: unknown key 'tolerance'; did you mean 'solver.tolerance'?"},
    {PROBLEM KERNELS "\nrepeat = 3;", ":4: unknown key 'repeat'; did you mean 'repeats'?"},
    {PROBLEM KERNELS "solvr = { tolerance = 1e-8; };",
     ":3: unknown key 'solvr'; did you mean 'solver'?"},
    {PROBLEM KERNELS "elephants = 3;", ":3: unknown key 'elephants'"},
    {PROBLEM KERNELS "solver = {\n tolerence = 1e-8; };",
     ":4: unknown key 'solver.tolerence'; did you mean 'tolerance'?"},
    {PROBLEM KERNELS "solver = { TOL = 1e-8; };",
     ":3: unknown key 'solver.TOL'; did you mean 'tolerance'?"},
    {PROBLEM KERNELS "solver = { xyzzy = 1e-8; };", ":3: unknown key 'solver.xyzzy'"},
    {PROBLEM KERNELS "rhs = { sed = 1; };", ":3: unknown key 'rhs.sed'; did you mean 'seed'?"},
    {PROBLEM KERNELS "trace = { vectors = []; };",
     ":3: trace.vectors wants a list of \"r\", \"x\", \"p\" or \"q\", not a list of 0"},
    {PROBLEM KERNELS "trace = { vectors = \"r\"; };",
     ":3: trace.vectors wants a list of \"r\", \"x\", \"p\" or \"q\", not the string \"r\""},
    {PROBLEM KERNELS "trace = { vectors = [\"r\",\n \"y\"]; };",
     ":4: trace.vectors wants \"r\", \"x\", \"p\" or \"q\", not \"y\""},
    {PROBLEM KERNELS "trace = { vectors = [\"r\", \"r\"]; };",
     ":3: trace.vectors names \"r\" twice"},
    {PROBLEM KERNELS
     "solver = { method = \"minres\"; };\ntrace = { every = 2; vectors = [\"r\"]; };",
     ":4: trace.vectors: the method shows not all of these"},
    {PROBLEM KERNELS "trace = { every = -1; };",
     ":3: trace.every wants a whole number, at least 0, not -1"},
    {PROBLEM KERNELS "output = { dir = \"x\"; };",
     ":3: unknown key 'output.dir'; did you mean 'directory'?"},
    {PROBLEM KERNELS "output = { path = \"x\"; };",
     ":3: unknown key 'output.path'; did you mean 'problem.path'?"},
    {PROBLEM "kernels = (\n{ nam = \"cpu_sym\"; } );",
     ":3: unknown key 'nam' of a kernel; did you mean 'name'?"},
    {PROBLEM "kernels = ( { name = \"cpu_sym_exact\";\n lable = \"x\"; } );",
     ":3: unknown key 'lable' of kernel \"cpu_sym_exact\"; did you "
     "mean 'label'?"},
    {PROBLEM "kernels = ( { name = \"cpu_sym_exact\";\n block = 4; } );",
     ":3: unknown key 'block' of kernel \"cpu_sym_exact\""},
    {PROBLEM "kernels = ( { name = \"cpu_sym_bitwise\";\n form = \"diagonal\"; } );",
     ":3: form of kernel \"cpu_sym_bitwise\" wants \"auto\", \"diagonals\", \"blocks\" or "
     "\"general\", not \"diagonal\"; did you mean 'diagonals'?"},
    {PROBLEM "kernels = ( { name = \"cpu_sym_bitwise\";\n form = 1; } );",
     ":3: form of kernel \"cpu_sym_bitwise\" wants \"auto\", \"diagonals\", \"blocks\" or "
     "\"general\", not 1"},
    {PROBLEM "kernels = ( { name = \"cpu_sym_bitwise\";\n compres = 4; } );",
     ":3: unknown key 'compres' of kernel \"cpu_sym_bitwise\"; did you mean 'compress'?"},
    {PROBLEM KERNELS "repeats = 3;\n\nrepeats = 4;",
     ":5: the key 'repeats' is given twice, first on line 3"},
    {PROBLEM KERNELS "solver = { tolerance = 1e-3; max_iterations = 1;\n x = { tolerance = 1; };\n "
                     "tolerance = 1e-4; };",
     ":5: the key 'tolerance' is given twice, first on line 3"},
    {"kernels = ();\n" PROBLEM PROBLEM, ":3: the key 'problem' is given twice, first on line 2"},
    {KERNELS, ": the group 'problem' is missing"},
    {PROBLEM, ": kernels is missing: it wants a list ( \"NAME\", ... )"},
    {"", ": the group 'problem' is missing"},
    {"# nothing\n", ": the group 'problem' is missing"},
    {KERNELS "\nproblem = { n = 4; };",
     ":3: problem.type is missing: it wants \"poisson3d\", \"fe_sheet\", \"fe_cube\", "
     "\"elasticity3d\", \"network\", \"feature_graph\", \"tied\", \"layers\", \"fe_brick\", "
     "\"lattice4d\", \"grid2d\", \"power_law\", "
     "\"chains\", \"stand_in\", \"convection3d\" or \"mtx\""},
    {KERNELS "problem = { type = \"poisson3d\"; };",
     ":2: problem.n is missing for type \"poisson3d\": it wants one for all, or a list of 3, each "
     "a whole number, 1..2147483647"},
    {KERNELS "problem = { type = \"mtx\"; };",
     ":2: problem.path is missing for type \"mtx\": it wants a string"},
    {KERNELS "problem = { type = \"mtx\"; path = \"p\";\n n = 4; };",
     ":3: problem.n is for type \"poisson3d\", \"fe_sheet\", \"fe_cube\", "
     "\"elasticity3d\", \"network\", \"feature_graph\", \"tied\", \"layers\", \"fe_brick\", "
     "\"lattice4d\", \"grid2d\", "
     "\"power_law\", \"chains\" or "
     "\"convection3d\", not \"mtx\""},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4;\n unknowns = 4; };",
     ":3: problem.unknowns is for type \"fe_sheet\", \"fe_cube\" or \"fe_brick\", not "
     "\"poisson3d\""},
    {KERNELS "problem = { type = \"fe_cube\"; n = 4;\n jump = 4; };",
     ":3: problem.jump is for type \"poisson3d\" or \"elasticity3d\", not \"fe_cube\""},
    {KERNELS "problem = { type = \"fe_sheet\"; };",
     ":2: problem.n is missing for type \"fe_sheet\": it wants one for all, or a list of 2, each "
     "a whole number, 1..2147483647"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4;\n numbering = \"random\"; };",
     ":3: problem.numbering is for type \"fe_sheet\", \"fe_cube\", \"fe_brick\" or \"chains\", not "
     "\"poisson3d\""},
    {KERNELS "problem = { type = \"elasticity3d\"; n = [4, 4]; };",
     ":2: problem.n: one number is wanted, or one for each axis"},
    {KERNELS "problem = { type = \"elasticity3d\"; n = [1, 2, 3, 4]; };",
     ":2: problem.n wants a list of up to 3, each a whole number, 1..2147483647, not a list of 4"},
    {KERNELS "problem = { type = \"elasticity3d\"; n = [8, 4, 4];\n shape = \"beam\"; };",
     ":3: problem.shape: a beam or a plate is made of one number, problem.n"},
    {KERNELS "problem = { type = \"elasticity3d\"; poisson_ratio = 0.5; };",
     ":2: problem.poisson_ratio wants a real in (-1, 0.5), not 0.5"},
    {KERNELS "problem = { type = \"network\"; n = 4; ground = 0.0; };",
     ":2: problem.ground wants a real in (0, 1e+100], not 0.0"},
    {KERNELS "problem = { type = \"tied\"; n = 7; };",
     ":2: problem.n: an even number of nodes, from 4 on, is wanted"},
    {KERNELS "problem = { type = \"layers\"; n = [4, 8]; };",
     ": problem.joined: an even number from 2 to the width of a layer is wanted"},
    {KERNELS "problem = { type = \"convection3d\"; n = 4;\n velocity = [0, 0, 0]; };",
     ":3: problem.velocity: not every component can be 0"},
    {KERNELS "problem = { type = \"convection3d\";\n n = 2000; };",
     ":3: problem.n: the product of the sizes passes 2147483647 rows"},
    {KERNELS "problem = { type = \"stand_in\"; name = \"quarks\"; };",
     ":2: problem.name wants \"protein\", \"spheres\", \"cantilever\", \"wind_tunnel\", "
     "\"harbor\", "
     "\"qcd\", \"ship\", \"economics\", \"epidemiology\", \"accelerator\", \"circuit\", "
     "\"webbase\", \"power_law\", \"dense_row\", \"empty_rows\", \"kmer\" or \"circuit5m\", not "
     "\"quarks\""},
    {KERNELS "problem = { type = \"stand_in\";\n name = \"ship\"; kind = \"general\"; };",
     ":3: problem.name: this one exists only with problem.kind = \"symmetric\""},
    {KERNELS "problem = { type = \"stand_in\";\n name = \"dense_row\"; };",
     ":3: problem.name: empty and dense rows exist only with problem.kind = \"general\": a "
     "symmetric "
     "matrix stores every diagonal entry"},
    {KERNELS "problem = { type = \"stand_in\"; name = \"qcd\"; scale = 1e6; };",
     ":2: problem.name: with that problem.scale it passes 2147483647 rows"},
    {KERNELS "problem = { type = \"power_law\"; n = 100; mean = 200.0; };",
     ":2: problem.n: problem.mean must lie within 0 to problem.n"},
    {KERNELS "problem = { type = \"power_law\"; n = 100; mean = 20; deviation = 90; };",
     ":2: problem.n: no rows of that kind have problem.mean, problem.deviation and "
     "problem.longest: take a smaller deviation, a longer row, or another problem.tail"},
    {KERNELS "problem = { type = \"chains\"; n = 100;\n rows = \"equal\"; };",
     ":3: problem.rows: \"equal\" is only for problem.kind = \"general\""},
    {KERNELS "problem = { type = \"lattice4d\"; n = [4, 4, 4, 3]; };",
     ":2: problem.n: the first three must be at least 3, the last one even, and twelve times their "
     "product at most 2147483647"},
    {KERNELS "problem = { type = \"grid2d\"; n = 50000; };",
     ":2: problem.n: the product of the sizes passes 2147483647 rows"},
    {KERNELS "problem = { type = \"fe_brick\"; n = 4; density = [0.5, 0.4]; };",
     ":2: problem.n: problem.density wants two numbers from 0 to 1, the smaller one first"},
    {PROBLEM KERNELS "rhs = { type = \"unit\"; row = 0; };",
     ":3: rhs.row wants a whole number, 1..2147483647, not 0"},
    {KERNELS "problem = { type = \"fe_cube\"; n = 4; unknown = 3; };",
     ":2: unknown key 'problem.unknown'; did you mean 'unknowns'?"},
    {PROBLEM KERNELS "rhs = { path = \"b\"; };", ":3: rhs.path is for type \"file\", not \"ones\""},
    {PROBLEM KERNELS "rhs = { type = \"random\";\n x = \"ones\"; };",
     ":4: rhs.x is for type \"solution\", not \"random\""},
    {PROBLEM KERNELS "rhs = { seed = 1; };",
     ":3: rhs.seed is for type \"random\" or \"solution\", not \"ones\""},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4;\n asymmetry = 0.5; };",
     ":3: problem.asymmetry is for type \"mtx\", not \"poisson3d\""},
    {PROBLEM KERNELS "rhs = { type = \"file\"; };",
     ":3: rhs.path is missing for type \"file\": it wants a string"},
};

/* Values of the wrong type or out of range. */
static const struct fault values[] = {
    {PROBLEM KERNELS "solver = 5;", ":3: solver wants a group { ... }, not 5"},
    {PROBLEM KERNELS "solver = ( 1, 2 );", ":3: solver wants a group { ... }, not a list of 2"},
    {PROBLEM KERNELS "repeats = { x = 1; };",
     ":3: repeats wants a whole number, 1..1000000000, not a group"},
    {PROBLEM KERNELS "repeats = 8.0;", ":3: repeats wants a whole number, 1..1000000000, not 8.0"},
    {PROBLEM KERNELS "repeats = 2.5;", ":3: repeats wants a whole number, 1..1000000000, not 2.5"},
    {PROBLEM KERNELS "repeats = 0;", ":3: repeats wants a whole number, 1..1000000000, not 0"},
    {PROBLEM KERNELS "repeats = \"8\";",
     ":3: repeats wants a whole number, 1..1000000000, not the string \"8\""},
    {PROBLEM KERNELS "repeats = true;",
     ":3: repeats wants a whole number, 1..1000000000, not true"},
    {PROBLEM KERNELS "threads = -1;", ":3: threads wants a whole number, 0..4096, not -1"},
    {PROBLEM KERNELS "threads = 4097;", ":3: threads wants a whole number, 0..4096, not 4097"},
    {PROBLEM KERNELS "devices = [0, -1];", ":3: devices wants a list of up to 32, each a whole "
                                           "number, 0..1023, not -1"},
    {PROBLEM KERNELS "devices = [];", ":3: devices wants a list of up to 32, each a whole "
                                      "number, 0..1023, not a list of 0"},
    {PROBLEM KERNELS "devices = \"all\";", ":3: devices wants a list of up to 32, each a whole "
                                           "number, 0..1023, not the string \"all\""},
    {PROBLEM KERNELS "threads = 1;\ndevices = [1, 0, 1];",
     ":4: devices: a device stands there twice"},
    {PROBLEM KERNELS "solver = { max_iterations = -1; };",
     ":3: solver.max_iterations wants a whole number, at least 0, not -1"},
    {PROBLEM KERNELS "solver = { max_iterations = 1e3; };",
     ":3: solver.max_iterations wants a whole number, at least 0, not 1000.0"},
    {PROBLEM KERNELS "solver = { tolerance = 0; };",
     ":3: solver.tolerance: must be above 0 where absolute_tolerance is 0"},
    {PROBLEM KERNELS "solver = { tolerance = 0;\n absolute_tolerance = 0; };",
     ":3: solver.tolerance: must be above 0 where absolute_tolerance is 0"},
    {PROBLEM KERNELS "solver = { absolute_tolerance = -1; };",
     ":3: solver.absolute_tolerance wants a real in [0, 1e+300], not -1"},
    {PROBLEM KERNELS "solver = { method = \"lanczos\"; absolute_tolerance = 1; };",
     ":3: solver.absolute_tolerance is for method \"cg\", \"minres\", \"skew\" or "
     "\"richardson\", not \"lanczos\""},
    {PROBLEM KERNELS "solver = { tolerance = 1; };",
     ":3: solver.tolerance wants a real in [0, 1), not 1"},
    {PROBLEM KERNELS "solver = { tolerance = -1e-8; };",
     ":3: solver.tolerance wants a real in [0, 1), not -1e-08"},
    {PROBLEM KERNELS "solver = { tolerance = \"1e-8\"; };",
     ":3: solver.tolerance wants a real in [0, 1), not the string \"1e-8\""},
    {PROBLEM KERNELS "solver = { tolerance = [1e-8]; };",
     ":3: solver.tolerance wants a real in [0, 1), not a list of 1"},
    {PROBLEM KERNELS "solver = { method = \"minres\";\n shift = 1.0; };",
     ":4: solver.shift is for method \"skew\", not \"minres\""},
    {PROBLEM KERNELS "solver = { method = \"gc\"; };",
     ":3: solver.method wants \"cg\", \"minres\", \"skew\", \"richardson\" or \"lanczos\", not "
     "\"gc\"; did you "
     "mean 'cg'?"},
    {PROBLEM KERNELS "solver = { reductions = \"reproducable\"; };",
     ":3: solver.reductions wants \"reproducible\", \"atomic\", \"blas\", \"compensated\" or "
     "\"exact\", not \"reproducable\"; did you mean 'reproducible'?"},
    {PROBLEM KERNELS "solver = { reductions = \"kahan\"; };",
     ":3: solver.reductions wants \"reproducible\", \"atomic\", \"blas\", \"compensated\" or "
     "\"exact\", not \"kahan\""},
    {PROBLEM KERNELS "solver = { reductions = 1; };",
     ":3: solver.reductions wants \"reproducible\", \"atomic\", \"blas\", \"compensated\" or "
     "\"exact\", not 1"},
    {PROBLEM KERNELS "rhs = { type = \"onse\"; };",
     ":3: rhs.type wants \"ones\", \"unit\", \"random\", \"solution\" or \"file\", not \"onse\"; "
     "did you "
     "mean 'ones'?"},
    {PROBLEM KERNELS "rhs = { type = \"random\"; seed = -1; };",
     ":3: rhs.seed wants a whole number, at least 0, not -1"},
    {PROBLEM KERNELS "rhs = { type = \"solution\"; x = \"file\"; };",
     ":3: rhs.x wants \"ones\" or \"random\", not \"file\""},
    {PROBLEM KERNELS "output = { directory = \"\"; };", ":3: output.directory is empty"},
    {PROBLEM KERNELS "output = { report = 1; };", ":3: output.report wants true or false, not 1"},
    {PROBLEM KERNELS "output = { directory = 7; };", ":3: output.directory wants a string, not 7"},
    {KERNELS "problem = { type = \"posson3d\"; n = 4; };",
     ":2: problem.type wants \"poisson3d\", \"fe_sheet\", \"fe_cube\", "
     "\"elasticity3d\", \"network\", \"feature_graph\", \"tied\", "
     "\"layers\", \"fe_brick\", \"lattice4d\", \"grid2d\", \"power_law\", \"chains\", "
     "\"stand_in\", "
     "\"convection3d\" "
     "or "
     "\"mtx\", not \"posson3d\"; did you mean 'poisson3d'?"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 0; };",
     ":2: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not 0"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4.0; };",
     ":2: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not "
     "4.0"},
    {KERNELS "problem = { type = \"poisson3d\"; n = [4, 4]; };",
     ":2: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not a "
     "list of 2"},
    {KERNELS "problem = { type = \"poisson3d\"; n = (4, 4, 4, 4); };",
     ":2: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not a "
     "list of 4"},
    {KERNELS "problem = { type = \"poisson3d\"; n = (4,\n 4.5,\n 4); };",
     ":3: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not "
     "4.5"},
    {KERNELS "problem = { type = \"poisson3d\"; n = (4,\n \"x\"\n,\n 4); };",
     ":3: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not the "
     "string \"x\""},
    {KERNELS "problem = { type = \"poisson3d\"; n = []; };",
     ":2: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not a "
     "list of 0"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 20000; };",
     ":2: problem.n: the product of the sizes passes 1099511627776 rows"},
    {KERNELS "problem = { type = \"poisson3d\";\n n = (2, 1073741824, 1000); };",
     ":3: problem.n: the product of the sizes passes 1099511627776 rows"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4;\n anisotropy = (0, 0.0, 0); };",
     ":3: problem.anisotropy: not every weight can be 0"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4; anisotropy = (1, -1, 0); };",
     ":2: problem.anisotropy wants a list of 3, each a real in [0, 1e+100], not -1"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4; anisotropy = 1; };",
     ":2: problem.anisotropy wants a list of 3, each a real in [0, 1e+100], not 1"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4; anisotropy = (1, 1); };",
     ":2: problem.anisotropy wants a list of 3, each a real in [0, 1e+100], not a list of 2"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4; jump = 0; };",
     ":2: problem.jump wants a real in [1e-100, 1e+100], not 0"},
    {KERNELS "problem = { type = \"fe_sheet\"; n = (4, 4, 4); };",
     ":2: problem.n wants one for all, or a list of 2, each a whole number, 1..2147483647, not a "
     "list of 3"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4;\n reorder = \"rcm2\"; };",
     ":3: problem.reorder wants \"none\", \"rcm\" or \"metis\", not \"rcm2\"; did you mean 'rcm'?"},
    {KERNELS "problem = { type = \"mtx\"; path = \"p\";\n reorder = true; };",
     ":3: problem.reorder wants \"none\", \"rcm\" or \"metis\", not true"},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4; reorder = \"rcm\";\n parts = 4; };",
     ":3: problem.parts is for reorder \"metis\", not \"rcm\""},
    {KERNELS "problem = { type = \"poisson3d\"; n = 4; reorder = \"metis\";\n parts = 0; };",
     ":3: problem.parts wants a whole number, 1..2147483647, not 0"},
    {KERNELS "problem = { type = \"fe_cube\"; n = 4;\n diagonals = \"randm\"; };",
     ":3: problem.diagonals wants \"regular\" or \"random\", not \"randm\"; did you mean "
     "'random'?"},
    {KERNELS "problem = { type = \"fe_sheet\"; n = 4;\n numbering = \"rcm\"; };",
     ":3: problem.numbering wants \"natural\" or \"random\", not \"rcm\""},
    {KERNELS "problem = { type = \"fe_cube\"; n = (4, 4); };",
     ":2: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not a "
     "list of 2"},
    {KERNELS "problem = { type = \"fe_cube\"; n = (4, 4, 0); };",
     ":2: problem.n wants one for all, or a list of 3, each a whole number, 1..2147483647, not 0"},
    {KERNELS "problem = { type = \"fe_cube\"; unknowns = 4;\n n = 813; };",
     ":3: problem.n: the product of the sizes and of problem.unknowns passes 2147483647 rows"},
    {KERNELS "problem = { type = \"fe_sheet\"; n = 4; unknowns = 9; };",
     ":2: problem.unknowns wants a whole number, 1..8, not 9"},
    {KERNELS "problem = { type = \"fe_sheet\"; n = 4; shift = 0; };",
     ":2: problem.shift wants a real in [1e-10, 1e+100], not 0"},
    {KERNELS "problem = { type = \"fe_sheet\"; n = 4; seed = -1; };",
     ":2: problem.seed wants a whole number, at least 0, not -1"},
    {KERNELS "problem = { type = \"mtx\"; path = \"p\"; asymmetry = 1; };",
     ":2: problem.asymmetry wants a real in [0, 1), not 1"},
    {KERNELS "problem = { type = \"mtx\"; path = \"p\"; asymmetry = -0.5; };",
     ":2: problem.asymmetry wants a real in [0, 1), not -0.5"},
};

/* The list of kernels. */
static const struct fault references[] = {
    {PROBLEM KERNELS "reference = { mode = \"bitwise\"; };",
     ":3: reference.history is missing: it wants a string"},
    {PROBLEM KERNELS "reference = { };", ":3: reference.history is missing: it wants a string"},
    {PROBLEM KERNELS "reference = { history = \"\"; };", ":3: reference.history is empty"},
    {PROBLEM KERNELS "reference = \"r.csv\";",
     ":3: reference wants a group { ... }, not the string \"r.csv\""},
    {PROBLEM KERNELS "reference = { history = \"r\"; mode = \"bits\"; };",
     ":3: reference.mode wants \"bitwise\", \"ulps\" or \"relative\", not \"bits\""},
    {PROBLEM KERNELS "reference = { history = \"r\";\ntolerance = 1; };",
     ":4: reference.tolerance is for mode \"ulps\" or \"relative\", not \"bitwise\""},
    {PROBLEM KERNELS "reference = { history = \"r\"; mode = \"relative\"; };",
     ":3: reference.tolerance is missing for mode \"relative\": it wants a real in [0, 1e+300]"},
    {PROBLEM KERNELS "reference = { history = \"r\"; mode = \"ulps\"; tolerance = 0.5; };",
     ":3: reference.tolerance wants a whole number, at least 0, not 0.5"},
    {PROBLEM KERNELS "reference = { history = \"r\"; mode = \"relative\"; tolerance = -1; };",
     ":3: reference.tolerance wants a real in [0, 1e+300], not -1"},
    {PROBLEM KERNELS "reference = { history = \"r\"; iterations = -1; };",
     ":3: reference.iterations wants a whole number, at least 0, not -1"},
    {PROBLEM KERNELS "reference = { histroy = \"r\"; };",
     ":3: unknown key 'reference.histroy'; did you mean 'history'?"},
};

static const struct fault kernels[] = {
    {PROBLEM "kernels = \"cpu_sym\";",
     ":2: kernels wants a list ( \"NAME\", ... ), not the string \"cpu_sym\""},
    {PROBLEM "kernels = { name = \"cpu_sym\"; };",
     ":2: kernels wants a list ( \"NAME\", ... ), not a group"},
    {PROBLEM "kernels = ( );", ":2: kernels is an empty list: name at least one"},
    {PROBLEM "kernels = ( \"cpu_sym\",\n 5 );",
     ":3: kernels wants names in quotes and groups { name = ...; }, not 5"},
    {PROBLEM "kernels = (\n \"cpu_sym\",\n \"cpu_smy_bitwise\"\n);",
     ":4: unknown kernel \"cpu_smy_bitwise\"; did you mean 'cpu_sym_bitwise'?"},
    {PROBLEM "kernels = ( \"elephant\" );", ":2: unknown kernel \"elephant\""},
    {PROBLEM "kernels = ( { name = 5; } );", ":2: the name of a kernel wants a string, not 5"},
    {PROBLEM "kernels = ( { label = \"x\"; } );", ":2: the kernel's group has no name"},
    {PROBLEM "kernels = ( \"cpu_sym\",\n \"cpu_csr\",\n \"cpu_sym\" );",
     ":4: two kernels are labelled 'cpu_sym', first on line 2: give each its own label"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"a\"; },\n { name = \"cpu_sym\"; label = "
             "\"a\"; } );",
     ":3: two kernels are labelled 'a', first on line 2: give each its own label"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"\"; } );",
     ":2: the label of a kernel is empty"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"a,b\"; } );",
     ":2: the label 'a,b' must be UTF-8 without comma, quote or control character"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"a\\\"b\"; } );",
     ":2: the label 'a\"b' must be UTF-8 without comma, quote or control character"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"a\\nb\"; } );",
     ":2: the label 'a?b' must be UTF-8 without comma, quote or control character"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"a\xff\"; } );",
     ":2: the label 'a?' must be UTF-8 without comma, quote or control character"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"a\xc2\x9b.\"; } );",
     ":2: the label 'a??.' must be UTF-8 without comma, quote or control character"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"\xef\xbf\xbf.\"; } );",
     ":2: the label '???.' must be UTF-8 without comma, quote or control character"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"a\xe2\x80\xae.\"; } );",
     ":2: the label 'a???.' must be UTF-8 without comma, quote or control character"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"=1+1\"; } );",
     ":2: the label '=1+1' begins with '=', which a spreadsheet takes for a formula"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"+a\"; } );",
     ":2: the label '+a' begins with '+', which a spreadsheet takes for a formula"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"-a\"; } );",
     ":2: the label '-a' begins with '-', which a spreadsheet takes for a formula"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = \"@a\"; } );",
     ":2: the label '@a' begins with '@', which a spreadsheet takes for a formula"},
    {PROBLEM "kernels = ( { name = \"cpu_csr\"; label = 1; } );",
     ":2: the label of a kernel wants a string, not 1"},
};

START_TEST(faults_of_keys)
{
    EXPECT_FAULTS(keys);
}
END_TEST

START_TEST(faults_of_values)
{
    EXPECT_FAULTS(values);
}
END_TEST

START_TEST(faults_of_references)
{
    EXPECT_FAULTS(references);
}
END_TEST

START_TEST(faults_of_kernels)
{
    EXPECT_FAULTS(kernels);
}
END_TEST

/* The range is the kernel's own. */
START_TEST(parameters_out_of_range)
{
    const struct parameter *chunk = kernel_find("cpu_sym_atomic")->component.parameters;
    char config[512], message[512], range[128];
    if (chunk->most == INT64_MAX)
        snprintf(range, sizeof range, "at least %lld", (long long)chunk->least);
    else
        snprintf(range, sizeof range, "%lld..%lld", (long long)chunk->least,
                 (long long)chunk->most);
    char below[32];
    snprintf(below, sizeof below, "%lld", (long long)chunk->least - 1);
    const char *const wrong[][2] = {
        {below, below}, {"1.5", "1.5"}, {"\"x\"", "the string \"x\""}, {"(1)", "a list of 1"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        snprintf(config, sizeof config,
                 PROBLEM "kernels = ( { name = \"cpu_sym_atomic\";\n %s = %s; } );", chunk->name,
                 wrong[k][0]);
        snprintf(message, sizeof message,
                 ":3: %s of kernel \"cpu_sym_atomic\" wants a whole number, %s, not %s",
                 chunk->name, range, wrong[k][1]);
        expect_fault(temporary_file("run.cfg", config, -1), message);
    }
}
END_TEST

Suite *suite(void)
{
    const TTest *const tests[] = {faults_of_keys,    faults_of_values,        faults_of_references,
                                  faults_of_kernels, parameters_out_of_range, NULL};
    return suite_of("program/config/faults", tests);
}
