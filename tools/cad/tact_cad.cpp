/*
 * tact-cad FILE: writes the faces of a STEP or IGES file to standard output, as the JSON of a NURBS shape.
 *
 * A program of its own, since Open CASCADE crashes on some damaged files, and so that tact needs neither C++ nor Open
 * CASCADE. `tact check` starts it.
 *
 * Every face becomes one surface, in the order of the file, with its place in the assembly. Lengths are in millimetres.
 * Planes, cylinders, cones, spheres, tori, B-splines, extrusions and revolutions become NURBS exactly, up to rounding;
 * others (offset surfaces) are approximated. The edges of a face become trimming loops of curves in the parameter
 * plane. A face whose only loop is the border of its surface has none. An edge that two faces share becomes an element
 * of "edges". If every edge has two faces, or another even number, and every face belongs to a solid, the shape is
 * "solid". Faces that belong to no solid are joined first where their edges coincide.
 *
 * On success one line on standard error: faces, approximated faces, their largest error in samples, and the largest gap
 * between faces along a common edge in samples. On failure one line with the reason, and exit status 1. A face that
 * cannot be converted is a failure: without it a collision could be missed.
 */
#include <BRepAdaptor_Curve.hxx>
#include <BRepBndLib.hxx>
#include <BRepBuilderAPI_MakeSolid.hxx>
#include <BRepBuilderAPI_NurbsConvert.hxx>
#include <BRepBuilderAPI_Sewing.hxx>
#include <BRepClass3d_SolidClassifier.hxx>
#include <BRepLib.hxx>
#include <BRepTools.hxx>
#include <BRepTools_WireExplorer.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <Geom2dConvert.hxx>
#include <Geom2d_BSplineCurve.hxx>
#include <Geom2d_TrimmedCurve.hxx>
#include <GeomAPI_ProjectPointOnSurf.hxx>
#include <GeomConvert.hxx>
#include <Geom_BSplineSurface.hxx>
#include <Geom_OffsetCurve.hxx>
#include <Geom_OffsetSurface.hxx>
#include <Geom_RectangularTrimmedSurface.hxx>
#include <Geom_SweptSurface.hxx>
#include <IGESControl_Reader.hxx>
#include <IGESData_IGESEntity.hxx>
#include <Interface_Check.hxx>
#include <Interface_CheckIterator.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Precision.hxx>
#include <STEPControl_Reader.hxx>
#include <Standard_Failure.hxx>
#include <StepShape_ConnectedFaceSet.hxx>
#include <StepShape_FaceSurface.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_DataMapOfShapeShape.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Iterator.hxx>
#include <TopoDS_Solid.hxx>
#include <Transfer_Binder.hxx>
#include <Transfer_TransientProcess.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

/* Fraction of half the largest extent of a part: the tolerance of its tessellation. */
constexpr double tolerance_fraction = 1.0 / 512.0;

/* Samples along an edge for the gap between faces, and along each parameter for the error of an approximation. */
constexpr int edge_samples = 32, face_samples = 12;

/* Millimetres, ten times the tolerance of GeomConvert: an approximation with a larger distance at the same parameters
 * has other parameters than the original. */
constexpr double largest_same_parameter_error = 1e-3;

/* Millimetres: faces that share no edges, as in most IGES files, are joined at edges that are closer. */
constexpr double sewing_tolerance = 1e-3;

/* Largest degree of a surface or curve: TACT_NURBS_MAX_DEGREE. */
constexpr int max_degree = 15;

/* Fraction of the domain: gaps between consecutive curves of a loop up to this are closed by a straight curve. */
constexpr double largest_loop_gap = 0.01;

/* Fraction of the domain: smaller gaps are left open; tact closes gaps up to 1e-6. */
constexpr double smallest_loop_gap = 5e-7;

/* Fraction of the domain: curves this close to the border lie on it. */
constexpr double border_width = 1e-7;

struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using curve = Handle(Geom2d_BSplineCurve);
using surface = Handle(Geom_BSplineSurface);

/* A curve of a loop and its edge in the file; a curve that closes a gap has none. */
struct edge_curve {
    curve in_plane;
    TopoDS_Shape edge;
};

using loop = std::vector<edge_curve>;

struct domain {
    double low[2], high[2];
    double size(int d) const { return high[d] - low[d]; }
};

/* A curve of a face that follows an edge. */
struct edge_use {
    size_t face, loop, curve;
};

