"""Reads exported sequences as another program would: check_export.py RESULT.H5 OBJ_FOLDER PLY_FOLDER

The readers of VTK must give, frame by frame, the points that h5py finds in the body `sheet` of the result (its vertices
are drawn as they are), and as many polygons in both formats. Ends with 0 when content, 1 when not, 77 without VTK.
"""
import pathlib
import sys

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOGeometry import vtkOBJReader
    from vtkmodules.vtkIOPLY import vtkPLYReader
except ImportError:
    sys.exit(77)


def read(reader, path):
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutput()
    return vtk_to_numpy(data.GetPoints().GetData()), data.GetNumberOfPolys()


result, obj_folder, ply_folder = sys.argv[1:]
sheet = h5py.File(result, "r")["bodies/sheet/revisions/0/positions"][:]
for frame, expected in enumerate(sheet):
    obj, obj_faces = read(vtkOBJReader(), pathlib.Path(obj_folder) / f"frame_{frame:04}.obj")
    ply, ply_faces = read(vtkPLYReader(), pathlib.Path(ply_folder) / f"frame_{frame:04}.ply")
    if obj_faces != ply_faces or obj_faces < 38:
        sys.exit(f"frame {frame}: {obj_faces} polygons in OBJ, {ply_faces} in PLY")
    for name, points in (("OBJ", obj), ("PLY", ply)):
        # Every vertex of the sheet is among the points; readers may double those that polygons do not share.
        distance = np.min(np.linalg.norm(points[None, :, :] - expected[:, None, :], axis=2), axis=1)
        if distance.max() > 1e-6:
            sys.exit(f"frame {frame}: {name} misses a vertex by {distance.max()} m")
