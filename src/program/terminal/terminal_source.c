#include "program/terminal/terminal.h"

#include "base/text.h"

#include <inttypes.h>

static void print_convection3d(FILE *stream, const struct convection3d *convection)
{
    const int64_t *n = convection->n;
    const double *velocity = convection->velocity;
    fprintf(stream,
            "convection3d, %" PRId64 " x %" PRId64 " x %" PRId64 ", velocity %.6g, %.6g, %.6g",
            n[0], n[1], n[2], velocity[0], velocity[1], velocity[2]);
}

static void print_poisson3d(FILE *stream, const struct poisson3d *p)
{
    fprintf(stream, "poisson3d, %" PRId64 " x %" PRId64 " x %" PRId64, p->n[0], p->n[1], p->n[2]);
    if (p->weights[0] != 1 || p->weights[1] != 1 || p->weights[2] != 1)
        fprintf(stream, ", weights %g, %g, %g", p->weights[0], p->weights[1], p->weights[2]);
    if (p->jump != 1)
        fprintf(stream, ", jump %g", p->jump);
}

static void print_fe_mesh(FILE *stream, const char *type, const struct fe_mesh *mesh)
{
    fprintf(stream, "%s, %" PRId64 " x %" PRId64, type, mesh->n[0], mesh->n[1]);
    if (mesh->n[2] != 0)
        fprintf(stream, " x %" PRId64, mesh->n[2]);
    fprintf(stream, " nodes, %" PRId64 " unknown%s a node, shift %g, seed %" PRId64, mesh->unknowns,
            text_plural(mesh->unknowns), mesh->shift, mesh->seed);
    if (mesh->diagonals == FE_MESH_RANDOM_DIAGONALS)
        fprintf(stream, ", random diagonals");
    if (mesh->numbering == FE_MESH_RANDOM_NUMBERING)
        fprintf(stream, ", random numbering");
}

static void print_network(FILE *stream, const struct network *network)
{
    fprintf(stream,
            "network, %" PRId64 " x %" PRId64 " x %" PRId64 ", %" PRId64
            " decade%s, ground %.6g, seed %" PRId64,
            network->n[0], network->n[1], network->n[2], network->decades,
            text_plural(network->decades), network->ground, network->seed);
    if (network->scaling > 0)
        fprintf(stream, ", scaled over %" PRId64 " decade%s", network->scaling,
                text_plural(network->scaling));
}

static void print_pattern(FILE *stream, const struct pattern_options *pattern)
{
    if (pattern->kind == PATTERN_SYMMETRIC)
        fprintf(stream, ", shift %.6g", pattern->shift);
    else
        fprintf(stream, ", general%s", pattern->rows == PATTERN_EQUAL ? ", rows made equal" : "");
    fprintf(stream, ", seed %" PRId64, pattern->seed);
}

static void print_fe_brick(FILE *stream, const struct fe_brick *mesh)
{
    fprintf(stream,
            "fe_brick, %" PRId64 " x %" PRId64 " x %" PRId64 " nodes, %" PRId64
            " unknown%s a node, reach %" PRId64 ", density %.6g to %.6g",
            mesh->n[0], mesh->n[1], mesh->n[2], mesh->unknowns, text_plural(mesh->unknowns),
            mesh->reach, mesh->density[0], mesh->density[1]);
    if (mesh->hubs > 0)
        fprintf(stream, ", hubs %.6g", mesh->hubs);
    if (mesh->fixed > 0)
        fprintf(stream, ", fixed %.6g", mesh->fixed);
    if (mesh->numbering == FE_BRICK_RANDOM_LINES)
        fprintf(stream, ", random numbering");
}

static void print_power_law(FILE *stream, const struct power_law *law)
{
    fprintf(stream,
            "power_law, %" PRId64 " rows of %.6g +- %.6g entries, up to %" PRId64
            ", tail %.6g, span %.6g",
            law->n, law->mean, law->deviation, law->longest, law->tail, law->span);
    if (law->empty > 0)
        fprintf(stream, ", empty %.6g", law->empty);
    if (law->dense > 0)
        fprintf(stream, ", %" PRId64 " dense", law->dense);
}

static void print_chains(FILE *stream, const struct chains *chains)
{
    fprintf(stream, "chains, %" PRId64 " nodes, cuts %.6g, branches %.6g%s", chains->n,
            chains->cuts, chains->branches,
            chains->numbering == CHAINS_RANDOM ? ", random numbering" : "");
}

static void print_file(FILE *stream, const char *path, const struct matrix_market_report *file)
{
    char shown[1024];
    fprintf(stream, "%s, %s %s, %" PRId64 " entries", shown_text(path, shown, sizeof shown),
            file->field, file->symmetry, file->entries);
    if (file->duplicates > 0)
        fprintf(stream, ", %" PRId64 " of them duplicate%s, added up", file->duplicates,
                text_plural(file->duplicates));
    if (file->averaged_pairs > 0)
        fprintf(stream, ", %" PRId64 " pair%s replaced by their mean (asymmetry up to %.3g)",
                file->averaged_pairs, text_plural(file->averaged_pairs), file->asymmetry);
}

void terminal_print_source(FILE *stream, const struct problem_settings *problem,
                           const struct matrix_market_report *file)
{
    switch (problem->type) {
    case PROBLEM_POISSON3D:
        print_poisson3d(stream, &problem->poisson3d);
        return;
    case PROBLEM_FE_SHEET:
    case PROBLEM_FE_CUBE:
        print_fe_mesh(stream, problem_type_name(problem->type), &problem->fe_mesh);
        return;
    case PROBLEM_NETWORK:
        print_network(stream, &problem->network);
        return;
    case PROBLEM_TIED:
        fprintf(stream, "tied, %" PRId64 " nodes, ground %.6g, seed %" PRId64, problem->tied.n,
                problem->tied.ground, problem->tied.seed);
        return;
    case PROBLEM_LAYERS:
        fprintf(stream, "layers, %" PRId64 " of %" PRId64 " nodes, joined with %" PRId64,
                problem->layers.n[0], problem->layers.n[1], problem->layers.joined);
        return;
    case PROBLEM_FE_BRICK:
        print_fe_brick(stream, &problem->fe_brick);
        break;
    case PROBLEM_LATTICE4D: {
        const int64_t *n = problem->lattice4d.n;
        fprintf(stream, "lattice4d, %" PRId64 " x %" PRId64 " x %" PRId64 " x %" PRId64 " sites",
                n[0], n[1], n[2], n[3]);
        break;
    }
    case PROBLEM_GRID2D:
        fprintf(stream, "grid2d, %" PRId64 " x %" PRId64, problem->grid2d.n[0],
                problem->grid2d.n[1]);
        break;
    case PROBLEM_POWER_LAW:
        print_power_law(stream, &problem->power_law);
        break;
    case PROBLEM_CHAINS:
        print_chains(stream, &problem->chains);
        break;
    case PROBLEM_STAND_IN:
        fprintf(stream, "stand_in, %s, scale %.6g", stand_in_names[problem->stand_in.name],
                problem->stand_in.scale);
        break;
    case PROBLEM_CONVECTION3D:
        print_convection3d(stream, &problem->convection3d);
        return;
    case PROBLEM_MTX:
        print_file(stream, problem->path, file);
        return;
    }
    print_pattern(stream, &problem->pattern);
}
