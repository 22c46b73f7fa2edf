import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import { runCli } from '../../../src/surfaces/cli/run.ts'

export interface CliWorld {
  readonly cwd?: string
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Somebody sits at a terminal and answers every question with this, or with what this does. */
  readonly answer?: string | (() => Promise<string>)
  /** The outputs are terminals. */
  readonly tty?: boolean
  /** Their width; 100 unless given. */
  readonly columns?: number
  /** Their lines; none said unless given. */
  readonly rows?: number
  readonly signal?: AbortSignal
  /** How the program was started: the path of Node and that of the script. */
  readonly program?: readonly [node: string, script: string]
}

export interface CliResult {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** A directory that is gone after the test. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'elfmem-test-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** An environment in which texts are embedded without the model. */
export const HASHING = { ELFMEM_EMBEDDINGS_PROVIDER: 'hashing' } as const

async function answerOf(answer: CliWorld['answer'] = ''): Promise<string> {
  return typeof answer === 'string' ? answer : answer()
}

/** Runs one command line in a world of its own and collects what it printed. */
export async function elfmem(argv: readonly string[], world: CliWorld): Promise<CliResult> {
  const out: string[] = []
  const err: string[] = []
  const output = (lines: string[]) => ({
    write: (text: string) => void lines.push(text),
    isTTY: world.tty === true,
    columns: world.columns ?? 100,
    ...(world.rows === undefined ? {} : { rows: world.rows }),
  })
  const cwd = world.cwd ?? world.home ?? '/'
  const code = await runCli(argv, {
    stdout: output(out),
    stderr: output(err),
    readStdin: async () => world.stdin ?? '',
    ...(world.answer === undefined ? {} : { ask: async () => answerOf(world.answer) }),
    env: { ...HASHING, ...world.env },
    cwd,
    home: world.home ?? cwd,
    version: '0.0.0-test',
    ...(world.signal ? { signal: world.signal } : {}),
    ...(world.program ? { program: world.program } : {}),
    streams: () => ({ stdin: new PassThrough(), stdout: new PassThrough() }),
  })
  return { code, out: out.join(''), err: err.join('') }
}
