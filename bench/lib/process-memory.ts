import { readFileSync } from 'node:fs'

/** High-water mark of a process's resident memory in megabytes, this one's unless said; absent where no Linux tells. */
export function peakMegabytes(pid: number | 'self' = 'self'): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1000
  } catch {
    return undefined
  }
}