struct conversion {
    size_t faces = 0, approximated = 0;
    double error = 0.0, gap = 0.0;
    TopTools_IndexedMapOfShape edges;
    std::vector<std::vector<edge_use>> uses; /* by edge */
};

/* ---- reading ---- */

std::string content_of(const char *path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw failure("cannot be opened");
    return {std::istreambuf_iterator<char>(file), {}};
}

/* Whether an entity of a file is a face: in IGES a bounded or trimmed surface or a face of a solid. */
bool is_face(const Handle(Standard_Transient) & entity)
{
    const auto iges = Handle(IGESData_IGESEntity)::DownCast(entity);
    if (iges.IsNull())
        return entity->IsKind(STANDARD_TYPE(StepShape_FaceSurface));
    const int type = iges->TypeNumber();
    return type == 143 || type == 144 || type == 510;
}

/* Fails if Open CASCADE left out a face: without it a collision could be missed. */
void check_faces(XSControl_Reader &reader)
{
    const Handle(Interface_InterfaceModel) model = reader.Model();
    const Handle(Transfer_TransientProcess) results = reader.WS()->TransferReader()->TransientProcess();
    Interface_CheckIterator checks = reader.WS()->ModelCheckList();
    for (int i = 1; i <= model->NbEntities(); i++) {
        const Handle(Standard_Transient) entity = model->Value(i);
        const std::string label = model->StringLabel(entity)->ToCString();
        if (is_face(entity)) {
            const Handle(Transfer_Binder) result = results->Find(entity);
            if (result.IsNull() || !result->HasResult())
                throw failure("Open CASCADE cannot read the face " + label);
        }
        if (entity->IsKind(STANDARD_TYPE(StepShape_ConnectedFaceSet)) && checks.CCheck(i)->HasFailed())
            throw failure("Open CASCADE cannot read the shell " + label);
    }
}

/* The shape of a file, after all transforms of its assembly. */
TopoDS_Shape read(XSControl_Reader &reader, const char *path, const char *format)
{
    if (reader.ReadFile(path) != IFSelect_RetDone)
        throw failure(std::string("Open CASCADE cannot read it as ") + format);
    if (reader.TransferRoots() < 1)
        throw failure(std::string("has no shape that Open CASCADE can read from ") + format);
    check_faces(reader);
    return reader.OneShape();
}

/* The format is decided by the content, and so is whether the end of the file is missing. */
TopoDS_Shape read_file(const char *path)
{
    const std::string text = content_of(path);
    const size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
    if (begin == std::string::npos)
        throw failure("is empty");
    if (text.compare(begin, 12, "ISO-10303-21") == 0) {
        static const std::string last = "END-ISO-10303-21;";
        if (end + 1 < last.size() || text.compare(end + 1 - last.size(), last.size(), last) != 0)
            throw failure("is truncated: a STEP file ends with " + last);
        STEPControl_Reader reader;
        return read(reader, path, "STEP");
    }
    const size_t line = text.find_first_of("\r\n"), last_line = text.find_last_of("\r\n", end);
    if (line != std::string::npos && line >= 73 && text[72] == 'S') {
        const size_t column = (last_line == std::string::npos ? 0 : last_line + 1) + 72;
        if (column >= text.size() || text[column] != 'T')
            throw failure("is truncated: an IGES file ends with a line of section T");
        IGESControl_Reader reader;
        return read(reader, path, "IGES");
    }
    throw failure("is neither STEP nor IGES");
}

/* ---- loops ---- */

domain domain_of(const surface &s)
{
    domain d;
    s->Bounds(d.low[0], d.high[0], d.low[1], d.high[1]);
    return d;
}

gp_Pnt2d first_of(const curve &c) { return c->Value(c->FirstParameter()); }
gp_Pnt2d last_of(const curve &c) { return c->Value(c->LastParameter()); }

/* The straight curve between two points. */
curve line_between(const gp_Pnt2d &a, const gp_Pnt2d &b)
{
    TColgp_Array1OfPnt2d poles(1, 2);
    TColStd_Array1OfReal knots(1, 2);
    TColStd_Array1OfInteger multiplicities(1, 2);
    poles(1) = a, poles(2) = b;
    knots(1) = 0.0, knots(2) = 1.0;
    multiplicities.Init(2);
    return new Geom2d_BSplineCurve(poles, knots, multiplicities, 1);
}

