import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds of a tick of the kernel's clock: 100 a second on every Linux that counts. */
const TICK = 10
/** Fields of `stat` after the name in brackets: the parent, and time in user mode and in the kernel. */
const FIELD = { parent: 1, user: 11, system: 12 }

/**
 * Processor time of processes and all that they started, in milliseconds, as the kernel counts it; says the same on a shared
 * machine as on an idle one. Linux only.
 */
export function processorMs(roots: readonly number[]): number {
  const parents = new Map<number, number>()
  const times = new Map<number, number>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const fields = fieldsOf(name)
    if (fields === undefined) continue
    parents.set(Number(name), fields[FIELD.parent] ?? 0)
    times.set(Number(name), ((fields[FIELD.user] ?? 0) + (fields[FIELD.system] ?? 0)) * TICK)
  }
  const isIn = (pid: number): boolean => pid > 1 && (roots.includes(pid) || isIn(parents.get(pid) ?? 0))
  return [...times].reduce((sum, [pid, time]) => sum + (isIn(pid) ? time : 0), 0)
}

/** Milliseconds between two looks, and the looks after which something that never rests is taken as it is. */
const LOOKS = { apart: 400, most: 30 }

/**
 * Resolves when processes do no more than wait: a browser works for half a second after it has started, and a command loads what its
 * first call will need. Neither is part of what is measured next.
 */
export async function atRest(roots: readonly number[]): Promise<void> {
  for (let look = 0, before = processorMs(roots); look < LOOKS.most; look++) {
    await new Promise((resolve) => setTimeout(resolve, LOOKS.apart))
    const now = processorMs(roots)
    if (now - before <= TICK) return
    before = now
  }
}

function fieldsOf(pid: string): number[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
  } catch {
    // It ended meanwhile.
    return undefined
  }
}
