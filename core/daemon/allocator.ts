import { openAllocator } from "../../plugins/host/libc.ts";

/** `M_TRIM_THRESHOLD` and `M_MMAP_THRESHOLD` of glibc's malloc.h. */
const TRIM_THRESHOLD = -1, MMAP_THRESHOLD = -3;
const MIB = 1 << 20;

/** Makes the C allocator give back to the system what is free at the end of a thread's arena from 1 MiB on. By itself
 * glibc raises that limit to twice the largest block that was ever freed: after a start each worker's thread keeps some
 * megabytes that its compiler needed once, about 10 MB in all, and after an import more. Call it before threads are
 * started. Answers whether there was a glibc to tell; elsewhere nothing is to be done. */
export async function giveFreedMemoryBack(): Promise<boolean> {
  let libc;
  try {
    libc = openAllocator();
  } catch {
    return false; // Another C library, which has another allocator.
  }
  try {
    const { mallopt } = libc.symbols;
    return await mallopt(TRIM_THRESHOLD, MIB) === 1 && await mallopt(MMAP_THRESHOLD, MIB) === 1;
  } finally {
    libc.close();
  }
}