/* Moves curves by multiples of the period, so that each begins near the end of the one before. */
void make_continuous(loop &curves, const surface &s, const domain &d)
{
    for (size_t i = 1; i < curves.size(); i++) {
        const gp_Pnt2d a = last_of(curves[i - 1].in_plane), b = first_of(curves[i].in_plane);
        const double u = s->IsUPeriodic() ? std::round((a.X() - b.X()) / d.size(0)) * d.size(0) : 0.0;
        const double v = s->IsVPeriodic() ? std::round((a.Y() - b.Y()) / d.size(1)) * d.size(1) : 0.0;
        if (u != 0.0 || v != 0.0)
            curves[i].in_plane->Translate(gp_Vec2d(u, v));
    }
}

/* Whether the surface is one point between two places of the parameter plane, up to `tolerance`: at a pole. */
bool is_point_between(const surface &s, const gp_Pnt2d &a, const gp_Pnt2d &b, double tolerance)
{
    const gp_Pnt first = s->Value(a.X(), a.Y());
    for (int i = 1; i <= edge_samples; i++) {
        const double t = static_cast<double>(i) / edge_samples;
        if (s->Value(a.X() + t * (b.X() - a.X()), a.Y() + t * (b.Y() - a.Y())).Distance(first) > tolerance)
            return false;
    }
    return true;
}

/* Closes the gaps between consecutive curves. */
loop closed(const loop &curves, const surface &s, const domain &d)
{
    loop result;
    for (size_t i = 0; i < curves.size(); i++) {
        const gp_Pnt2d a = last_of(curves[i].in_plane), b = first_of(curves[(i + 1) % curves.size()].in_plane);
        const double gap = std::max(std::fabs(a.X() - b.X()) / d.size(0), std::fabs(a.Y() - b.Y()) / d.size(1));
        if (!(gap <= largest_loop_gap) && !is_point_between(s, a, b, Precision::Confusion()))
            throw failure("has edges that do not form a loop");
        result.push_back(curves[i]);
        if (gap > smallest_loop_gap)
            result.push_back({line_between(a, b), TopoDS_Shape()});
    }
    return result;
}

/* The curve of an edge in the parameter plane, in the direction of the loop. Adds to the gap between faces. */
curve curve_of(const TopoDS_Edge &edge, const TopoDS_Face &face, const surface &s, double &gap)
{
    double first, last;
    const Handle(Geom2d_Curve) plane_curve = BRep_Tool::CurveOnSurface(edge, face, first, last);
    if (plane_curve.IsNull())
        throw failure("has an edge without a curve in the parameter plane");
    if (!BRep_Tool::Degenerated(edge)) {
        const BRepAdaptor_Curve space_curve(edge);
        for (int i = 0; i <= edge_samples; i++) {
            const double t = first + (last - first) * i / edge_samples;
            const gp_Pnt2d p = plane_curve->Value(t);
            gap = std::max(gap, s->Value(p.X(), p.Y()).Distance(space_curve.Value(t)));
        }
    }
    curve c = Geom2dConvert::CurveToBSplineCurve(new Geom2d_TrimmedCurve(plane_curve, first, last));
    c = curve::DownCast(c->Copy());
    if (c->IsPeriodic())
        c->SetNotPeriodic();
    if (edge.Orientation() == TopAbs_REVERSED)
        c->Reverse();
    if (c->Degree() > max_degree)
        throw failure("has an edge of degree " + std::to_string(c->Degree()) + "; tact has at most 15");
    return c;
}

/* The edge of the file; none if it needs no other face: at a pole, or a seam, which tact joins itself. */
TopoDS_Shape original_of(const TopoDS_Edge &edge, const TopoDS_Face &face,
                         const TopTools_DataMapOfShapeShape &originals)
{
    return BRep_Tool::Degenerated(edge) || BRep_Tool::IsClosed(edge, face) || !originals.IsBound(edge)
               ? TopoDS_Shape()
               : originals.Find(edge);
}

/* The edges of a wire in their order along it. Empty if the explorer fails or does not find all of them. */
std::vector<TopoDS_Edge> edges_of(const TopoDS_Shape &wire, const TopoDS_Face &face)
{
    std::vector<TopoDS_Edge> edges;
    size_t count = 0;
    for (TopoDS_Iterator edge(wire); edge.More(); edge.Next())
        count += edge.Value().Orientation() == TopAbs_FORWARD || edge.Value().Orientation() == TopAbs_REVERSED;
    try {
        for (BRepTools_WireExplorer edge(TopoDS::Wire(wire), face); edge.More(); edge.Next())
            edges.push_back(edge.Current());
    } catch (const Standard_Failure &) {
        return {};
    }
    return edges.size() == count ? edges : std::vector<TopoDS_Edge>();
}

