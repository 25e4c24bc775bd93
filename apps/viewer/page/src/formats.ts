// The binary answers of the server, as typed arrays. All are little-endian (so is every machine with a browser
// today); arrays start on multiples of four bytes, so views into the buffer need no copy.
//
//   PLM1  a mesh      which vertices make a cell, where they come from, how thick they are
//   PLF1  a frame     positions of all bodies, as floats or as 16-bit steps inside a box
//   PLQ1  a quantity  one value per drawn vertex, NaN where there is none
//   PLC1  contacts    point, normal, force, and the two bodies

export interface Mesh {
  vertexCount: number;
  corners: number; // 1 points, 2 segments, 3 triangles
  cells: Uint32Array;
  sourceVertex: Int32Array; // index in the result file; −1 lies inside an element
  radius: Float32Array | null; // [m]
}

export interface BodyFrame {
  revision: number;
  vertexCount: number;
  floats: Float32Array | null; // x y z per vertex [m], or
  steps: Uint16Array | null; //   low + step · u
  low: Float32Array | null;
  step: Float32Array | null;
}

export interface Frame { index: number; time: number; bodies: BodyFrame[]; bytes: number }
export interface QuantityFrame { index: number; values: Float32Array[]; low: number; high: number; bytes: number }
export interface Contacts { count: number; floats: Float32Array; bytes: number }

// Floats (and two integers of the same size) from one contact to the next.
export const contactStride = 11;

const magic = { mesh: 0x314d4c50, frame: 0x31464c50, quantity: 0x31514c50, contacts: 0x31434c50 };

// Reads numbers and arrays one after the other, and says so plainly when the answer is too short.
class Reader {
  private readonly view: DataView;
  private at = 0;

  constructor(private readonly buffer: ArrayBuffer, expected: number, private readonly what: string) {
    this.view = new DataView(buffer);
    if (buffer.byteLength < 4 || this.integer() !== expected) {
      throw new Error(`The server's ${what} is not in the form this page knows. Are page and server of one version?`);
    }
  }

  private take(bytes: number): number {
    const start = this.at;
    this.at += bytes;
    if (this.at > this.buffer.byteLength) throw new Error(`The server's ${this.what} ends too early.`);
    return start;
  }

  integer(): number {
    return this.view.getUint32(this.take(4), true);
  }

  double(): number {
    return this.view.getFloat64(this.take(8), true);
  }

  floats(count: number): Float32Array {
    return new Float32Array(this.buffer, this.take(4 * count), count);
  }

  integers(count: number): Uint32Array {
    return new Uint32Array(this.buffer, this.take(4 * count), count);
  }

  signed(count: number): Int32Array {
    return new Int32Array(this.buffer, this.take(4 * count), count);
  }

  // 16-bit numbers, padded to a multiple of four bytes.
  halves(count: number): Uint16Array {
    return new Uint16Array(this.buffer, this.take(4 * Math.ceil(count / 2)), count);
  }
}

export function decodeMesh(buffer: ArrayBuffer): Mesh {
  const reader = new Reader(buffer, magic.mesh, "mesh");
  const vertexCount = reader.integer();
  const cellCount = reader.integer();
  const corners = reader.integer();
  const hasRadius = reader.integer() !== 0;
  const cells = reader.integers(cellCount * corners);
  // A cell that names a missing vertex would read outside the arrays in every loop that follows.
  for (const vertex of cells) if (vertex >= vertexCount) throw new Error("The server's mesh names a vertex it does not have.");
  const sourceVertex = reader.signed(vertexCount);
  const radius = hasRadius ? reader.floats(vertexCount) : null;
  return { vertexCount, corners, cells, sourceVertex, radius };
}

export function decodeFrame(buffer: ArrayBuffer): Frame {
  const reader = new Reader(buffer, magic.frame, "frame");
  const index = reader.integer();
  const time = reader.double();
  const bodyCount = reader.integer();
  const quantised = reader.integer() !== 0;
  const bodies: BodyFrame[] = [];
  for (let body = 0; body < bodyCount; ++body) {
    const revision = reader.integer();
    const vertexCount = reader.integer();
    if (quantised) {
      const low = reader.floats(3);
      const step = reader.floats(3);
      bodies.push({ revision, vertexCount, floats: null, steps: reader.halves(3 * vertexCount), low, step });
    } else {
      bodies.push({ revision, vertexCount, floats: reader.floats(3 * vertexCount), steps: null, low: null, step: null });
    }
  }
  return { index, time, bodies, bytes: buffer.byteLength };
}

// Positions of one body [m] into the first 3n numbers of an array that the caller keeps.
export function writePositions(body: BodyFrame, target: Float32Array): void {
  if (body.floats) {
    target.set(body.floats);
    return;
  }
  const { steps, low, step } = body;
  if (!steps || !low || !step) return;
  const [lowX, lowY, lowZ] = [low[0]!, low[1]!, low[2]!];
  const [stepX, stepY, stepZ] = [step[0]!, step[1]!, step[2]!];
  for (let i = 0; i < steps.length; i += 3) {
    target[i] = lowX + stepX * steps[i]!;
    target[i + 1] = lowY + stepY * steps[i + 1]!;
    target[i + 2] = lowZ + stepZ * steps[i + 2]!;
  }
}

export function decodeQuantity(buffer: ArrayBuffer): QuantityFrame {
  const reader = new Reader(buffer, magic.quantity, "quantity");
  const index = reader.integer();
  const bodyCount = reader.integer();
  const values: Float32Array[] = [];
  let low = Infinity;
  let high = -Infinity;
  for (let body = 0; body < bodyCount; ++body) {
    const array = reader.floats(reader.integer());
    for (const value of array) {
      // Comparisons with NaN are false, so "no value" never enters the range; infinities are left out as well.
      if (value < low && value !== -Infinity) low = value;
      if (value > high && value !== Infinity) high = value;
    }
    values.push(array);
  }
  return { index, values, low, high, bytes: buffer.byteLength };
}

export function decodeContacts(buffer: ArrayBuffer): Contacts {
  const reader = new Reader(buffer, magic.contacts, "list of contacts");
  const count = reader.integer();
  return { count, floats: reader.floats(contactStride * count), bytes: buffer.byteLength };
}
