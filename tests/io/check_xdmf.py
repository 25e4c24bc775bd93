"""Reads result.xdmf as ParaView does, with its vtkXdmfReader: check_xdmf.py FOLDER

Every body, time, point, cell and field that the reader shows must be what h5py finds in result.h5; times are asked for
forwards and backwards, because the reader keeps arrays. Ends with 0 when content, 1 when not, 77 without the reader.
"""
import pathlib
import sys

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonDataModel import VTK_LINE, VTK_POLY_LINE, VTK_POLY_VERTEX, VTK_TETRA, VTK_TRIANGLE, VTK_VERTEX, vtkCompositeDataSet
    from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
    from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
except ImportError:
    sys.exit(77)

CELL_TYPES = {1: {VTK_VERTEX, VTK_POLY_VERTEX}, 2: {VTK_LINE, VTK_POLY_LINE}, 3: {VTK_TRIANGLE}, 4: {VTK_TETRA}}
NOT_SHOWN = {"positions", "poses", "rest_positions", "cells", "first_frame", "radius", "pinned", "texture",
             "material_frames"}  # the points, what does not move, and quaternions, which XDMF cannot name
compared = 0


def expect(condition, what):
    if not condition:
        sys.exit(f"check_xdmf.py: {what}")


def blocks_of(shown):
    """Name → grid of every body."""
    return {shown.GetMetaData(i).Get(vtkCompositeDataSet.NAME()): shown.GetBlock(i)
            for i in range(shown.GetNumberOfBlocks())}


def compare_body(where, grid, revision, row):
    global compared
    expect(np.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), revision["positions"][row]), f"{where}: points")
    cells = revision["cells"][()]
    expect(grid.GetNumberOfCells() == len(cells), f"{where}: {grid.GetNumberOfCells()} cells, not {len(cells)}")
    for c in (0, len(cells) - 1):
        corners = [grid.GetCell(c).GetPointId(k) for k in range(grid.GetCell(c).GetNumberOfPoints())]
        expect(grid.GetCellType(c) in CELL_TYPES[cells.shape[1]] and corners == list(cells[c]), f"{where}: cell {c}")
    for name in set(revision) - NOT_SHOWN - {"surface"}:
        stored = revision[name][row]
        data = grid.GetPointData() if revision[name].attrs["place"] in (b"vertex", "vertex") else grid.GetCellData()
        expect(data.HasArray(name), f"{where}: the field {name} is missing")
        shown = vtk_to_numpy(data.GetArray(name)).reshape(stored.shape)
        expect(np.array_equal(shown, stored), f"{where}: {name}")
        compared += 1


folder = pathlib.Path(sys.argv[1])
result = h5py.File(folder / "result.h5", "r")
bodies = {name: [revisions[k] for k in sorted(revisions, key=int)]
          for name, revisions in ((name, body["revisions"]) for name, body in result["bodies"].items())}
reader = vtkXdmfReader()
expect(reader.CanReadFile(str(folder / "result.xdmf")), "the reader does not take result.xdmf")
reader.SetFileName(str(folder / "result.xdmf"))
reader.UpdateInformation()
times = result["times"][()]
offered = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
expect(np.array_equal(offered, times), f"times {offered} instead of {times}")
for frame in [*range(len(times)), *reversed(range(len(times)))]:
    reader.UpdateTimeStep(times[frame])
    shown = blocks_of(reader.GetOutputDataObject(0))
    expect(shown.keys() == bodies.keys(), f"bodies {sorted(shown)} instead of {sorted(bodies)}")
    for name, revisions in bodies.items():
        revision = [r for r in revisions if r["first_frame"][()] <= frame][-1]
        compare_body(f"t = {times[frame]:g} s, {name}", shown[name], revision, frame - revision["first_frame"][()])
expect(compared > 0, "no field was compared")
print(f"result.xdmf: {len(bodies)} bodies, {len(times)} times and {compared} arrays as in result.h5")