/* A face of the file and its conversion. */
struct face_pair {
    const TopoDS_Face &file, &converted;
    const BRepBuilderAPI_NurbsConvert &convert;
};

/* The edges of a wire of the file, as those of the conversion. They have the right order also where curves of the
 * converted face are wrong at a pole. */
std::vector<TopoDS_Edge> converted_edges(const TopoDS_Shape &wire, const face_pair &faces)
{
    std::vector<TopoDS_Edge> edges;
    for (const TopoDS_Edge &edge : edges_of(wire, TopoDS::Face(faces.file.Oriented(TopAbs_FORWARD))))
        edges.push_back(TopoDS::Edge(faces.convert.ModifiedShape(edge).Oriented(edge.Orientation())));
    return edges;
}

/* `originals` are the edges of the file, by those of the converted face. */
std::vector<loop> loops_of(const face_pair &faces, const surface &s, const domain &d,
                           const TopTools_DataMapOfShapeShape &originals, double &gap)
{
    std::vector<loop> loops;
    for (TopoDS_Iterator wire(faces.file.Oriented(TopAbs_FORWARD)); wire.More(); wire.Next()) {
        if (wire.Value().ShapeType() != TopAbs_WIRE || !TopoDS_Iterator(wire.Value()).More())
            continue;
        std::vector<TopoDS_Edge> edges =
            edges_of(faces.convert.ModifiedShape(wire.Value()).Oriented(wire.Value().Orientation()), faces.converted);
        if (edges.empty())
            edges = converted_edges(wire.Value(), faces);
        if (edges.empty())
            throw failure("has edges that do not form a loop");
        loop curves;
        for (const TopoDS_Edge &edge : edges)
            curves.push_back({curve_of(edge, faces.converted, s, gap), original_of(edge, faces.converted, originals)});
        make_continuous(curves, s, d);
        loops.push_back(closed(curves, s, d));
    }
    return loops;
}

/* The side of the domain on which a curve lies: 0 at the smallest v, 1 at the largest u, 2 at the largest v, 3 at the
 * smallest u; -1: inside. */
int side_of(const curve &c, const domain &d)
{
    bool on[4] = {true, true, true, true};
    for (int i = 1; i <= c->NbPoles(); i++) {
        const double at[2] = {c->Pole(i).X(), c->Pole(i).Y()};
        for (int side = 0; side < 4; side++) {
            const int k = side % 2 == 0 ? 1 : 0;
            const double border = side == 1 || side == 2 ? d.high[k] : d.low[k];
            on[side] = on[side] && std::fabs(at[k] - border) <= border_width * d.size(k);
        }
    }
    for (int side = 0; side < 4; side++)
        if (on[side])
            return side;
    return -1;
}

/* Whether the only loop is the border of the domain, with at most one edge on each side, so that nothing is trimmed. */
bool is_border(const std::vector<loop> &loops, const domain &d)
{
    if (loops.size() != 1)
        return false;
    double area = 0.0;
    int edges[4] = {0, 0, 0, 0};
    gp_Pnt2d before = last_of(loops[0].back().in_plane);
    for (const edge_curve &c : loops[0]) {
        const int side = side_of(c.in_plane, d);
        if (side < 0)
            return false;
        edges[side] += c.edge.IsNull() ? 0 : 1;
        for (int i = 1; i <= c.in_plane->NbPoles(); i++) {
            const gp_Pnt2d p = c.in_plane->Pole(i);
            area += 0.5 * (before.X() * p.Y() - before.Y() * p.X());
            before = p;
        }
    }
    return std::fabs(area) > 0.99 * d.size(0) * d.size(1) && *std::max_element(edges, edges + 4) <= 1;
}

/* ---- faces ---- */

/* Whether the conversion of a surface to NURBS is an approximation. */
bool is_approximated(const Handle(Geom_Surface) & s)
{
    const auto trimmed = Handle(Geom_RectangularTrimmedSurface)::DownCast(s);
    if (!trimmed.IsNull())
        return is_approximated(trimmed->BasisSurface());
    const auto swept = Handle(Geom_SweptSurface)::DownCast(s);
    return !Handle(Geom_OffsetSurface)::DownCast(s).IsNull() ||
           (!swept.IsNull() && !Handle(Geom_OffsetCurve)::DownCast(swept->BasisCurve()).IsNull());
}

/* The largest distance of samples of the original surface from the approximation. Most approximations have the
 * parameters of the original; where they have not, the closest point is searched, which is slow. */
