import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'
import { loadKernel } from '../../src/adapters/embed/minilm/kernel.ts'

/** Where and of what a result was made. */
export interface Machine {
  readonly node: string
  readonly sqlite: string
  readonly cpu: string
  readonly cores: number
  /** Which build of the embedding kernel runs here. */
  readonly kernel: string
  /** The commit measured; `+` at its end says that files differed from it. */
  readonly commit: string
  readonly date: string
}

export function machineFacts(): Machine {
  const all = cpus()
  return {
    node: process.version,
    sqlite: process.versions.sqlite ?? 'unknown',
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    kernel: loadKernel().build,
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  }
}

function commit(): string {
  const root = new URL('../..', import.meta.url)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    // Numbers that were published since change nothing about what is measured.
    const measured = ['src', 'kernel', 'model', 'bench', ':(exclude)bench/published.json']
    const changed = git('status', '--porcelain', '--', ...measured) !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`
  } catch {
    return 'unknown (no git here)'
  }
}
