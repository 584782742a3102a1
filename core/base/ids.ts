const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
let lastTime = 0;
let lastRandom: number[] = [];

/** A new id: 26 lower-case Crockford base-32 characters, sortable by time, strictly increasing within a thread (ULID's
 * layout: 48 bits of milliseconds, 80 random bits). Safe as a file name everywhere. */
export function newId(now: number = Date.now()): string {
  if (now <= lastTime) {
    for (let i = lastRandom.length - 1; i >= 0; i--) {
      if (lastRandom[i]! < 31) {
        lastRandom[i]!++;
        break;
      }
      lastRandom[i] = 0;
    }
  } else {
    lastTime = now;
    lastRandom = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte & 31);
  }
  let time = lastTime;
  let head = "";
  for (let i = 0; i < 10; i++) {
    head = ALPHABET[time % 32] + head;
    time = Math.floor(time / 32);
  }
  return head + lastRandom.map((digit) => ALPHABET[digit]).join("");
}