double error_of(const TopoDS_Face &original, const surface &s)
{
    double low[2], high[2], error = 0.0;
    BRepTools::UVBounds(original, low[0], high[0], low[1], high[1]);
    const Handle(Geom_Surface) exact = BRep_Tool::Surface(original);
    for (int i = 0; i <= face_samples; i++)
        for (int j = 0; j <= face_samples; j++) {
            const double u = low[0] + (high[0] - low[0]) * i / face_samples;
            const double v = low[1] + (high[1] - low[1]) * j / face_samples;
            const gp_Pnt p = exact->Value(u, v);
            double distance = s->Value(u, v).Distance(p);
            if (distance > largest_same_parameter_error) {
                const GeomAPI_ProjectPointOnSurf projection(p, s);
                distance = projection.NbPoints() > 0 ? projection.LowerDistance() : distance;
            }
            error = std::max(error, distance);
        }
    return error;
}

/* Makes a periodic surface an ordinary one whose domain contains the loops, if they are not longer than the period. */
void make_not_periodic(const surface &s, std::vector<loop> &loops)
{
    for (int k = 0; k < 2; k++) {
        if (!(k == 0 ? s->IsUPeriodic() : s->IsVPeriodic()))
            continue;
        const domain d = domain_of(s);
        double low = INFINITY;
        for (const loop &curves : loops)
            for (const edge_curve &c : curves)
                for (int i = 1; i <= c.in_plane->NbPoles(); i++)
                    low = std::min(low, k == 0 ? c.in_plane->Pole(i).X() : c.in_plane->Pole(i).Y());
        const double shift = std::isfinite(low) ? low - d.low[k] : 0.0;
        /* rotates the knots: the domain then begins at the least parameter of the loops */
        if (std::fabs(shift) > border_width * d.size(k)) {
            const double turns = std::floor(shift / d.size(k)) * d.size(k), origin = low - turns;
            for (loop &curves : loops)
                for (const edge_curve &c : curves)
                    c.in_plane->Translate(k == 0 ? gp_Vec2d(-turns, 0.0) : gp_Vec2d(0.0, -turns));
            if (k == 0) {
                s->InsertUKnot(origin, 1, border_width * d.size(k));
                int index, after;
                s->LocateU(origin, border_width * d.size(k), index, after);
                s->SetUOrigin(index == after ? index : after);
            } else {
                s->InsertVKnot(origin, 1, border_width * d.size(k));
                int index, after;
                s->LocateV(origin, border_width * d.size(k), index, after);
                s->SetVOrigin(index == after ? index : after);
            }
        }
        if (k == 0)
            s->SetUNotPeriodic();
        else
            s->SetVNotPeriodic();
    }
}

/* Turns the normal S_u x S_v round: the first parameter is reversed. */
void reverse(const surface &s, std::vector<loop> &loops)
{
    const domain d = domain_of(s);
    s->UReverse();
    const gp_Ax2d middle(gp_Pnt2d(0.5 * (d.low[0] + d.high[0]), 0.0), gp_Dir2d(0.0, 1.0));
    for (loop &curves : loops)
        for (const edge_curve &c : curves)
            c.in_plane->Mirror(middle);
}

/* ---- output ---- */

void write_numbers(FILE *out, const TColStd_Array1OfReal &numbers)
{
    for (int i = numbers.Lower(); i <= numbers.Upper(); i++)
        std::fprintf(out, "%s%.17g", i > numbers.Lower() ? "," : "", numbers(i));
}

void write_curve(FILE *out, const curve &c)
{
    std::fprintf(out, "{\"degree\":%d,\"knots\":[", c->Degree());
    write_numbers(out, c->KnotSequence());
    std::fputs("],\"points\":[", out);
    for (int i = 1; i <= c->NbPoles(); i++)
        std::fprintf(out, "%s[%.17g,%.17g]", i > 1 ? "," : "", c->Pole(i).X(), c->Pole(i).Y());
    std::fputs("]", out);
    if (c->IsRational()) {
        std::fputs(",\"weights\":[", out);
        for (int i = 1; i <= c->NbPoles(); i++)
            std::fprintf(out, "%s%.17g", i > 1 ? "," : "", c->Weight(i));
        std::fputs("]", out);
    }
    std::fputs("}", out);
}

