// Triangles turned so that neighbours agree on which side is out.
//
// Meshes from scans carry doubled and flipped triangles; their normals cancel and leave dark spots. For drawing only,
// doubled triangles are dropped, and each connected part is turned to agree across every edge that two triangles share,
// in the sense most of its triangles had. A mesh that already agrees comes back as it is.

// True if some edge is run through twice in the same direction.
function disagrees(cells: Uint32Array, vertexCount: number): boolean {
  const directed = new Float64Array(cells.length);
  for (let corner = 0; corner < cells.length; ++corner) {
    directed[corner] = cells[corner]! * vertexCount + cells[nextCorner(corner)]!;
  }
  directed.sort();
  for (let i = 1; i < directed.length; ++i) if (directed[i] === directed[i - 1]) return true;
  return false;
}

const nextCorner = (corner: number): number => (corner % 3 === 2 ? corner - 2 : corner + 1);

function withoutDoubled(cells: Uint32Array): Uint32Array {
  const seen = new Set<string>();
  const kept: number[] = [];
  for (let c = 0; c < cells.length; c += 3) {
    const key = cells.slice(c, c + 3).sort().join();
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push(cells[c]!, cells[c + 1]!, cells[c + 2]!);
  }
  return Uint32Array.from(kept);
}

// The corner at which another triangle starts the same edge, or −1 where not exactly two triangles meet.
function partners(cells: Uint32Array, vertexCount: number): Int32Array {
  const corners = new Map<number, number[]>();
  for (let corner = 0; corner < cells.length; ++corner) {
    const [i, j] = [cells[corner]!, cells[nextCorner(corner)]!];
    const edge = Math.min(i, j) * vertexCount + Math.max(i, j);
    const list = corners.get(edge);
    if (list) list.push(corner);
    else corners.set(edge, [corner]);
  }
  const partner = new Int32Array(cells.length).fill(-1);
  for (const list of corners.values()) {
    if (list.length !== 2) continue;
    partner[list[0]!] = list[1]!;
    partner[list[1]!] = list[0]!;
  }
  return partner;
}

export function consistentCells(cells: Uint32Array, vertexCount: number): Uint32Array {
  if (!disagrees(cells, vertexCount)) return cells;
  const result = withoutDoubled(cells);
  const partner = partners(result, vertexCount);
  const turned = new Int8Array(result.length / 3).fill(-1); // 1 turned, 0 not, −1 not yet reached
  for (let seed = 0; seed < turned.length; ++seed) {
    if (turned[seed] !== -1) continue;
    // Spread from the seed over the whole part.
    turned[seed] = 0;
    const part = [seed];
    let turnedCount = 0;
    for (let at = 0; at < part.length; ++at) {
      const triangle = part[at]!;
      for (let corner = 3 * triangle; corner < 3 * triangle + 3; ++corner) {
        const other = partner[corner]!;
        const neighbour = Math.floor(other / 3);
        if (other < 0 || turned[neighbour] !== -1) continue;
        const alike = result[other] === result[corner]; // both run the edge in the same direction
        turned[neighbour] = alike ? 1 - turned[triangle]! : turned[triangle]!;
        turnedCount += turned[neighbour]!;
        part.push(neighbour);
      }
    }
    // The sense of the majority wins over that of the seed.
    if (2 * turnedCount > part.length) for (const triangle of part) turned[triangle] = 1 - turned[triangle]!;
  }
  for (let triangle = 0; triangle < turned.length; ++triangle) {
    if (turned[triangle] !== 1) continue;
    const c = 3 * triangle;
    [result[c + 1], result[c + 2]] = [result[c + 2]!, result[c + 1]!];
  }
  return result;
}
