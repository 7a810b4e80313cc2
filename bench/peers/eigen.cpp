// Eigen's side of the contests of bench/products.sh.
//
//     eigen product THREADS upper|full [KEY=VALUE]... CONFIG
//
// upper: selfadjointView<Upper>, which has one thread, whatever THREADS says; full: row-major, with
// OpenMP.
#include "base/clock.h"
#include "bench/support/contest.h"
#include "matrix/csr.h"

#include <Eigen/Sparse>

#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace
{

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using Vector = Eigen::Map<Eigen::VectorXd>;

struct competitor {
    contest shared;
    bool upper;
    Matrix A;
};

void multiply(const competitor &own)
{
    Vector x(own.shared.x, own.shared.n), y(own.shared.result, own.shared.n);
    if (own.upper)
        y.noalias() = own.A.selfadjointView<Eigen::Upper>() * x;
    else
        y.noalias() = own.A * x;
}

double batch(void *context, int64_t times)
{
    const auto &own = *static_cast<competitor *>(context);
    multiply(own);
    double begin = clock_seconds();
    for (int64_t k = 0; k < times; k++)
        multiply(own);
    return (clock_seconds() - begin) / (double)times;
}

// Its offsets are 32 bits wide.
enum status copy(const csr &from, Matrix &to, struct error *error)
{
    if (from.nnz > std::numeric_limits<int>::max())
        return error_set(error, STATUS_CONFIG, "more entries than an int can count");
    std::vector<int> offsets(from.offsets, from.offsets + from.n + 1);
    to = Eigen::Map<const Matrix>(from.n, from.n, from.nnz, offsets.data(), from.columns,
                                  from.values);
    return STATUS_OK;
}

enum status create(competitor &own, struct error *error)
{
    if (own.upper)
        return copy(own.shared.system.A, own.A, error);
    csr full;
    enum status status = csr_expand(&own.shared.system.A, &full, error);
    if (!status)
        status = copy(full, own.A, error);
    csr_free(&full);
    return status;
}

enum status compete(competitor &own, int argc, char *argv[], struct error *error)
{
    contest &shared = own.shared;
    enum status status = contest_open(argc, argv, &shared, error);
    if (!status && shared.cg)
        status = error_set(error, STATUS_CONFIG, "Eigen's solver is not compared");
    if (!status)
        status = create(own, error);
    if (status)
        return status;
    contest_drop_matrix(&shared);
    Eigen::setNbThreads(shared.threads);
    double bytes =
        12.0 * (double)own.A.nonZeros() + 4.0 * (double)shared.n + 16.0 * (double)shared.n;
    std::string library = "Eigen " + std::to_string(EIGEN_WORLD_VERSION) + "." +
                          std::to_string(EIGEN_MAJOR_VERSION) + "." +
                          std::to_string(EIGEN_MINOR_VERSION);
    return contest_compete(&shared, library.c_str(), bytes, batch, &own, error);
}

} // namespace

int main(int argc, char *argv[])
{
    struct error error;
    competitor own = {};
    if (argc < 5) {
        std::fprintf(stderr, "usage: eigen product THREADS upper|full [KEY=VALUE]... CONFIG\n");
        return 2;
    }
    own.upper = std::strcmp(argv[3], "upper") == 0;
    argv[3] = argv[2]; // what the contest reads stands together
    argv[2] = argv[1];
    argv[1] = argv[0];
    enum status status = compete(own, argc - 1, argv + 1, &error);
    contest_close(&own.shared);
    return contest_end(status, &error);
}