void write_surface(FILE *out, const surface &s, const std::vector<loop> &loops)
{
    const int n = s->NbUPoles(), m = s->NbVPoles();
    std::fprintf(out, "{\"degree\":[%d,%d],\"counts\":[%d,%d],\"knots\":[[", s->UDegree(), s->VDegree(), n, m);
    write_numbers(out, s->UKnotSequence());
    std::fputs("],[", out);
    write_numbers(out, s->VKnotSequence());
    std::fputs("]],\"points\":[", out);
    for (int k = 0; k < n * m; k++) {
        const gp_Pnt p = s->Pole(k / m + 1, k % m + 1);
        std::fprintf(out, "%s[%.17g,%.17g,%.17g]", k > 0 ? "," : "", p.X(), p.Y(), p.Z());
    }
    if (s->IsURational() || s->IsVRational()) {
        std::fputs("],\"weights\":[", out);
        for (int k = 0; k < n * m; k++)
            std::fprintf(out, "%s%.17g", k > 0 ? "," : "", s->Weight(k / m + 1, k % m + 1));
    }
    std::fputs("]", out);
    for (size_t i = 0; i < loops.size(); i++) {
        std::fputs(i > 0 ? "],[" : ",\"trims\":[[", out);
        for (size_t j = 0; j < loops[i].size(); j++) {
            std::fputs(j > 0 ? "," : "", out);
            write_curve(out, loops[i][j].in_plane);
        }
    }
    std::fputs(loops.empty() ? "}" : "]]}", out);
}

/* Notes which curves follow which edges; `border`: the curves are sides of the surface. */
void add_uses(const std::vector<loop> &loops, const domain &d, bool border, conversion &c)
{
    for (size_t i = 0; i < loops.size(); i++)
        for (size_t j = 0; j < loops[i].size(); j++) {
            if (loops[i][j].edge.IsNull())
                continue;
            const auto edge = static_cast<size_t>(c.edges.Add(loops[i][j].edge));
            c.uses.resize(std::max(c.uses.size(), edge));
            c.uses[edge - 1].push_back(
                {c.faces, i, border ? static_cast<size_t>(side_of(loops[i][j].in_plane, d)) : j});
        }
}

/* The edges of a face by those of its conversion. */
TopTools_DataMapOfShapeShape originals_of(const TopoDS_Face &original, const BRepBuilderAPI_NurbsConvert &convert)
{
    TopTools_DataMapOfShapeShape originals;
    for (TopExp_Explorer edge(original, TopAbs_EDGE); edge.More(); edge.Next())
        originals.Bind(convert.ModifiedShape(edge.Current()), edge.Current());
    return originals;
}

void write_face(FILE *out, const TopoDS_Face &original, bool has_edges, conversion &c)
{
    BRepBuilderAPI_NurbsConvert convert(original, Standard_True);
    if (!convert.IsDone())
        throw failure("cannot be converted to NURBS");
    const TopoDS_Face face = TopoDS::Face(convert.Shape().Oriented(TopAbs_FORWARD));
    Handle(Geom_Surface) any = BRep_Tool::Surface(face);
    const auto trimmed = Handle(Geom_RectangularTrimmedSurface)::DownCast(any);
    if (!trimmed.IsNull())
        any = trimmed->BasisSurface();
    surface s = surface::DownCast(any);
    if (s.IsNull())
        throw failure("cannot be converted to NURBS");
    s = surface::DownCast(s->Copy());
    if (s->UDegree() > max_degree || s->VDegree() > max_degree)
        throw failure("has degree " + std::to_string(std::max(s->UDegree(), s->VDegree())) + "; tact has at most 15");
    double gap = 0.0;
    std::vector<loop> loops =
        loops_of({original, face, convert}, s, domain_of(s), originals_of(original, convert), gap);
    if (is_approximated(BRep_Tool::Surface(original))) {
        c.approximated++;
        c.error = std::max(c.error, error_of(original, s));
    }
    c.gap = std::max(c.gap, 2.0 * gap); /* both faces of an edge may be on different sides of it */
    make_not_periodic(s, loops);
    if (original.Orientation() == TopAbs_REVERSED)
        reverse(s, loops);
    const bool border = is_border(loops, domain_of(s));
    if (has_edges)
        add_uses(loops, domain_of(s), border, c);
    if (border)
        loops.clear();
    write_surface(out, s, loops);
}

/* The faces of a part, in the order of the file. */
struct part_faces {
    std::vector<TopoDS_Face> faces;
    bool solid;                      /* all belong to solids */
    std::vector<TopoDS_Face> unsewn; /* as they were before they were joined; empty if they were not */
};

