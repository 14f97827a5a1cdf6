// The order of a module's functions: what is alike costs a compressor less the nearer it is.

/** Distance back, in bytes, within which functions count as near. */
const WINDOW = 30_000;
/** Bytes that two functions have in common: about two instructions. */
const PIECE = 6;
/** Pieces are counted by a hash of so many bits. */
const BITS = 22;
/** Number of functions from which a common piece is no sign of likeness. */
const COMMON = 1500;
/** Bytes that every function is counted longer, or a short one would be like everything. */
const LEAST = 40;

const IMPORTS = 2;
const CODE = 10;

/**
 * The module with names for its functions by whose order like ones lie next to each other, for wasm-opt's
 * `--reorder-functions-by-name`.
 *
 * @param {Uint8Array} module a module without names
 * @returns {Uint8Array} the same with a section of names
 */
export function nameByLikeness(module) {
  const { imported, bodies } = functionsOf(module);
  const order = byLikeness(bodies);
  const names = order.map((which, place) => [imported + which, place]).sort(([one], [other]) => one - other);
  const text = (place) => [...Buffer.from(String(place).padStart(6, "0"))];
  const entries = names.flatMap(([which, place]) => [...leb(which), ...sized(text(place))]);
  const functions = [1, ...sized([...leb(names.length), ...entries])];
  return Buffer.concat([module, Buffer.from([0, ...sized([...sized([...Buffer.from("name")]), ...functions])])]);
}

function leb(number) {
  return number < 128 ? [number] : [(number % 128) + 128, ...leb(Math.floor(number / 128))];
}

function sized(bytes) {
  return [...leb(bytes.length), ...bytes];
}

/** Number of imported functions of a module, and the bytes of each of its own functions. */
function functionsOf(module) {
  let at = 8;
  const number = () => {
    for (let value = 0, weight = 1; ; weight *= 128) {
      const byte = module[at++];
      value += (byte % 128) * weight;
      if (byte < 128) return value;
    }
  };
  let imported = 0;
  const bodies = [];
  while (at < module.length) {
    const kind = module[at++];
    const end = number() + at;
    if (kind === IMPORTS) imported = number();
    for (let left = kind === CODE ? number() : 0; left > 0; left--) {
      const length = number();
      bodies.push(module.subarray(at, at + length));
      at += length;
    }
    at = end;
  }
  return { imported, bodies };
}

/** One after the other, the function of which most was in the last ones. */
function byLikeness(bodies) {
  const pieces = sharedPieces(bodies);
  const owners = new Map();
  for (const [which, all] of pieces.entries()) {
    for (const piece of all) {
      const known = owners.get(piece);
      if (known) known.push(which);
      else owners.set(piece, [which]);
    }
  }
  const inWindow = new Uint16Array(2 ** BITS);
  const known = new Int32Array(bodies.length);
  const count = (piece, by) => {
    for (const which of owners.get(piece)) known[which] += by;
  };

  const rest = bodies.map((_, which) => which);
  const order = [];
  for (let first = 0, bytes = 0; rest.length > 0; ) {
    const share = (which) => known[which] / (bodies[which].length + LEAST);
    let best = 0;
    for (let place = 1; place < rest.length; place++) if (share(rest[place]) > share(rest[best])) best = place;
    const [next] = rest.splice(best, 1);
    order.push(next);
    bytes += bodies[next].length;
    for (const piece of pieces[next]) if (inWindow[piece]++ === 0) count(piece, 1);
    for (; bytes > WINDOW && first < order.length - 1; first++) {
      bytes -= bodies[order[first]].length;
      for (const piece of pieces[order[first]]) if (--inWindow[piece] === 0) count(piece, -1);
    }
  }
  return order;
}

/** The pieces of each function that others have as well, each once. */
function sharedPieces(bodies) {
  const owners = new Int32Array(2 ** BITS);
  const last = new Int32Array(2 ** BITS).fill(-1);
  const all = bodies.map((body, which) => {
    const found = [];
    for (let from = 0; from + PIECE <= body.length; from++) {
      let hash = 0;
      for (let at = from; at < from + PIECE; at++) hash = Math.imul(hash ^ body[at], 0x9e3779b1) ^ (hash >>> 15);
      const piece = (hash ^ (hash >>> 13)) >>> (32 - BITS);
      if (last[piece] !== which) {
        last[piece] = which;
        owners[piece]++;
        found.push(piece);
      }
    }
    return found;
  });
  return all.map((found) => found.filter((piece) => owners[piece] > 1 && owners[piece] <= COMMON));
}
