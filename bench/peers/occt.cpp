/*
 * `tact-bench-occt FILE ROUNDS`: distances of pairs of surfaces (surface_pair_write) with Open CASCADE,
 * BRepExtrema_DistShapeShape on one face each. Prints for each pair its least CPU time in ns and the distance. A
 * program of its own, like tact-cad.
 */
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepExtrema_DistShapeShape.hxx>
#include <Geom_BSplineSurface.hxx>
#include <TColStd_Array1OfInteger.hxx>
#include <TColStd_Array1OfReal.hxx>
#include <TColStd_Array2OfReal.hxx>
#include <TColgp_Array2OfPnt.hxx>
#include <TopoDS_Face.hxx>

static double now()
{
    timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    (void)std::fprintf(stderr, "tact-bench-occt: %s\n", what);
    std::exit(1);
}

static TopoDS_Face read_surface(FILE *from)
{
    int degree[2], counts[2], rational;
    require(std::fscanf(from, "%d %d %d %d %d", &degree[0], &degree[1], &counts[0], &counts[1], &rational) == 5,
            "surface");
    std::vector<double> knots[2];
    std::vector<int> multiplicities[2];
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < counts[d] + degree[d] + 1; i++) {
            double knot;
            require(std::fscanf(from, "%lf", &knot) == 1, "knots");
            if (knots[d].empty() || knots[d].back() != knot) {
                knots[d].push_back(knot);
                multiplicities[d].push_back(0);
            }
            multiplicities[d].back()++;
        }
    TColgp_Array2OfPnt points(1, counts[0], 1, counts[1]);
    TColStd_Array2OfReal weights(1, counts[0], 1, counts[1]);
    for (int i = 1; i <= counts[0]; i++)
        for (int j = 1; j <= counts[1]; j++) {
            double p[4];
            require(std::fscanf(from, "%lf %lf %lf %lf", &p[0], &p[1], &p[2], &p[3]) == 4, "points");
            points.SetValue(i, j, gp_Pnt(p[0], p[1], p[2]));
            weights.SetValue(i, j, p[3]);
        }
    TColStd_Array1OfReal u(knots[0].front(), 1, static_cast<int>(knots[0].size())),
        v(knots[1].front(), 1, static_cast<int>(knots[1].size()));
    TColStd_Array1OfInteger mu(multiplicities[0].front(), 1, u.Length()), mv(multiplicities[1].front(), 1, v.Length());
    const Handle(Geom_BSplineSurface) s =
        new Geom_BSplineSurface(points, weights, u, v, mu, mv, degree[0], degree[1], Standard_False, Standard_False);
    return BRepBuilderAPI_MakeFace(s, 1e-7).Face();
}

int main(int argc, char **argv)
{
    require(argc == 3, "usage: tact-bench-occt FILE ROUNDS");
    const int rounds = std::atoi(argv[2]);
    FILE *from = std::fopen(argv[1], "r");
    char name[64];
    require(from != nullptr && rounds > 0, "cannot begin");
    while (std::fscanf(from, " %63[^\n]", name) == 1) {
        const TopoDS_Face a = read_surface(from), b = read_surface(from);
        double least = 1e300, distance = -1.0;
        for (int round = 0; round < rounds; round++) {
            const double start = now();
            BRepExtrema_DistShapeShape search(a, b);
            const double time = now() - start;
            least = time < least ? time : least;
            distance = search.IsDone() ? search.Value() : -1.0;
        }
        (void)std::printf("%s\n%.0f %a\n", name, least, distance);
    }
    return std::fclose(from) != 0;
}