/* Writes face i of a part. If joining the faces damaged it, it is written as it was before, without edges. */
void write_part_face(FILE *out, const part_faces &p, size_t i, conversion &c)
{
    if (p.unsewn.empty())
        return write_face(out, p.faces[i], true, c);
    try {
        write_face(out, p.faces[i], true, c);
    } catch (const Standard_Failure &) {
        write_face(out, TopoDS::Face(p.unsewn[i].Oriented(p.faces[i].Orientation())), false, c);
    } catch (const failure &) {
        write_face(out, TopoDS::Face(p.unsewn[i].Oriented(p.faces[i].Orientation())), false, c);
    }
}

/* The closed shells of which a sewn shape consists; none if there is anything else. */
std::vector<TopoDS_Shell> closed_shells(const TopoDS_Shape &sewn)
{
    std::vector<TopoDS_Shell> shells;
    for (TopExp_Explorer shell(sewn, TopAbs_SHELL); shell.More(); shell.Next())
        shells.push_back(TopoDS::Shell(shell.Current()));
    for (TopExp_Explorer face(sewn, TopAbs_FACE, TopAbs_SHELL); face.More(); face.Next()) { /* as a sphere */
        BRep_Builder builder;
        TopoDS_Shell shell;
        builder.MakeShell(shell);
        builder.Add(shell, face.Current());
        shells.push_back(shell);
    }
    for (const TopoDS_Shell &shell : shells)
        if (!BRep_Tool::IsClosed(shell))
            return {};
    return shells;
}

/* Whether a solid contains a shell that does not cross its surface: 1, or 0; -1: it is not clear. Decided for vertices
 * and the middles of edges; for points on the axis of a sphere Open CASCADE may not know. */
int contains(const TopoDS_Solid &solid, const TopoDS_Shell &shell)
{
    size_t count[2] = {0, 0};
    BRepClass3d_SolidClassifier classifier(solid);
    for (TopExp_Explorer edge(shell, TopAbs_EDGE); edge.More(); edge.Next()) {
        if (BRep_Tool::Degenerated(TopoDS::Edge(edge.Current())))
            continue;
        const BRepAdaptor_Curve line(TopoDS::Edge(edge.Current()));
        for (int i = 0; i < 4; i++) {
            const double t = line.FirstParameter() + (line.LastParameter() - line.FirstParameter()) * 0.31 * i;
            classifier.Perform(line.Value(t), Precision::Confusion());
            if (classifier.State() == TopAbs_IN || classifier.State() == TopAbs_OUT)
                count[classifier.State() == TopAbs_IN ? 1 : 0]++;
        }
    }
    return count[0] > 0 && count[1] == 0 ? 0 : count[1] > 0 && count[0] == 0 ? 1 : -1;
}

/* The solids within closed shells, with normals pointing outwards: out of the first ones, into a cavity of those that
 * are inside another one. None if it is not clear. */
std::vector<TopoDS_Solid> solids_of(const std::vector<TopoDS_Shell> &shells)
{
    std::vector<TopoDS_Solid> solids;
    std::vector<Bnd_Box> boxes(shells.size());
    for (const TopoDS_Shell &shell : shells) {
        BRepBndLib::Add(shell, boxes[solids.size()]);
        solids.push_back(BRepBuilderAPI_MakeSolid(shell).Solid());
        if (!BRepLib::OrientClosedSolid(solids.back()))
            return {};
    }
    std::vector<int> depths(shells.size(), 0);
    for (size_t i = 0; i < shells.size(); i++)
        for (size_t k = 0; k < shells.size(); k++) {
            if (i == k || boxes[i].IsOut(boxes[k]))
                continue;
            const int inside = contains(solids[k], shells[i]);
            if (inside < 0)
                return {};
            depths[i] += inside;
        }
    for (size_t i = 0; i < shells.size(); i++)
        if (depths[i] % 2 != 0)
            solids[i].Reverse();
    return solids;
}

/* Joins faces at edges that coincide. Only if they form closed surfaces: their inside is then unambiguous. */
void sew(part_faces &p)
{
    BRepBuilderAPI_Sewing sewing(sewing_tolerance);
    for (const TopoDS_Face &face : p.faces)
        sewing.Add(face);
    sewing.Perform();
    TopTools_DataMapOfShapeShape oriented; /* the faces of the solids with normals pointing out of them */
    for (const TopoDS_Solid &solid : solids_of(closed_shells(sewing.SewedShape())))
        for (TopExp_Explorer face(solid, TopAbs_FACE); face.More(); face.Next())
            oriented.Bind(face.Current(), face.Current());
    std::vector<TopoDS_Face> faces;
    for (const TopoDS_Face &face : p.faces) {
        const TopoDS_Shape sewn = sewing.ModifiedSubShape(face);
        if (!oriented.IsBound(sewn))
            return;
        faces.push_back(TopoDS::Face(oriented.Find(sewn)));
    }
    p = {faces, true, p.faces};
}

