// Loaded answers, kept as long as they fit into a number of bytes; what was used longest ago goes first.
// One cache serves both results, so the bound holds for the page as a whole.
import { framePath, getBinary, mayHold, resultPath } from "./data";
import { decodeContacts, decodeFrame, decodeQuantity, type Contacts, type Frame, type QuantityFrame } from "./formats";

interface Sized { bytes: number }

class ByteCache {
  private readonly kept = new Map<string, Sized>(); // a Map keeps insertion order: the first is the oldest
  private readonly pending = new Map<string, Promise<Sized>>();
  private total = 0;

  constructor(public limit: number) {}

  get loading(): number {
    return this.pending.size;
  }

  // What is kept under this key, now marked as used.
  get(key: string): Sized | undefined {
    const value = this.kept.get(key);
    if (value) {
      this.kept.delete(key);
      this.kept.set(key, value);
    }
    return value;
  }

  // The kept value, the answer already on its way, or a new request.
  load(key: string, fetcher: () => Promise<Sized>): Promise<Sized> {
    const value = this.get(key);
    if (value) return Promise.resolve(value);
    const underway = this.pending.get(key);
    if (underway) return underway;
    const promise = fetcher()
      .then((answer) => {
        this.keep(key, answer);
        return answer;
      })
      .finally(() => this.pending.delete(key));
    this.pending.set(key, promise);
    return promise;
  }

  private keep(key: string, value: Sized): void {
    this.kept.set(key, value);
    this.total += value.bytes;
    for (const [oldKey, old] of this.kept) {
      if (this.total <= this.limit || oldKey === key) break;
      this.kept.delete(oldKey);
      this.total -= old.bytes;
    }
  }

  clear(): void {
    this.kept.clear();
    this.total = 0;
  }
}

const megabyte = 1 << 20;
// 512 MB: ten seconds of 200 000 vertices at 30 frames a second, compact, and less than a browser tab may take.
const cache = new ByteCache(512 * megabyte);

// What the page asks of one result, frame by frame.
export class FrameSource {
  quantised = false;

  constructor(readonly result: number) {}

  private frameKey(frame: number): string {
    return framePath(this.result, frame, this.quantised);
  }

  private quantityKey(frame: number, name: string): string {
    const path = `${resultPath(this.result)}/frames/${frame}/quantity/`;
    const encoded = path + encodeURIComponent(name);
    return mayHold(encoded) ? encoded : path + name; // an export keeps the name as it is
  }

  private contactsKey(frame: number): string {
    return `${resultPath(this.result)}/frames/${frame}/contacts`;
  }

  frameNow(frame: number): Frame | undefined {
    return cache.get(this.frameKey(frame)) as Frame | undefined;
  }

  quantityNow(frame: number, name: string): QuantityFrame | undefined {
    return cache.get(this.quantityKey(frame, name)) as QuantityFrame | undefined;
  }

  contactsNow(frame: number): Contacts | undefined {
    return cache.get(this.contactsKey(frame)) as Contacts | undefined;
  }

  frame(frame: number): Promise<Frame> {
    const key = this.frameKey(frame);
    return cache.load(key, async () => decodeFrame(await getBinary(key))) as Promise<Frame>;
  }

  quantity(frame: number, name: string): Promise<QuantityFrame> {
    const key = this.quantityKey(frame, name);
    return cache.load(key, async () => decodeQuantity(await getBinary(key))) as Promise<QuantityFrame>;
  }

  contacts(frame: number): Promise<Contacts> {
    const key = this.contactsKey(frame);
    return cache.load(key, async () => decodeContacts(await getBinary(key))) as Promise<Contacts>;
  }
}

export const frameMemory = {
  get megabytes(): number {
    return cache.limit / megabyte;
  },
  set megabytes(value: number) {
    cache.limit = value * megabyte;
  },
  get loading(): number {
    return cache.loading;
  },
};