part_faces faces_of(const TopoDS_Shape &shape)
{
    part_faces p = {{}, !TopExp_Explorer(shape, TopAbs_FACE, TopAbs_SOLID).More(), {}}; /* no face outside of a solid */
    for (TopExp_Explorer face(shape, TopAbs_FACE); face.More(); face.Next())
        p.faces.push_back(TopoDS::Face(face.Current()));
    if (!p.solid) {
        try {
            sew(p);
        } catch (const Standard_Failure &) { /* the faces stay apart */
        }
    }
    return p;
}

/* The edges that two curves follow, and whether the shape is solid. Tact joins sides with the same control points
 * itself, as at an edge of four faces where two solids touch, and refuses a solid that is not closed. */
void write_edges(FILE *out, bool solid, const conversion &c)
{
    size_t count = 0;
    std::fputs("]", out);
    for (const std::vector<edge_use> &uses : c.uses) {
        solid = solid && uses.size() % 2 == 0;
        if (uses.size() != 2)
            continue;
        std::fputs(count++ > 0 ? ",\n" : ",\"edges\":[\n", out);
        std::fprintf(out, "[[%zu,%zu,%zu],[%zu,%zu,%zu]]", uses[0].face, uses[0].loop, uses[0].curve, uses[1].face,
                     uses[1].loop, uses[1].curve);
    }
    std::fputs(count > 0 ? "]" : "", out);
    std::fputs(solid ? ",\"solid\":true" : "", out);
}

void write_part(FILE *out, const TopoDS_Shape &shape, conversion &c)
{
    Bnd_Box box;
    BRepBndLib::Add(shape, box);
    double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.0, 0.0, 0.0}, extent = 0.0;
    if (!box.IsVoid())
        box.Get(low[0], low[1], low[2], high[0], high[1], high[2]);
    for (int k = 0; k < 3; k++)
        extent = std::max(extent, high[k] - low[k]);
    std::fprintf(out, "{\"type\":\"nurbs\",\"tolerance\":%.17g,\"surfaces\":[", 0.5 * tolerance_fraction * extent);
    const part_faces p = faces_of(shape);
    for (; c.faces < p.faces.size(); c.faces++) {
        std::fputs(c.faces > 0 ? ",\n" : "\n", out);
        try {
            write_part_face(out, p, c.faces, c);
        } catch (const failure &reason) {
            throw failure("face " + std::to_string(c.faces) + " " + reason.what());
        } catch (const Standard_Failure &reason) {
            throw failure("face " + std::to_string(c.faces) + " cannot be converted: " + reason.DynamicType()->Name());
        }
    }
    if (c.faces == 0)
        throw failure("has no faces");
    write_edges(out, p.solid, c);
    std::fputs("}\n", out);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        std::fputs("usage: tact-cad FILE\nwrites a STEP or IGES file as JSON: a NURBS shape, in millimetres\n", stderr);
        return 2;
    }
    /* Open CASCADE prints to standard output and standard error. */
    FILE *out = fdopen(dup(STDOUT_FILENO), "w"), *err = fdopen(dup(STDERR_FILENO), "w");
    const int null_device = open("/dev/null", O_WRONLY);
    if (out == nullptr || err == nullptr || null_device < 0)
        return 1;
    (void)dup2(null_device, STDOUT_FILENO);
    (void)dup2(null_device, STDERR_FILENO);
    Message::DefaultMessenger()->ChangePrinters().Clear();
    std::string reason;
    try {
        conversion c;
        write_part(out, read_file(argv[1]), c);
        if (std::fflush(out) == 0) {
            std::fprintf(err, "%zu faces, %zu approximated, error %.17g, gap %.17g\n", c.faces, c.approximated, c.error,
                         c.gap);
            return std::fflush(err) == 0 ? 0 : 1;
        }
        reason = "standard output cannot be written";
    } catch (const Standard_Failure &failed) {
        reason = std::string("Open CASCADE cannot read it: ") + failed.DynamicType()->Name();
    } catch (const std::exception &failed) {
        reason = failed.what();
    }
    std::fprintf(err, "%s: %s\n", argv[1], reason.c_str());
    (void)std::fflush(err);
    return 1;
}
